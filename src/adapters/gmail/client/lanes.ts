/**
 * How many requests are under way at once.
 *
 * INVARIANT: never more than there are lanes; who waits is let in in the order they came, and leaves the line when it gives up.
 */
import { abortFailure, throwIfAborted } from '../failures.ts'

export class Lanes {
  #free: number
  readonly #line = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    throwIfAborted(signal)
    if (this.#free > 0) {
      this.#free -= 1
      return
    }
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = (): void => {
        this.#line.delete(enter)
        reject(abortFailure(signal))
      }
      this.#line.add(enter)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** The lane goes to the first in line, if there is one. */
  #leave(): void {
    const [next] = this.#line
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#line.delete(next)
    next()
  }
}
