/** What the file system says about the vault, in our words. */
import { Failure } from '../../core/failure.ts'

const WHY: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'its folders may not be read and written',
  EPERM: 'its folders may not be read and written',
  EROFS: 'its file system is read-only',
  ENOTDIR: 'something else is in the place of one of its folders',
  EEXIST: 'something else is in the place of one of its folders',
  EISDIR: 'a folder is in the place of one of its files',
  ENAMETOOLONG: 'a name in it is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'its disk reports errors',
}

export function vaultFailure(cause: unknown): unknown {
  const code = codeOf(cause)
  return cause instanceof Failure || code === '' ? cause : unusable(WHY[code] ?? 'its files cannot be used', cause)
}

export function isNoFolder(folder: string): Failure {
  return unusable(`${folder} in it is a link or no folder; put a folder there`)
}

export function unfitName(): Failure {
  return new Failure('invalid_input', 'that cannot be the name of a file in the vault', { stage: 'vault' })
}

export function tooManyRecipients(): Failure {
  const message = 'the letter has more recipients than a person could look through; write to fewer'
  return new Failure('too_large', message, { stage: 'vault' })
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT'
}

function unusable(why: string, cause?: unknown): Failure {
  return new Failure('unavailable', `the vault cannot be used: ${why}`, { cause, stage: 'vault' })
}
