/** What is wrong with the journal, in our words. */
import { Failure } from '../../core/failure.ts'
import type { Trouble, TroubleKind } from '../../ports/database-files.ts'

const FILE = 'the file that wal.path names'

const WHY: Readonly<Partial<Record<TroubleKind, string>>> = {
  unopenable: `${FILE} cannot be opened`,
  unwritable: `${FILE} may not be written`,
  forbidden: `${FILE} may not be written`,
}

/** A row that does not fit is a bug of whoever sent it, and stays what it is. */
export function journalFailure({ kind, why, cause, version = 0 }: Trouble, known: number): unknown {
  switch (kind) {
    case 'bug':
      return cause
    case 'misfit':
      return isSpoken(cause) ? taken(cause) : cause
    case 'damaged':
      return unreadable(`the journal of transfers is damaged or is no journal of Postern; move ${FILE} away`, cause)
    case 'foreign':
      return unreadable(`${FILE} is a database of another program; name another`)
    case 'newer':
      return newerVersion(version, known)
    default:
      return unavailable(WHY[kind] ?? why, cause)
  }
}

export function isClosed(): Failure {
  return unavailable('it has been closed')
}

export function taken(cause?: unknown): Failure {
  const message = 'another transfer has this message; ask for its transaction, and try again when it is done'
  return new Failure('conflict', message, { cause, stage: 'journal' })
}

/** By the columns of the two unique indexes that the world can run into. */
function isSpoken(cause: unknown): boolean {
  return cause instanceof Error && /^UNIQUE .*transactions\.(src|target)_uid$/.test(cause.message)
}

function newerVersion(version: number, known: number): Failure {
  return new Failure(
    'unsupported',
    'the journal of transfers was written by a newer version of Postern: upgrade Postern to open it',
    { stage: 'journal', details: { file_version: version, known_version: known } },
  )
}

function unavailable(why: string, cause?: unknown): Failure {
  return new Failure('unavailable', `the journal of transfers cannot be used: ${why}`, { cause, stage: 'journal' })
}

function unreadable(message: string, cause?: unknown): Failure {
  return new Failure('unreadable', message, { cause, stage: 'journal' })
}
