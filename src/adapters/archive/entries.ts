/** What lies in a directory, by name. Links are not followed, so no tree is endless and none leads elsewhere. */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { errorCode, translated } from './failures.ts'

/** Nothing where there is no such directory. */
export async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.filter((entry) => entry.isFile() || entry.isDirectory()).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return []
    return translated(path, () => Promise.reject(error))
  }
}
