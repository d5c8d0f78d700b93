/** The file system's words, turned into ours. Paths are the user's own, so they may be named. */
import { Failure } from '../../core/failure.ts'

export function throwIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return
  if (signal.reason instanceof Failure) throw signal.reason
  throw new Failure('cancelled', 'the import was stopped', { cause: signal.reason })
}

export async function translated<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toFailure(path, error)
  }
}

function toFailure(path: string, error: unknown): unknown {
  const code = errorCode(error)
  if (error instanceof Failure || code === undefined) return error
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new Failure('not_found', `there is nothing at ${path}`, { cause: error })
  if (code === 'EACCES' || code === 'EPERM') return new Failure('rejected', `${path} may not be read`, { cause: error })
  return new Failure('unreadable', `${path} could not be read`, { cause: error })
}

export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
