/** Why an attachment could not be saved, in our words. */
import { Failure } from '../../core/failure.ts'

const WHY: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'files may not grow so large',
  EACCES: 'the attachment directory may not be written',
  EPERM: 'the attachment directory may not be written',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'something else is in the place of its directory or file',
  EEXIST: 'something else is in the place of its directory or file',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk reports errors',
}

export function cannotSave(cause: unknown): unknown {
  const code = codeOf(cause)
  if (code === '' || cause instanceof Failure) return cause
  const why = WHY[code] ?? 'writing its file failed'
  return new Failure('unavailable', `the attachment could not be saved: ${why}`, { cause, stage: 'attachment' })
}

export function tooLarge(mostBytes: number): Failure {
  const message = 'the attachment could not be saved: it is larger than all attachments together may be'
  return new Failure('too_large', message, { stage: 'attachment', details: { most_bytes: mostBytes } })
}

/** Where nothing may be removed to make room. */
export function isFull(mostBytes: number): Failure {
  const message =
    'the attachment could not be saved: those in the attachment directory take as much room as they may; ask the user to remove some'
  return new Failure('unavailable', message, { stage: 'attachment', details: { most_bytes: mostBytes } })
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
