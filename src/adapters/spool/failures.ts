/** Why a message on its way could not be kept, in our words. */
import { Failure } from '../../core/failure.ts'

const WHY: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'files may not grow so large',
  EACCES: 'the spool directory may not be used',
  EPERM: 'the spool directory may not be used',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'something else is in the place of its directory or file',
  EEXIST: 'something else is in the place of its directory or file',
  EISDIR: 'something else is in the place of its directory or file',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk reports errors',
}

export function spoolFailure(cause: unknown): unknown {
  const code = codeOf(cause)
  if (cause instanceof Failure || code === '') return cause
  const why = WHY[code] ?? 'its file cannot be used'
  return new Failure('unavailable', `a message on its way cannot be kept: ${why}`, { cause, stage: 'spool' })
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
