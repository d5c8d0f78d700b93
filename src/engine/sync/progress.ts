/**
 * How far a sync has come, and how long it will still take.
 *
 * INVARIANT: at most ten reports a second, however fast it goes and however many folders there are.
 */
import type { Clock } from '../../ports/clock.ts'

export interface SyncProgress {
  readonly account: string
  readonly mailbox: string
  /** First what listings show of every message, then what it can be found by. */
  readonly phase: 'headers' | 'texts'
  readonly done: number
  readonly total: number
  readonly perSecond: number
  /** Absent until there is anything to reckon from. */
  readonly secondsLeft: number | undefined
}

export type OnProgress = (progress: SyncProgress) => void

const LEAST_MS = 100

/** When the last report went out, over all phases of a sync. */
export interface LastReport {
  at: number
}

/** One phase of one folder. */
export class Meter {
  readonly #what: Pick<SyncProgress, 'account' | 'mailbox' | 'phase'>
  readonly #clock: Clock
  readonly #report: OnProgress
  readonly #last: LastReport
  readonly #began: number
  readonly #before: number
  readonly #total: number
  #done: number

  /** `done` is what an earlier run did: it does not count for how fast this one is. */
  constructor(
    what: Pick<SyncProgress, 'account' | 'mailbox' | 'phase'> & { readonly done: number; readonly total: number },
    clock: Clock,
    report: OnProgress,
    last: LastReport,
  ) {
    const { account, mailbox, phase, done, total } = what
    this.#what = { account, mailbox, phase }
    this.#clock = clock
    this.#report = report
    this.#last = last
    this.#began = clock.elapsed()
    this.#before = done
    this.#done = done
    this.#total = total
  }

  add(count: number): void {
    this.#done += count
    const now = this.#clock.elapsed()
    if (now - this.#last.at < LEAST_MS) return
    this.#last.at = now
    this.#report(this.#progress(now))
  }

  #progress(now: number): SyncProgress {
    const seconds = (now - this.#began) / 1000
    const perSecond = seconds > 0 ? (this.#done - this.#before) / seconds : 0
    const total = Math.max(this.#total, this.#done)
    const secondsLeft = perSecond > 0 ? (total - this.#done) / perSecond : undefined
    return { ...this.#what, done: this.#done, total, perSecond, secondsLeft }
  }
}
