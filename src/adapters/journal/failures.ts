/** What SQLite and the file system say about the journal, in our words. */
import { Failure } from '../../core/failure.ts'

const DAMAGED =
  'the journal of transfers is damaged or is no journal of Postern; move the file that wal.path names away'
const FULL = 'no space is left on its disk'
const FORBIDDEN = 'the file that wal.path names may not be written'
const MISPLACED = 'something else is in the place of its directory or file'
const MANY = 'too many files are open'

const WHY: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'another process holds it; try again',
  SQLITE_PROTOCOL: 'another process holds it; try again',
  SQLITE_FULL: FULL,
  SQLITE_IOERR: 'its disk reports errors',
  SQLITE_CANTOPEN: 'the file that wal.path names cannot be opened',
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

/** A row that does not fit is a bug of whoever sent it, and stays what it is. */
export function journalFailure(cause: unknown): unknown {
  const code = codeOf(cause)
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' && isSpoken(cause)) return taken(cause)
  if (cause instanceof Failure || code === '' || code.startsWith('SQLITE_CONSTRAINT')) return cause
  if (isOf(code, 'SQLITE_CORRUPT') || isOf(code, 'SQLITE_NOTADB')) return unreadable(DAMAGED, cause)
  const known = Object.keys(WHY).find((name) => isOf(code, name))
  return unavailable((known && WHY[known]) ?? 'its file cannot be used', cause)
}

export function otherProgram(): Failure {
  return unreadable('the file that wal.path names is a database of another program; name another')
}

export function newerVersion(version: number, known: number): Failure {
  return new Failure(
    'unsupported',
    'the journal of transfers was written by a newer version of Postern: upgrade Postern to open it',
    { stage: 'journal', details: { file_version: version, known_version: known } },
  )
}

export function isClosed(): Failure {
  return unavailable('it has been closed')
}

/** Whether another process was writing just then. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error)
  return isOf(code, 'SQLITE_BUSY') || isOf(code, 'SQLITE_PROTOCOL')
}

/** By the columns of the two unique indexes that the world can run into. */
function isSpoken(cause: unknown): boolean {
  return cause instanceof Error && /transactions\.(src|target)_uid$/.test(cause.message)
}

export function taken(cause?: unknown): Failure {
  const message = 'another transfer has this message; ask for its transaction, and try again when it is done'
  return new Failure('conflict', message, { cause, stage: 'journal' })
}

function unavailable(why: string, cause?: unknown): Failure {
  return new Failure('unavailable', `the journal of transfers cannot be used: ${why}`, { cause, stage: 'journal' })
}

function unreadable(message: string, cause?: unknown): Failure {
  return new Failure('unreadable', message, { cause, stage: 'journal' })
}

function isOf(code: string, name: string): boolean {
  return code === name || code.startsWith(`${name}_`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
