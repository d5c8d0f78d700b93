/**
 * What can go wrong with secrets, in our words.
 *
 * INVARIANT: no secret is in a message, a cause or a detail. A ref that is not well-formed is not quoted either: somebody
 * may have written the secret itself in its place.
 */
import { Failure } from '../../core/failure.ts'

const STAGE = 'secrets'

export function badRef(why: string): Failure {
  return new Failure('invalid_input', `a secret reference ${why}; write it as secret://path/segments`, { stage: STAGE })
}

export function noSecret(ref: string, where: string, cause?: unknown): Failure {
  return new Failure('not_found', `there is no secret ${ref}: ${where}`, { stage: STAGE, cause })
}

export function unfit(ref: string, why: string): Failure {
  return new Failure('unreadable', `the secret ${ref} cannot be used: ${why}`, { stage: STAGE })
}

export function tooLarge(ref: string, mostBytes: number): Failure {
  return new Failure('too_large', `the secret ${ref} is larger than ${mostBytes} bytes`, { stage: STAGE })
}

export function unfitToWrite(ref: string, why: string): Failure {
  return new Failure('invalid_input', `the secret ${ref} was not stored: ${why}`, { stage: STAGE })
}

export function leadsOut(ref: string): Failure {
  return new Failure(
    'rejected',
    `the secret ${ref} lies outside the secret store: a symbolic link leads out of its directory; move the file into it`,
    { stage: STAGE },
  )
}

export function readOnly(why: string): Failure {
  return new Failure('unsupported', why, { stage: STAGE })
}

export function storeUnavailable(message: string, cause?: unknown): Failure {
  return new Failure('unavailable', message, { stage: STAGE, cause })
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'this user may not open it',
  EPERM: 'this user may not open it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'its disk quota is used up',
  EISDIR: 'there is a directory in its place',
  ENOTEMPTY: 'there is a directory in its place',
  ENOTDIR: 'there is a file where a directory should be',
  EEXIST: 'there is a file where a directory should be',
  ELOOP: 'symbolic links lead in a circle',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'its disk reports errors',
}

/** A file system's refusal. Its own words name a path at most. */
export function fileFailure(ref: string, cause: unknown): unknown {
  const code = codeOf(cause)
  if (cause instanceof Failure || code === '') return cause
  return storeUnavailable(`the secret ${ref} cannot be reached: ${WHY[code] ?? 'its file cannot be opened'}`, cause)
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
