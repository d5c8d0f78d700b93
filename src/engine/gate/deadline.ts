/**
 * The time that one call has.
 *
 * INVARIANT: `within` settles before the deadline, whatever its work does. Work is told to stop a little earlier, so that it
 * can close its connections and say what became of the call; work that does not end even then is no longer waited for.
 */
import { Failure } from '../../core/failure.ts'

/** By when every call is answered, whatever a mail server does. The `inbox` set has a deadline of its own. */
export const CALL_DEADLINE_MS = 60_000
/** Parts of the whole time: when work is told to stop, and when it is no longer waited for. The rest is for the audit record. */
const STOP_AT = 0.9
const GIVE_UP_AT = 0.97

export class Deadline {
  readonly #stop = new AbortController()
  readonly #givenUp = Promise.withResolvers<never>()
  readonly #timers: readonly NodeJS.Timeout[]
  readonly #caller: AbortSignal
  /** What `within` rejects with when it no longer waits for its work. */
  readonly late: Failure

  constructor(ms: number, caller: AbortSignal) {
    const seconds = Math.round(ms / 100) / 10
    const what = `the call was not finished within its ${seconds} s and was stopped; try again, or ask for less at once`
    this.late = new Failure('timeout', what)
    this.#timers = [
      setTimeout(() => this.#stop.abort(new Failure('timeout', what)), ms * STOP_AT),
      setTimeout(() => this.#givenUp.reject(this.late), ms * GIVE_UP_AT),
    ]
    // Nobody may be waiting when it rejects.
    this.#givenUp.promise.catch(() => undefined)
    this.#caller = caller
    caller.addEventListener('abort', this.#leave, { once: true })
    if (caller.aborted) this.#leave()
  }

  /** Aborts when the work has to stop: shortly before the deadline, or when the caller no longer wants the answer. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  async within<T>(work: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted()
    return Promise.race([work(), this.#givenUp.promise])
  }

  /** The call is over. */
  end(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#caller.removeEventListener('abort', this.#leave)
  }

  readonly #leave = (): void => {
    const { reason } = this.#caller
    this.#stop.abort(reason instanceof Failure ? reason : new Failure('cancelled', 'the caller cancelled the call'))
  }
}
