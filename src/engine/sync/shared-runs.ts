/**
 * One piece of work for everybody who wants the same at the same time.
 *
 * INVARIANT: whoever joins did so before the work asked the outside world anything, so that nobody gets an answer that is
 * older than his question. The work is stopped when the last of those who wait for it has gone.
 */
import { stopped } from './stopped.ts'

interface Run<T> {
  readonly result: Promise<T>
  readonly stop: AbortController
  waiting: number
}

export class SharedRuns<T> {
  /** Those that may still be joined. */
  readonly #open = new Map<string, Run<T>>()

  /** `work` calls `begin` when from then on nobody may join any more. */
  run(key: string, work: (begin: () => void, signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (signal.aborted) return Promise.reject(stopped(signal))
    const run = this.#open.get(key) ?? this.#start(key, work)
    run.waiting += 1
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        run.waiting -= 1
        if (run.waiting === 0) {
          if (this.#open.get(key) === run) this.#open.delete(key)
          run.stop.abort(stopped(signal))
        }
        reject(stopped(signal))
      }
      signal.addEventListener('abort', leave, { once: true })
      void run.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }

  #start(key: string, work: (begin: () => void, signal: AbortSignal) => Promise<T>): Run<T> {
    const stop = new AbortController()
    const close = (): void => {
      if (this.#open.get(key) === run) this.#open.delete(key)
    }
    // Begun a moment later, when it is known to all who ask in the same breath.
    const result = Promise.resolve()
      .then(() => work(close, stop.signal))
      .finally(close)
    const run: Run<T> = { result, stop, waiting: 0 }
    this.#open.set(key, run)
    return run
  }
}
