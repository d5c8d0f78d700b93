/** What can go wrong with the files of a tree, in our words. */
import { Failure } from '../../core/failure.ts'

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'that disk cannot be written',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of that path is no directory',
  EEXIST: 'somebody else put something there at the same time; run "postern setup" again',
  ENOTEMPTY: 'somebody else put something there at the same time; run "postern setup" again',
}

export function treeFailure(directory: string, error: unknown): unknown {
  if (error instanceof Failure) return error
  const code = codeOf(error)
  if (code === undefined) return error
  const reason = REASONS[code] ?? 'it cannot be read or written'
  return new Failure('unavailable', `the configuration in ${directory} was not changed: ${reason}`, { cause: error })
}
