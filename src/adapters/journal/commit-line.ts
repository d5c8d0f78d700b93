/**
 * The line of those who want to write, with group commit.
 *
 * INVARIANT: one transaction for all that wait when its turn comes, and so one sync; each is answered after it, and gets
 * its own ending: what one of them did wrong fails none of the others. A lone one waits for nobody.
 *
 * The turn is the end of the current round of the event loop: whatever the same round of input led to is there by then.
 */
import { setImmediate as endOfRound } from 'node:timers/promises'
import { isBusy, journalFailure } from './failures.ts'

/** Keeps one transaction, and the time others wait for it, small. */
const LARGEST_BATCH = 1000

interface Job {
  /** Does the work, again where it has to, and returns what tells its caller. */
  run(): () => void
  reject(reason: unknown): void
}

export class CommitLine {
  /** Runs it in one transaction, all or nothing; waits for other processes. */
  readonly #transaction: <T>(work: () => T) => Promise<T>
  readonly #waiting: Job[] = []
  #turns: Promise<void> | undefined

  constructor(transaction: <T>(work: () => T) => Promise<T>) {
    this.#transaction = transaction
  }

  add<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        const value = work()
        return () => resolve(value)
      }
      this.#waiting.push({ run, reject })
      this.#turns ??= this.#takeTurns()
    })
  }

  async idle(): Promise<void> {
    await this.#turns
  }

  async #takeTurns(): Promise<void> {
    while (this.#waiting.length > 0) {
      await endOfRound()
      await this.#commit(this.#waiting.splice(0, LARGEST_BATCH))
    }
    this.#turns = undefined
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    try {
      const answers = await this.#transaction(() => jobs.map((job) => job.run()))
      for (const answer of answers) answer()
    } catch (error) {
      if (jobs.length > 1 && !isBusy(error)) return this.#commitEach(jobs)
      for (const job of jobs) job.reject(journalFailure(error))
    }
  }

  async #commitEach(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) await this.#commit([job])
  }
}
