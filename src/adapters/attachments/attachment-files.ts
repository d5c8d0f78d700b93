/**
 * Attachments as files of one directory, named `<16 random hex digits>-<their own name made safe>`.
 *
 * INVARIANT: a file is only ever made new, never through a link. One that could not be written whole is removed. A directory
 * that was there before keeps its mode: it may hold what is not ours. Our files never take more than `mostBytes` together:
 * the oldest make room. Where the user chose the directory, files are kept: nothing is removed, and what has no room is refused.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, open, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { AttachmentFiles } from '../../ports/attachment-files.ts'
import { cannotSave, isFull, tooLarge } from './failures.ts'
import { Lifetime, type LifetimeOptions } from './lifetime.ts'
import { bytesIn, makeRoom } from './room.ts'
import { safeName } from './safe-name.ts'

export interface AttachmentOptions {
  readonly directory: string
  /** One gibibyte when absent. */
  readonly mostBytes?: number
  /** Files are temporary. */
  readonly lifetime?: LifetimeOptions
  /** The directory is the user's: nothing in it is removed. */
  readonly isKept?: boolean
  /** Attachments above so many bytes are saved; those of a tool's own limit when absent. */
  readonly saveAbove?: number | undefined
}

export const MOST_SAVED_BYTES = 1024 ** 3

export function createAttachmentFiles(
  { directory, mostBytes = MOST_SAVED_BYTES, lifetime: wanted, isKept = false, saveAbove }: AttachmentOptions,
  prefix?: () => string,
): AttachmentFiles {
  const folder = resolve(directory)
  const lifetime = wanted && new Lifetime(folder, wanted)
  let last: Promise<unknown> = Promise.resolve()
  const save = async (path: string, bytes: Uint8Array): Promise<string> => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await lifetime?.begin()
      if (!isKept) await makeRoom(folder, mostBytes - bytes.length)
      else if ((await bytesIn(folder)) > mostBytes - bytes.length) throw isFull(mostBytes)
      await writeNew(path, bytes)
      return path
    } catch (error) {
      throw cannotSave(error)
    }
  }
  return {
    async save(filename, bytes) {
      if (bytes.length > mostBytes) throw tooLarge(mostBytes)
      const path = join(folder, `${prefix?.() ?? randomPrefix(lifetime?.token)}-${safeName(filename)}`)
      // One after the other: two that make room at once would both count on the same.
      const saved = last.then(() => save(path, bytes))
      last = saved.catch(() => undefined)
      return saved
    },
    terms: async () => ({ saveAbove, isTemporary: lifetime !== undefined }),
    sweep: async () => lifetime?.sweep(),
    async close() {
      await last
      await lifetime?.end()
    },
  }
}

/** The directory is private; the rest of the name only keeps files apart. */
function randomPrefix(owner = randomBytes(4).toString('hex')): string {
  return owner + randomBytes(4).toString('hex')
}

async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } catch (error) {
    await unlink(path).catch(() => undefined)
    throw error
  } finally {
    await file.close()
  }
}
