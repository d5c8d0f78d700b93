/** What can go wrong with keys of the console, in our words. */
import { Failure } from '../../core/failure.ts'

export function cannotKeep(cause: unknown): Failure {
  const message = 'sign-ins to the console cannot be kept in the data directory; see that it can be written to'
  return new Failure('unavailable', message, { cause, stage: 'console' })
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
