/**
 * Room for one more attachment, made by removing the oldest.
 *
 * INVARIANT: only what is named and made as we do it is counted or removed: plain files with our prefix. Nothing else in
 * the directory is touched, and no link is followed.
 */
import { lstat, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from './failures.ts'

export const OURS = /^[0-9a-f]{16}-./

interface OwnFile {
  readonly path: string
  readonly size: number
  readonly modified: number
}

/** Removes the oldest of our files until they hold no more than `mostBytes`. */
export async function makeRoom(directory: string, mostBytes: number): Promise<void> {
  const files = await ownFiles(directory)
  let bytes = files.reduce((sum, { size }) => sum + size, 0)
  for (const { path, size } of files.sort((a, b) => a.modified - b.modified)) {
    if (bytes <= mostBytes) return
    await unlink(path).catch(unlessGone)
    bytes -= size
  }
}

export async function bytesIn(directory: string): Promise<number> {
  return (await ownFiles(directory)).reduce((sum, { size }) => sum + size, 0)
}

async function ownFiles(directory: string): Promise<OwnFile[]> {
  const files: OwnFile[] = []
  for (const name of await readdir(directory)) {
    if (!OURS.test(name)) continue
    const path = join(directory, name)
    const facts = await lstat(path).catch(unlessGone)
    if (facts?.isFile() === true) files.push({ path, size: facts.size, modified: facts.mtimeMs })
  }
  return files
}

/** Another process may have made room at the same time. */
function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}
