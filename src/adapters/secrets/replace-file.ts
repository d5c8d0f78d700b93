/**
 * Files below one directory, written.
 *
 * INVARIANT: a file is replaced whole or not at all, and is on disk when the call resolves. It lies below the directory, links
 * resolved; a link in its own place is replaced, never followed. New files and directories are their owner's alone.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, open, realpath, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, leadsOut } from './failures.ts'
import { isBelow, realRoot } from './files-below.ts'

export async function replaceBelow(
  root: string,
  names: readonly string[],
  ref: string,
  bytes: Uint8Array,
): Promise<void> {
  const folder = await makeFolders(root, names.slice(0, -1), ref)
  const draft = join(folder, `.${randomUUID()}.tmp`)
  try {
    await writeNew(draft, bytes)
    if ((await realpath(folder)) !== folder) throw leadsOut(ref)
    await rename(draft, join(folder, names.at(-1) ?? ''))
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw error
  }
  await syncFolder(folder)
}

async function makeFolders(root: string, names: readonly string[], ref: string): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const top = await realRoot(root)
  let folder = top
  for (const name of names) {
    const next = join(folder, name)
    if (await made(next)) await syncFolder(folder)
    folder = await realpath(next)
    if (!isBelow(top, folder)) throw leadsOut(ref)
  }
  return folder
}

async function made(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The new name is on disk only when the folder is. Windows has no such call and needs none. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
