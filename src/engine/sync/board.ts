/**
 * Where the sync of an account says how far it has come, for whoever waits meanwhile.
 *
 * INVARIANT: says something only while the account is being synced in this process.
 */
import type { OnProgress, SyncProgress } from './progress.ts'

export class SyncBoard {
  #latest: SyncProgress | undefined

  get latest(): SyncProgress | undefined {
    return this.#latest
  }

  /** What `work` reports stands here until it has ended. */
  async during<T>(work: (report: OnProgress) => Promise<T>): Promise<T> {
    try {
      return await work((progress) => {
        this.#latest = progress
      })
    } finally {
      this.#latest = undefined
    }
  }
}
