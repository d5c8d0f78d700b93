/**
 * Attachments as files of one directory, named `<16 random hex digits>-<their own name made safe>`.
 *
 * INVARIANT: a file is only ever made new, never through a link. One that could not be written whole is removed. A directory
 * that was there before keeps its mode: it may hold what is not ours. Our files never take more than `mostBytes` together:
 * the oldest make room.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, open, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { AttachmentFiles } from '../../ports/attachment-files.ts'
import { cannotSave, tooLarge } from './failures.ts'
import { makeRoom } from './room.ts'
import { safeName } from './safe-name.ts'

export interface AttachmentOptions {
  readonly directory: string
  /** One gibibyte when absent. */
  readonly mostBytes?: number
}

const MOST_BYTES = 1024 ** 3

export function createAttachmentFiles(
  { directory, mostBytes = MOST_BYTES }: AttachmentOptions,
  prefix: () => string = randomPrefix,
): AttachmentFiles {
  const folder = resolve(directory)
  let last: Promise<unknown> = Promise.resolve()
  const save = async (path: string, bytes: Uint8Array): Promise<string> => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await makeRoom(folder, mostBytes - bytes.length)
      await writeNew(path, bytes)
      return path
    } catch (error) {
      throw cannotSave(error)
    }
  }
  return {
    async save(filename, bytes) {
      if (bytes.length > mostBytes) throw tooLarge(mostBytes)
      const path = join(folder, `${prefix()}-${safeName(filename)}`)
      // One after the other: two that make room at once would both count on the same.
      const saved = last.then(() => save(path, bytes))
      last = saved.catch(() => undefined)
      return saved
    },
  }
}

/** Nobody can put anything in the place of a file whose name they cannot guess. */
function randomPrefix(): string {
  return randomBytes(8).toString('hex')
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
