/** What is wrong with a mirror, in our words. */
import { Failure } from '../../core/failure.ts'
import type { Trouble } from '../../ports/database-files.ts'

/** What is no word of the world's is a bug, and stays what it is. */
export function mirrorFailure({ kind, why, cause, version = 0 }: Trouble, known: number): unknown {
  if (kind === 'bug' || kind === 'misfit' || kind === 'misused') return cause
  if (kind === 'damaged' || kind === 'foreign') return unreadable(cause)
  if (kind === 'newer') return newerSchema(version, known)
  if (kind === 'older') return olderSchema(version, known)
  return new Failure('unavailable', `the mirror cannot be used: ${why}`, { cause, stage: 'mirror' })
}

/** Whatever is wrong with a mirror, it can be made again from the server. */
function unreadable(cause: unknown): Failure {
  const message =
    'the mirror is damaged or is no mirror of Postern; run postern forget for the account and sync it again'
  return new Failure('unreadable', message, { cause, stage: 'mirror' })
}

export function isDamaged(error: unknown): boolean {
  return error instanceof Failure && error.code === 'unreadable' && error.stage === 'mirror'
}

/** As good as none for the moment: the server is asked. */
export function damagedElsewhere(cause: unknown): Failure {
  const message = 'the mirror cannot be used: it is damaged, and another process is writing it'
  return new Failure('unavailable', message, { cause, stage: 'mirror' })
}

export function setAsideMeanwhile(cause: unknown): Failure {
  const message = 'the mirror was damaged; it was set aside, and is built again from the server'
  return new Failure('conflict', message, { cause, stage: 'mirror' })
}

export function newerSchema(version: number, known: number): Failure {
  return new Failure(
    'unsupported',
    'the mirror was written by a newer version of Postern: upgrade Postern, or run postern forget for the account',
    { stage: 'mirror', details: { reason: 'schema', file_version: version, known_version: known } },
  )
}

function olderSchema(version: number, known: number): Failure {
  return new Failure(
    'unsupported',
    'the mirror was written by an older version of Postern: run postern sync for the account to bring it up',
    { stage: 'mirror', details: { reason: 'schema', file_version: version, known_version: known } },
  )
}
