/**
 * Long work, done a little at a time so that others get their turn.
 *
 * INVARIANT: whoever asks between two small steps holds the thread for about `TURN_MS` at most, and no longer than its
 * call is wanted.
 */
const TURN_MS = 15

export class Turns {
  readonly #signal: AbortSignal
  #began = performance.now()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Whether it is time to `rest`. Told apart from it since most steps are far shorter than a promise takes. */
  get over(): boolean {
    return performance.now() - this.#began > TURN_MS
  }

  async rest(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    this.#signal.throwIfAborted()
    this.#began = performance.now()
  }
}
