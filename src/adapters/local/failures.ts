/** SQLite's and the file system's words, turned into ours. */
import { Failure } from '../../core/failure.ts'

/** Throws when the caller has given up. */
export function throwIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return
  const { reason } = signal
  if (reason instanceof Failure) throw reason
  if (reason instanceof Error && reason.name === 'TimeoutError') {
    throw new Failure('timeout', 'the local mailbox took too long to answer', { cause: reason })
  }
  throw new Failure('cancelled', 'the call was cancelled', { cause: reason })
}

/** Runs work on the database; what SQLite throws leaves as a `Failure`, everything else as it is. */
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
  if (code.startsWith('SQLITE_BUSY')) {
    return new Failure('unavailable', 'the local mailbox is in use by another process; try again', { cause: error })
  }
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') {
    return new Failure('unavailable', 'there is no space left on the disk of the local mailbox', { cause: error })
  }
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return new Failure('unreadable', 'the local mailbox file is damaged or is no mailbox of Postern', { cause: error })
  }
  if (code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_READONLY') || FILE_CODES.has(code)) {
    return new Failure('unavailable', 'the local mailbox file cannot be opened for reading and writing', {
      cause: error,
    })
  }
  return code.startsWith('SQLITE_') ? new Failure('internal', 'the local mailbox failed', { cause: error }) : error
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
