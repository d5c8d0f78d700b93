/**
 * How long an answer waits for the mail server when the local index could give it instead.
 *
 * INVARIANT: much shorter than any call's deadline. `ask` ends with the answer or, once the server has not answered for that
 * long, with a `timeout`, and what was asked is called off. After that the server is left alone for a while, so that one call
 * does not wait for it several times.
 */
import { Failure } from '../../core/failure.ts'
import type { Clock } from '../../ports/clock.ts'

export const SERVER_PATIENCE_MS = 8000
const LEFT_ALONE_MS = 15_000

export class ServerPatience {
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #patienceMs: number
  #askAgainFrom = 0

  constructor(clock: Pick<Clock, 'elapsed'>, patienceMs = SERVER_PATIENCE_MS) {
    this.#clock = clock
    this.#patienceMs = patienceMs
  }

  async ask<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#clock.elapsed() < this.#askAgainFrom) throw noAnswer()
    const late = new AbortController()
    const timer = setTimeout(() => {
      this.#askAgainFrom = this.#clock.elapsed() + LEFT_ALONE_MS
      late.abort(noAnswer())
    }, this.#patienceMs)
    try {
      const answer = await work(AbortSignal.any([signal, late.signal]))
      this.#askAgainFrom = 0
      return answer
    } finally {
      clearTimeout(timer)
    }
  }
}

function noAnswer(): Failure {
  return new Failure('timeout', 'the mail server does not answer', { stage: 'connection' })
}
