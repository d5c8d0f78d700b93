/**
 * Files of a configuration tree.
 *
 * INVARIANT: a file is replaced whole or not at all, at the end of links, and is its owner's alone where it is new.
 */
import { chmod, mkdir, open, readdir, readFile, realpath, rename, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from './failures.ts'

export async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(ifAbsent(undefined))
}

export async function namesIn(path: string): Promise<readonly string[]> {
  return readdir(path).catch(ifAbsent<readonly string[]>([]))
}

/** Not there, or a directory without anything in it: then a whole one can take its place. */
export async function isEmptyPlace(path: string): Promise<boolean> {
  const found = await stat(path).catch(ifAbsent(undefined))
  if (found === undefined) return true
  // Windows renames no directory over another.
  return process.platform !== 'win32' && (await namesIn(path)).length === 0
}

export async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

export async function replaceFile(directory: string, name: string, text: string | undefined): Promise<void> {
  const path = join(directory, name)
  if (text === undefined) {
    await unlink(path).catch(ifAbsent(undefined))
    return
  }
  const real = await realpath(path).catch(ifAbsent(undefined))
  const target = real ?? path
  const draft = `${target}.${crypto.randomUUID()}.tmp`
  try {
    if (real === undefined) await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await writeNew(draft, text)
    if (real !== undefined) await chmod(draft, (await stat(real)).mode & 0o777)
    await rename(draft, target)
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw error
  }
  await syncDirectory(dirname(target))
}

/** A new name is on disk only when its directory is. Windows has no such call and needs none. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Directories that were made for nothing, from the inmost to the outmost; one that holds something stays. */
export async function removeEmpty(inmost: string, outmost: string): Promise<void> {
  for (let path = inmost; path.startsWith(outmost); path = dirname(path)) {
    const removed = await rmdir(path).then(
      () => true,
      () => false,
    )
    if (!removed) return
  }
}

function ifAbsent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (codeOf(error) === 'ENOENT') return value
    throw error
  }
}
