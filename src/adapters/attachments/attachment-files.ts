/**
 * Attachments as files of one directory, named `<16 random hex digits>-<their own name made safe>`.
 *
 * INVARIANT: a file is only ever made new, never through a link. One that could not be written whole is removed. A directory
 * that was there before keeps its mode: it may hold what is not ours.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, open, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { AttachmentFiles } from '../../ports/attachment-files.ts'
import { cannotSave } from './failures.ts'
import { safeName } from './safe-name.ts'

export function createAttachmentFiles(
  { directory }: { readonly directory: string },
  prefix: () => string = randomPrefix,
): AttachmentFiles {
  const folder = resolve(directory)
  return {
    async save(filename, bytes) {
      const path = join(folder, `${prefix()}-${safeName(filename)}`)
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await writeNew(path, bytes)
        return path
      } catch (error) {
        throw cannotSave(error)
      }
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
