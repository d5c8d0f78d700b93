/** How what goes wrong in a worker is told: never in the words of a library, which may quote the mail.
 * Which part it was, and so at what stage, is known to whoever asked. */
import { Failure } from '../../core/failure.ts'

export function aborted(signal: AbortSignal): Failure {
  const reason: unknown = signal.reason
  if (reason instanceof Failure) return reason
  const timedOut = reason instanceof DOMException && reason.name === 'TimeoutError'
  return timedOut
    ? new Failure('timeout', 'the call took too long', { cause: reason })
    : new Failure('cancelled', 'the call was cancelled', { cause: reason })
}

export function tooSlow(what: string, milliseconds: number): Failure {
  const details = { limit_ms: milliseconds }
  return new Failure('timeout', `the ${what} takes too long to read`, { details })
}

export function tooBig(what: string): Failure {
  return new Failure('unreadable', `the ${what} takes too much memory to read`)
}

export function tooLarge(what: string, bytes: number, limit: number): Failure {
  const details = { bytes, limit_bytes: limit }
  return new Failure('too_large', `the ${what} is too large to read`, { details })
}

export function broken(what: string, cause: unknown): Failure {
  return new Failure('unreadable', `the ${what} cannot be read`, { cause })
}

export function overloaded(): Failure {
  return new Failure('unavailable', 'too many messages are being read at once')
}

export function closed(): Failure {
  return new Failure('unavailable', 'Postern is stopping')
}
