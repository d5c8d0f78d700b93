/** What can go wrong with the file of another program, in our words. */
import { Failure } from '../../core/failure.ts'

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not change it',
  EPERM: 'this user may not change it',
  EROFS: 'it lies on a disk that cannot be written',
  ENOSPC: 'the disk is full',
  EISDIR: 'it is a directory',
  ENOTDIR: 'part of its path is no directory',
  ELOOP: 'its links lead in a circle',
}

export function fileFailure(file: string, error: unknown): unknown {
  if (error instanceof Failure) {
    if (error.code === 'conflict') return error
    return new Failure(error.code, `${file} was left alone: ${error.message}`, { cause: error })
  }
  const code = codeOf(error)
  if (code === undefined) return error
  return new Failure('unavailable', `${file} was left alone: ${REASONS[code] ?? 'it cannot be read or written'}`, {
    cause: error,
  })
}
