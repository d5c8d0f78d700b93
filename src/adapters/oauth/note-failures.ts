/** What can go wrong with the notes in the data directory, in our words. */
import { Failure } from '../../core/failure.ts'

const STAGE = 'credentials'

export function turnTooLong(): Failure {
  const message = 'another process has been renewing the access to this account for too long; is it stopped?'
  return new Failure('unavailable', message, { stage: STAGE })
}

export function notesUnavailable(cause: unknown): Failure {
  const message = 'the notes on OAuth access cannot be read or written in the data directory'
  return new Failure('unavailable', message, { cause, stage: STAGE })
}
