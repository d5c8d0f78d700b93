/**
 * What a user's calls may cost: 250 quota units a second, as Google counts them.
 *
 * INVARIANT: over any span of time no more is spent than one full bucket and what flowed into it meanwhile; those who wait are
 * served in the order they came, so that a dear call is not starved by cheap ones.
 */
import { abortFailure, throwIfAborted } from '../failures.ts'

export const UNITS_PER_SECOND = 250

export interface QuotaTimes {
  /** Milliseconds that only ever grow. */
  readonly elapsed: () => number
  /** Rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

export class Quota {
  readonly #times: QuotaTimes
  #units = UNITS_PER_SECOND
  #filledAt: number
  #turn: Promise<void> = Promise.resolve()

  constructor(times: QuotaTimes) {
    this.#times = times
    this.#filledAt = times.elapsed()
  }

  /** Resolves when so many units may be spent, and spends them. */
  async take(units: number, signal: AbortSignal): Promise<void> {
    throwIfAborted(signal)
    const before = this.#turn
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#turn = promise
    try {
      await before
      await this.#wait(Math.min(units, UNITS_PER_SECOND), signal)
    } finally {
      resolve()
    }
  }

  async #wait(units: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) throw abortFailure(signal)
      this.#fill()
      if (this.#units >= units) {
        this.#units -= units
        return
      }
      await this.#times.sleep(Math.ceil(((units - this.#units) * 1000) / UNITS_PER_SECOND), signal)
    }
  }

  #fill(): void {
    const now = this.#times.elapsed()
    const flowed = ((now - this.#filledAt) * UNITS_PER_SECOND) / 1000
    this.#units = Math.min(UNITS_PER_SECOND, this.#units + flowed)
    this.#filledAt = now
  }
}

type Costs = readonly (readonly [RegExp, number])[]

/** The first that fits; the table of Google's, where it differs from the rest. */
const READS: Costs = [
  [/^labels/, 1],
  [/^profile$/, 1],
  [/^settings\//, 1],
  [/^history/, 2],
  [/^threads/, 10],
]
const WRITES: Costs = [
  [/^(messages|drafts)\/send$/, 100],
  [/^messages\/batch/, 50],
  [/^messages(\/import)?$/, 25],
  [/^drafts\/./, 15],
  [/^drafts$/, 10],
  [/^threads\//, 10],
]

export function unitsOf(method: string, path: string): number {
  const table = method === 'GET' ? READS : WRITES
  if (method === 'DELETE') return path.startsWith('labels/') ? 5 : 10
  return table.find(([shape]) => shape.test(path))?.[1] ?? 5
}
