/**
 * The built page of the console, as it lies beside the program.
 *
 * INVARIANT: opens three names and no others. A file is read again only after it has changed.
 */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Failure } from '../../core/failure.ts'
import type { PageFile, PageFileName, PageFiles } from '../../ports/page-files.ts'

const pack = promisify(gzip)

interface Remembered {
  readonly stamp: string
  readonly file: PageFile
}

/** In the first of these folders that has it. */
export function createPageFiles(folders: readonly string[]): PageFiles {
  const remembered = new Map<PageFileName, Remembered>()
  return {
    async read(name) {
      for (const folder of folders) {
        const path = join(folder, name)
        const stamp = await stampOf(path)
        if (stamp === undefined) continue
        const known = remembered.get(name)
        if (known?.stamp === stamp) return known.file
        const file = await fileAt(path)
        remembered.set(name, { stamp, file })
        return file
      }
      return undefined
    },
  }
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { mtimeMs, size, ino } = await stat(path)
    return `${path} ${ino} ${mtimeMs} ${size}`
  } catch {
    return undefined
  }
}

async function fileAt(path: string): Promise<PageFile> {
  try {
    const bytes = new Uint8Array(await readFile(path))
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
    return { bytes, gzipped: new Uint8Array(await pack(bytes, { level: 9 })), etag }
  } catch (cause) {
    throw new Failure('unavailable', 'the page of the console cannot be read; install Postern again', { cause })
  }
}
