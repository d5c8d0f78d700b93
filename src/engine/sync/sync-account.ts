/**
 * Keeps the mirror of one account.
 *
 * INVARIANT: one process at a time writes it, and in this process one task at a time a folder; the server is only ever read.
 */
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import { SyncBoard } from './board.ts'
import { Claims } from './claims.ts'
import { Follower } from './follow.ts'
import { Freshener } from './freshen.ts'
import { FullSync, type SyncReport } from './full-sync.ts'
import { Leases } from './leases.ts'
import type { OnProgress } from './progress.ts'
import { SharedRuns } from './shared-runs.ts'
import type { SyncParts } from './sync-parts.ts'

export class AccountSync {
  readonly #parts: SyncParts
  readonly #leases: Leases
  readonly #claims = new Claims()
  readonly #freshener: Freshener
  readonly #runs = new SharedRuns<MirroredFolder | undefined>()
  readonly #follower: Follower

  constructor(parts: SyncParts) {
    this.#parts = parts
    this.#leases = new Leases(parts.store)
    this.#freshener = new Freshener(parts, this.#leases, this.#claims)
    const { board = new SyncBoard() } = parts
    this.#follower = new Follower(parts, {
      syncAll: (signal) => board.during((report) => this.syncAll(report, signal)),
      freshen: (mailbox, signal) => this.freshen(mailbox, signal),
    })
  }

  /** First sync or catch-up of every folder. A sync that was stopped, or killed, goes on where it was. */
  syncAll(onProgress: OnProgress, signal: AbortSignal): Promise<SyncReport> {
    const run = (): Promise<SyncReport> => new FullSync(this.#parts, this.#claims, onProgress, signal).run()
    return this.#leases.holding<SyncReport, SyncReport>(run, () => ({ kind: 'busy' }))
  }

  /**
   * The folder as the server has it now, for an answer from the mirror; undefined where the answer must come from the server.
   * Rejects where the server cannot be asked.
   */
  async freshen(mailbox: string, signal: AbortSignal): Promise<MirroredFolder | undefined> {
    const work = (begin: () => void, stop: AbortSignal): Promise<MirroredFolder | undefined> =>
      this.#freshener.freshen(mailbox, begin, stop)
    const folder = await this.#runs.run(mailbox, work, signal).catch((error: unknown) => {
      // What took too long for an answer goes on without one.
      if (signal.aborted) this.#follower.wake()
      throw error
    })
    // One that is not mirrored may not even be there: that is seen when all are looked at.
    if (folder === undefined && (await this.#parts.store.folder(mailbox)) !== undefined) this.#follower.wake()
    return folder
  }

  /** Has everything looked at soon, where the account is followed. */
  wake(): void {
    this.#follower.wake()
  }

  /** Until `signal` aborts. Never rejects. */
  follow(signal: AbortSignal): Promise<void> {
    return this.#follower.follow(signal)
  }
}
