/**
 * Keeps a mirror near its server while a server of ours runs: hears of new mail as it comes, and looks at everything now
 * and then.
 *
 * INVARIANT: never throws. After failures it waits longer and longer, never at the same moment as others.
 */
import { Failure } from '../../core/failure.ts'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import type { SyncReport } from './full-sync.ts'
import { pause as realPause } from './pause.ts'
import type { SyncParts } from './sync-parts.ts'

const INBOX = 'INBOX'
const EVERY_MS = 5 * 60_000
/** Another process was at it: it may end before it is done. */
const BUSY_MS = 30_000
const SHORTEST_MS = 1000
const LONGEST_MS = 5 * 60_000
/** A watch that held so long was no failure. */
const HELD_MS = 60_000

/** How long to wait after so many failures in a row. */
export function backOff(failures: number, random: () => number): number {
  const longest = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.min(failures, 30))
  return Math.max(SHORTEST_MS, longest * (0.5 + random() / 2))
}

export interface Syncing {
  syncAll(signal: AbortSignal): Promise<SyncReport>
  freshen(mailbox: string, signal: AbortSignal): Promise<MirroredFolder | undefined>
}

export class Follower {
  readonly #parts: Pick<SyncParts, 'account' | 'feed' | 'log' | 'clock' | 'pause' | 'random'>
  readonly #sync: Syncing
  #bell = new AbortController()
  #refreshing: Promise<void> | undefined
  #again = false
  /** Whether it has been told that something is wrong at present. */
  #told = false

  constructor(parts: SyncParts, sync: Syncing) {
    this.#parts = parts
    this.#sync = sync
  }

  /** Has everything looked at soon. */
  wake(): void {
    this.#bell.abort()
  }

  async follow(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#lookAtAll(signal), this.#watch(signal)])
    await this.#refreshing
  }

  async #lookAtAll(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      this.#bell = new AbortController()
      let wait = EVERY_MS
      try {
        const report = await this.#sync.syncAll(signal)
        const isWell = report.kind === 'busy' || report.folders.every(({ failure }) => failure === undefined)
        failures = isWell ? 0 : failures + 1
        if (isWell) this.#told = false
        if (report.kind === 'busy') wait = BUSY_MS
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        this.#note(error, 'the mirror of an account could not be synced')
      }
      if (failures > 0) wait = this.#backOff(failures)
      // Who rings after a failure waits like everybody else.
      await this.#pause(wait, failures > 0 ? signal : AbortSignal.any([signal, this.#bell.signal]))
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { feed, clock } = this.#parts
    let failures = 0
    while (!signal.aborted) {
      const began = clock.elapsed()
      try {
        await feed.watch(INBOX, () => this.#refresh(signal), signal)
      } catch (error) {
        if (signal.aborted) return
        // Everything is looked at now and then all the same.
        if (error instanceof Failure && error.code === 'unsupported') return
        this.#note(error, 'the inbox is not being watched for the moment')
      }
      if (signal.aborted) return
      failures = clock.elapsed() - began >= HELD_MS ? 1 : failures + 1
      await this.#pause(this.#backOff(failures), signal)
      // What came while nobody listened.
      this.#refresh(signal)
    }
  }

  /** One at a time; what happens meanwhile is looked at afterwards, once. */
  #refresh(signal: AbortSignal): void {
    this.#again = true
    this.#refreshing ??= this.#refreshAll(signal).finally(() => {
      this.#refreshing = undefined
    })
  }

  async #refreshAll(signal: AbortSignal): Promise<void> {
    while (this.#again && !signal.aborted) {
      this.#again = false
      try {
        await this.#sync.freshen(INBOX, signal)
      } catch (error) {
        if (!signal.aborted) this.#note(error, 'the inbox could not be looked at')
      }
    }
  }

  #backOff(failures: number): number {
    return backOff(failures - 1, this.#parts.random ?? Math.random)
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return (this.#parts.pause ?? realPause)(ms, signal)
  }

  #note(error: unknown, message: string): void {
    const { log, account } = this.#parts
    const known = error instanceof Failure
    // The first of several in a row is told; a server that is away for a day is no news every minute.
    log[known ? (this.#told ? 'debug' : 'warn') : 'error'](
      known ? { code: error.code, account: account.id } : { err: error, account: account.id },
      message,
    )
    this.#told = true
  }
}
