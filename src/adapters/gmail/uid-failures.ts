/** SQLite's and the file system's words, turned into ours. */
import { Failure } from '../../core/failure.ts'

/** Runs work on the file; what SQLite throws leaves as a `Failure`, everything else as it is. */
export function translated<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toFailure(error)
  }
}

export function toFailure(error: unknown): unknown {
  const code = errorCode(error)
  if (error instanceof Failure || code === undefined) return error
  const cause = { cause: error }
  if (code.startsWith('SQLITE_BUSY')) {
    return new Failure('unavailable', 'the uid file of the account is in use by another process; try again', cause)
  }
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') {
    return new Failure('unavailable', 'there is no space left on the disk of the data directory', cause)
  }
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return new Failure('unreadable', 'the uid file of the account is damaged; remove it and search again', cause)
  }
  if (code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_READONLY') || FILE_CODES.has(code)) {
    return new Failure('unavailable', 'the uid file of the account cannot be opened for reading and writing', cause)
  }
  return code.startsWith('SQLITE_') ? new Failure('internal', 'the uid file of the account failed', cause) : error
}

const FILE_CODES = new Set(['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EROFS', 'EEXIST', 'ELOOP', 'EMFILE'])

/** Whether another process was writing just then. */
export function isBusy(error: unknown): boolean {
  return error instanceof Failure && (errorCode(error.cause)?.startsWith('SQLITE_BUSY') ?? false)
}

function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
