/**
 * What an audit directory needs without being asked: its days ended soon after midnight, checkpoints when nobody writes
 * for long, old files compressed and deleted.
 *
 * INVARIANT: begins after the first record, in the background, and keeps no process alive. What goes wrong is logged.
 */
import { dayAfter, dayOf } from '../../core/audit/day.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'

/** After the first record: its answer goes first. */
const SETTLE_MS = 100
/** After midnight; processes need not all come at once. */
const AFTER_MIDNIGHT_MS = 100
/** Machines sleep, and their clocks are set. */
const LONGEST_WAIT_MS = 600_000

export interface Chores {
  /** Signs what is not signed yet. */
  checkpoint(): Promise<void>
  endDay(): Promise<void>
  /** At the start and after each day. */
  tidy(signal: AbortSignal): Promise<void>
}

export interface UpkeepParts extends Chores {
  readonly clock: Clock
  readonly log: Log
  readonly checkpointAfterMs: number
}

export class Upkeep {
  readonly #parts: UpkeepParts
  readonly #stopped = new AbortController()
  readonly #timers = new Set<NodeJS.Timeout>()
  #signing = false
  #day: string | undefined
  #tidying: Promise<void> = Promise.resolve()

  constructor(parts: UpkeepParts) {
    this.#parts = parts
  }

  /** There are new records, in the file of `day`. */
  recorded(day: string): void {
    if (this.#stopped.signal.aborted) return
    if (this.#day === undefined) this.#awaitMidnight()
    if (this.#day !== day) this.#tidyLater()
    this.#day = day
    if (this.#signing) return
    this.#signing = true
    this.#after(this.#parts.checkpointAfterMs, async () => {
      this.#signing = false
      await this.#parts.checkpoint()
    })
  }

  /** Resolves when nothing of this is under way any more. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#tidying
  }

  #awaitMidnight(): void {
    const now = this.#parts.clock.now()
    const midnight = Date.parse(dayAfter(dayOf(now)))
    const wait = midnight - now + AFTER_MIDNIGHT_MS * (1 + Math.random())
    this.#after(Math.min(wait, LONGEST_WAIT_MS), async () => {
      this.#awaitMidnight()
      const today = dayOf(this.#parts.clock.now())
      if (this.#day === undefined || this.#day >= today) return
      await this.#parts.endDay()
      this.#day = today
      this.#tidyLater()
    })
  }

  #tidyLater(): void {
    this.#after(SETTLE_MS, () => {
      const { signal } = this.#stopped
      this.#tidying = this.#tidying.then(() => (signal.aborted ? undefined : this.#parts.tidy(signal)))
      const ended = this.#tidying
      this.#tidying = ended.catch(() => undefined)
      return ended
    })
  }

  #after(ms: number, work: () => Promise<void>): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      work().catch((err: unknown) => {
        if (!this.#stopped.signal.aborted) this.#parts.log.warn({ err }, 'the upkeep of the audit log failed')
      })
    }, ms)
    timer.unref()
    this.#timers.add(timer)
  }
}
