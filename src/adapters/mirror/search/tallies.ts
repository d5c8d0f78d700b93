/**
 * Counts that outlive arrivals: what has come since is counted by itself and added.
 *
 * INVARIANT: a count is the one that counting everything would give. It is carried on only while nothing that it counted was
 * removed, indexed anew or, where it asks for flags, flagged otherwise; and only from a moment at which all was indexed, since
 * what was not would be counted twice once it is.
 */
import type { FolderRow } from '../folders.ts'

const MOST_KEPT = 200
/** To ask so many one by one is quicker than to count everything; for many more it is not. */
const MOST_ARRIVED = 100

/** Of everything, or of those that were indexed after that one. Always as many numbers. */
export type Count = (after: number | undefined) => readonly number[]

interface Tally {
  readonly standing: string
  /** The last message that it counted, by its number. */
  readonly upTo: number
  readonly counts: readonly number[]
}

export interface Counted {
  /** Tells it from all others. */
  readonly question: string
  readonly asksFlags: boolean
  /** Where it counts. */
  readonly folders: readonly FolderRow[]
  /** The message that was indexed last, by its number. */
  readonly upTo: number
}

export class Tallies {
  readonly #kept = new Map<string, Tally>()

  of({ question, asksFlags, folders, upTo }: Counted, count: Count): readonly number[] {
    if (folders.some(({ kept, indexed }) => kept !== indexed)) return count(undefined)
    const standing = folders.map(({ id, gone, flagged }) => `${id} ${gone} ${asksFlags ? flagged : ''}`).join()
    const known = this.#kept.get(question)
    if (known?.standing === standing && known.upTo === upTo) return known.counts
    const counts = known?.standing === standing && isNear(known, upTo) ? carried(known, count) : count(undefined)
    this.#keep(question, { standing, upTo, counts })
    return counts
  }

  forget(): void {
    this.#kept.clear()
  }

  /** The one that was asked for last is the last to go. */
  #keep(question: string, tally: Tally): void {
    this.#kept.delete(question)
    this.#kept.set(question, tally)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }
}

function isNear(known: Tally, upTo: number): boolean {
  return upTo >= known.upTo && upTo - known.upTo <= MOST_ARRIVED
}

function carried(known: Tally, count: Count): readonly number[] {
  const more = count(known.upTo)
  return known.counts.map((many, at) => many + (more[at] ?? 0))
}
