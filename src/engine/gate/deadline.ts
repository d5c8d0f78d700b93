/** Bounds a piece of work in time: it is told to stop when the caller leaves or its time is up. */
import { Failure } from '../../core/failure.ts'

export async function withDeadline<T>(
  caller: AbortSignal,
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const leave = (): void => stop.abort(caller.reason instanceof Failure ? caller.reason : cancelled())
  const seconds = Math.round(deadlineMs / 1000)
  const late = (): void => stop.abort(new Failure('timeout', `the call took longer than ${seconds} s and was stopped`))
  if (caller.aborted) leave()
  caller.addEventListener('abort', leave, { once: true })
  const timer = setTimeout(late, deadlineMs)
  try {
    stop.signal.throwIfAborted()
    return await work(stop.signal)
  } finally {
    clearTimeout(timer)
    caller.removeEventListener('abort', leave)
  }
}

function cancelled(): Failure {
  return new Failure('cancelled', 'the caller cancelled the call')
}
