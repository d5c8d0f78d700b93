/**
 * What lies at a path, who can look into it, and whether we could write there.
 *
 * INVARIANT: nothing stays: the file that is written to see whether one can be is removed at once, and is only ever written into a
 * directory that is there.
 */
import { randomUUID } from 'node:crypto'
import { accessSync, constants, lstatSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface PlaceSeen {
  readonly path: string
  readonly kind: 'missing' | 'directory' | 'file' | 'link' | 'other'
  readonly isWritable: boolean
  readonly why?: string
  readonly othersRead: boolean
  readonly othersWrite: boolean
}

const OTHERS_READ = 0o055
const OTHERS_WRITE = 0o022

const WHY: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENOTDIR: 'something on the way to it is no directory',
  ELOOP: 'links lead in a circle',
  EIO: 'its disk reports errors',
}

export function lookAtPlace(path: string): PlaceSeen {
  const found = statOf(path, lstatSync)
  const kind = kindOf(found)
  const isFolder = statOf(path, statSync)?.isDirectory() === true
  const refusal = isFolder ? refusalIn(path) : refusalAbove(path)
  const mode = process.platform === 'win32' || found === undefined || kind === 'link' ? 0 : found.mode
  return {
    path,
    // A link to nothing, or to a file, is no place for a directory.
    kind: kind === 'link' && !isFolder ? 'other' : kind,
    isWritable: refusal === undefined,
    ...(refusal !== undefined && { why: WHY[refusal] ?? 'the system says no' }),
    othersRead: (mode & OTHERS_READ) !== 0,
    othersWrite: (mode & OTHERS_WRITE) !== 0,
  }
}

function kindOf(found: Stats | undefined): PlaceSeen['kind'] {
  if (found === undefined) return 'missing'
  if (found.isSymbolicLink()) return 'link'
  if (found.isDirectory()) return 'directory'
  return found.isFile() ? 'file' : 'other'
}

function statOf(path: string, stat: (path: string) => Stats): Stats | undefined {
  try {
    return stat(path)
  } catch {
    return undefined
  }
}

/** Leave to write is not all it takes: the disk may be full. */
function refusalIn(directory: string): string | undefined {
  const path = join(directory, `.postern-doctor-${randomUUID()}`)
  try {
    writeFileSync(path, 'x'.repeat(4096), { mode: 0o600, flag: 'wx', flush: true })
    return undefined
  } catch (error) {
    return codeOf(error)
  } finally {
    discard(path)
  }
}

/** Into a directory that may not even be looked into nothing was written. */
function discard(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes(codeOf(error))) throw error
  }
}

/** Where a missing directory would be made. */
function refusalAbove(path: string): string | undefined {
  const above = nearestAbove(path)
  try {
    if (!statSync(above).isDirectory()) return 'ENOTDIR'
    accessSync(above, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return codeOf(error)
  }
}

/** The path itself, or the nearest above it that is there. */
export function nearestAbove(path: string): string {
  if (statOf(path, lstatSync) !== undefined || dirname(path) === path) return path
  return nearestAbove(dirname(path))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EIO'
}
