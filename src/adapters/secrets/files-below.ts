/**
 * Files below one directory, read.
 *
 * INVARIANT: whatever is given back lies, links resolved, below the directory at the time it was open, whoever swaps folders
 * for links meanwhile; where the system does not tell what is open, a swap back at the right moment is not noticed. The
 * directory itself may be reached through links. Nothing but a plain file is read, and opening anything else neither waits nor blocks.
 */
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { codeOf, leadsOut, storeUnavailable, tooLarge, unfit } from './failures.ts'

export interface FileBelow {
  /** With all links resolved. */
  readonly path: string
  readonly bytes: Uint8Array
}

/** Undefined where there is no such file. */
export async function readBelow(
  root: string,
  names: readonly string[],
  ref: string,
  mostBytes: number,
): Promise<FileBelow | undefined> {
  const top = await realRoot(root)
  const path = await findIn(top, names, ref)
  if (path === undefined) return undefined
  // The path has no links left: one that is there now was put there since.
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
  const file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw unfit(ref, NOT_PLAIN)
    const real = await pathOf(file)
    if (real === undefined ? await isMoved(path, stats) : !isBelow(top, real)) throw leadsOut(ref)
    return { path, bytes: await readSome(file, mostBytes, ref) }
  } finally {
    await file.close()
  }
}

/** Where the file really is, if it is there. Looks without opening, as opening a device may set it going. */
export async function findBelow(root: string, names: readonly string[], ref: string): Promise<string | undefined> {
  return findIn(await realRoot(root), names, ref)
}

async function findIn(top: string, names: readonly string[], ref: string): Promise<string | undefined> {
  try {
    const path = await realpath(join(top, ...names))
    if (!isBelow(top, path)) throw leadsOut(ref)
    if (!(await lstat(path)).isFile()) throw unfit(ref, NOT_PLAIN)
    return path
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

const NOT_PLAIN = 'what is there is not a plain file'

export async function realRoot(root: string): Promise<string> {
  try {
    return await realpath(root)
  } catch (error) {
    throw storeUnavailable('the directory of the secret store is not there or may not be opened', error)
  }
}

export function isBelow(top: string, path: string): boolean {
  return path.startsWith(top.endsWith(sep) ? top : top + sep)
}

/** Where what is open really is, as the system knows it. Undefined where it does not tell. */
async function pathOf({ fd }: FileHandle): Promise<string | undefined> {
  try {
    return await readlink(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}

/** Whether the path without links no longer names what was opened: a folder was swapped for a link in between. */
async function isMoved(path: string, opened: Stats): Promise<boolean> {
  const [now, there] = await Promise.all([realpath(path), lstat(path)])
  return now !== path || there.ino !== opened.ino || there.dev !== opened.dev
}

/** By what comes, not by the size that the file claims. */
async function readSome(file: FileHandle, mostBytes: number, ref: string): Promise<Uint8Array> {
  const buffer = Buffer.alloc(mostBytes + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) return buffer.subarray(0, length)
    length += bytesRead
  }
  throw tooLarge(ref, mostBytes)
}
