/** What SQLite and the file system say, in our words. */
import { Failure } from '../../core/failure.ts'

const WHY: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'another process holds limits.db; try again',
  SQLITE_FULL: 'no space is left on the disk',
  SQLITE_CORRUPT: 'limits.db in the data directory is damaged; delete it while nothing runs',
  SQLITE_NOTADB: 'limits.db in the data directory is damaged; delete it while nothing runs',
  SQLITE_CANTOPEN: 'limits.db in the data directory cannot be opened',
  SQLITE_READONLY: 'limits.db in the data directory may not be written',
  ENOSPC: 'no space is left on the disk',
  EACCES: 'the data directory may not be written',
  EPERM: 'the data directory may not be written',
  EROFS: 'the data directory may not be written',
  ENOTDIR: 'the data directory is not a directory',
  EEXIST: 'the data directory is not a directory',
  EISDIR: 'limits.db in the data directory is not a file',
}

/** Every failure to count is this one: whoever asked must not go on. */
export function cannotCount(cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  const code = codeOf(cause)
  const known = Object.keys(WHY).find((name) => code === name || code.startsWith(`${name}_`))
  return unavailable((known && WHY[known]) ?? 'counting it failed', cause)
}

export function otherVersion(): Failure {
  return unavailable('limits.db in the data directory belongs to another version of Postern or another program')
}

export function isClosed(): Failure {
  return unavailable('the counter has been closed')
}

export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}

function unavailable(why: string, cause?: unknown): Failure {
  return new Failure('unavailable', `the call cannot be counted against its limits: ${why}`, { cause, stage: 'limits' })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
