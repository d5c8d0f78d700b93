/** What is wrong with the file, and who gave up, in our words. */
import { Failure } from '../../core/failure.ts'
import type { Trouble } from '../../ports/database-files.ts'

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

export function localFailure({ kind, cause, version = 0 }: Trouble, known: number): unknown {
  switch (kind) {
    case 'bug':
      return cause
    case 'closed':
      return new Failure('unavailable', 'the local mailbox has been closed')
    case 'busy':
      return new Failure('unavailable', 'the local mailbox is in use by another process; try again', { cause })
    case 'full':
    case 'quota':
      return new Failure('unavailable', 'there is no space left on the disk of the local mailbox', { cause })
    case 'damaged':
      return new Failure('unreadable', 'the local mailbox file is damaged or is no mailbox of Postern', { cause })
    case 'foreign':
      return new Failure('unreadable', 'the local mailbox file is a database of another program')
    case 'newer':
      return new Failure(
        'unsupported',
        'the local mailbox was written by a newer version of Postern: upgrade Postern to open it',
        { details: { file_version: version, known_version: known } },
      )
    case 'missing':
    case 'unopenable':
    case 'unwritable':
    case 'forbidden':
    case 'no_directory':
    case 'no_file':
    case 'many_files':
      return new Failure('unavailable', 'the local mailbox file cannot be opened for reading and writing', { cause })
    default:
      return new Failure('internal', 'the local mailbox failed', { cause })
  }
}
