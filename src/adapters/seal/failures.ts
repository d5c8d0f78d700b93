/** What can go wrong with tokens and their key, in our words. */
import { Failure } from '../../core/failure.ts'

export function notOurs(): Failure {
  return new Failure('invalid_input', 'this token was not made here, or it was changed')
}

export function keyUnavailable(cause: unknown): Failure {
  return new Failure('unavailable', 'the key that signs tokens cannot be read or made in the data directory', { cause })
}

export function keyDamaged(): Failure {
  return new Failure(
    'unavailable',
    'seal.key in the data directory is damaged; delete it, and tokens made before are void',
  )
}
