/** What SQLite and the file system say about a mirror, in our words. */
import { Failure } from '../../core/failure.ts'

const FULL = 'no space is left on its disk'
const FORBIDDEN = 'its file may not be written'
const MISPLACED = 'something else is in the place of its directory or file'
const MANY = 'too many files are open'

const WHY: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'another process holds it; try again',
  SQLITE_PROTOCOL: 'another process holds it; try again',
  SQLITE_FULL: FULL,
  SQLITE_IOERR: 'its disk reports errors',
  SQLITE_CANTOPEN: 'its file cannot be opened',
  SQLITE_READONLY: FORBIDDEN,
  ENOSPC: FULL,
  EDQUOT: 'the disk quota is used up',
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: FORBIDDEN,
  ENOTDIR: MISPLACED,
  EEXIST: MISPLACED,
  EISDIR: MISPLACED,
  EMFILE: MANY,
  ENFILE: MANY,
  EIO: 'its disk reports errors',
}

/** What is no word of the world's is a bug, and stays what it is. */
export function mirrorFailure(cause: unknown): unknown {
  const code = codeOf(cause)
  if (cause instanceof Failure || code === '' || NO_WORLD.some((name) => isOf(code, name))) return cause
  if (isOf(code, 'SQLITE_CORRUPT') || isOf(code, 'SQLITE_NOTADB')) return unreadable(cause)
  const known = Object.keys(WHY).find((name) => isOf(code, name))
  return unavailable((known && WHY[known]) ?? 'its file cannot be used', cause)
}

/** A row that does not fit, or a statement that makes no sense. */
const NO_WORLD = ['SQLITE_CONSTRAINT', 'SQLITE_ERROR', 'SQLITE_MISMATCH', 'SQLITE_RANGE', 'SQLITE_MISUSE', 'ERR']

/** Whatever is wrong with a mirror, it can be made again from the server. */
export function unreadable(cause?: unknown): Failure {
  const message =
    'the mirror is damaged or is no mirror of Postern; run postern forget for the account and sync it again'
  return new Failure('unreadable', message, { cause, stage: 'mirror' })
}

export function newerSchema(version: number, known: number): Failure {
  return new Failure(
    'unsupported',
    'the mirror was written by a newer version of Postern: upgrade Postern, or run postern forget for the account',
    { stage: 'mirror', details: { reason: 'schema', file_version: version, known_version: known } },
  )
}

export function olderSchema(version: number, known: number): Failure {
  return new Failure(
    'unsupported',
    'the mirror was written by an older version of Postern: run postern sync for the account to bring it up',
    { stage: 'mirror', details: { reason: 'schema', file_version: version, known_version: known } },
  )
}

export function isClosed(): Failure {
  return unavailable('it has been closed')
}

/** Whether another process was writing just then. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error instanceof Failure ? error.cause : error)
  return isOf(code, 'SQLITE_BUSY') || isOf(code, 'SQLITE_PROTOCOL')
}

/** Whether what was to be added has a key that something else has. */
export function isTaken(error: unknown): boolean {
  return isOf(codeOf(error), 'SQLITE_CONSTRAINT')
}

function unavailable(why: string, cause?: unknown): Failure {
  return new Failure('unavailable', `the mirror cannot be used: ${why}`, { cause, stage: 'mirror' })
}

function isOf(code: string, name: string): boolean {
  return code === name || code.startsWith(`${name}_`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
