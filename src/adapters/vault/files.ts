/**
 * The few things that are done with files of the vault.
 *
 * INVARIANT: no link is followed and nothing that lies somewhere is written over, but by `replace` and `moveTo`. What appears under a name
 * is whole.
 */
import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, isMissing, isNoFolder } from './failures.ts'
import { namesLike } from './names.ts'

/** No request that a person reads is larger. */
export const LARGEST_FILE = 256 * 1024

export type Content =
  | { readonly kind: 'text'; readonly text: string; readonly changed: number }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unfit'; readonly why: string }

export async function makeFolder(root: string, name: string): Promise<string> {
  const path = join(root, name)
  await mkdir(root, { recursive: true, mode: 0o700 })
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  if (!(await isFolder(path))) throw isNoFolder(name)
  return path
}

/** Names only; none where there is no such folder. */
export async function namesIn(root: string, name: string): Promise<readonly string[]> {
  const path = join(root, name)
  const found = await statOf(path)
  if (found === undefined) return []
  if (!found.isDirectory()) throw isNoFolder(name)
  return readdir(path)
}

/** Why it is no file of ours to look at; undefined where it is one. */
export function unfitness(found: Stats): string | undefined {
  if (found.isSymbolicLink()) return 'is a link, which is never followed'
  if (!found.isFile()) return 'is no regular file'
  if (found.nlink > 1) return 'has a second name elsewhere'
  return found.size > LARGEST_FILE ? `is larger than ${LARGEST_FILE / 1024} kB` : undefined
}

/** Of the file itself where it is a link. */
export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

export async function readText(path: string): Promise<Content> {
  const found = await statOf(path)
  if (found === undefined) return { kind: 'gone' }
  const why = unfitness(found)
  if (why !== undefined) return { kind: 'unfit', why }
  try {
    return await readOpened(await open(path, READ_ITSELF), found)
  } catch (error) {
    if (isMissing(error)) return { kind: 'gone' }
    if (codeOf(error) === 'ELOOP') return { kind: 'unfit', why: 'is a link, which is never followed' }
    throw error
  }
}

/** What it is may have changed since it was looked at: it is looked at again, and a pipe would not make us wait. */
const READ_ITSELF = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

async function readOpened(file: FileHandle, seen: Stats): Promise<Content> {
  try {
    const found = await file.stat()
    const why = unfitness(found)
    if (why !== undefined) return { kind: 'unfit', why }
    if (found.ino !== seen.ino || found.dev !== seen.dev) return { kind: 'gone' }
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LARGEST_FILE + 1), 0, LARGEST_FILE + 1, 0)
    if (bytesRead > LARGEST_FILE) return { kind: 'unfit', why: 'grew while it was read' }
    return { kind: 'text', text: UTF8.decode(buffer.subarray(0, bytesRead)), changed: found.mtimeMs }
  } catch (error) {
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { kind: 'unfit', why: 'is no UTF-8 text' }
    throw error
  } finally {
    await file.close()
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Puts it under this name, whole from the first moment; false where something lies there already. */
export async function post(folder: string, name: string, text: string): Promise<boolean> {
  const draft = await writeDraft(folder, text)
  try {
    return await publish(draft, join(folder, name))
  } finally {
    await remove(draft)
  }
}

/** Puts it under this name, or one like it, unless the same text lies there already. */
export async function place(folder: string, name: string, text: string): Promise<void> {
  for (const candidate of namesLike(name)) {
    if (await post(folder, candidate, text)) return
    const lying = await readText(join(folder, candidate))
    if (lying.kind === 'text' && lying.text === text) return
  }
}

/** By one atomic rename; false where it is not there any more. What lies at its new place is written over. */
export async function moveTo(from: string, path: string): Promise<boolean> {
  try {
    await rename(from, path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/**
 * Moves a file into a folder, under its name or one like it; returns that name, or undefined where the file is not there any
 * more. The name is first taken with an empty file, which the rename then takes the place of: no other can have the same.
 */
export async function moveInto(from: string, folder: string, name: string): Promise<string | undefined> {
  for (const candidate of namesLike(name)) {
    const path = join(folder, candidate)
    if (!(await takeName(path))) continue
    try {
      await rename(from, path)
      return candidate
    } catch (error) {
      await remove(path)
      if (isMissing(error)) return undefined
      throw error
    }
  }
  throw new Error('there is always another name')
}

export async function replace(folder: string, name: string, text: string): Promise<void> {
  const draft = await writeDraft(folder, text)
  try {
    await rename(draft, join(folder, name))
  } catch (error) {
    await remove(draft)
    throw error
  }
}

async function writeDraft(folder: string, text: string): Promise<string> {
  const draft = join(folder, `.postern-${randomUUID()}.tmp`)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    return draft
  } catch (error) {
    await remove(draft)
    throw error
  }
}

/** A second name for it takes nobody's place. Some file systems have none: there it is renamed. */
async function publish(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!NO_LINKS.has(codeOf(error))) throw error
  }
  if ((await statOf(path)) !== undefined) return false
  await rename(draft, path)
  return true
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** It may be gone already. */
export async function remove(path: string): Promise<void> {
  await unlink(path).catch(() => undefined)
}

/** A new name is on disk only when its folder is. Windows has no such call and needs none. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function takeName(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close()
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await statOf(path))?.isDirectory() ?? false
}
