/** Waits, and stops waiting at once when it is told to. Never keeps the process alive. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>

/** Resolves after so long, or when `signal` aborts. */
export const pause: Pause = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    timer.unref()
    signal.addEventListener('abort', done)
  })
