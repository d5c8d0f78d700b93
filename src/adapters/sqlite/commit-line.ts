/**
 * The line of those who want to write, with group commit.
 *
 * INVARIANT: one transaction for all that wait when its turn comes, and so one flush; each is answered after it. Each is all or
 * nothing by itself: what one of them did wrong undoes none of the others. A lone one waits for nobody.
 *
 * The turn is the end of the current round of the event loop: whatever the same round of input led to is there by then.
 */
import { setImmediate as endOfRound } from 'node:timers/promises'
import { isBusy, isOfDatabase } from './trouble.ts'

/** Keeps one transaction, and the time others wait for it, small. */
const LARGEST_BATCH = 200

interface Job {
  /** Does the work, again where it has to. One that is alone in its transaction is undone with it. */
  run(isAlone: boolean): Ending
  reject(reason: unknown): void
}

interface Ending {
  /** Tells its caller. */
  tell(): void
  /** Takes it back. */
  undo?(): void
}

export interface Transactions {
  /** Runs it in one transaction, all or nothing; waits for other processes. */
  whole<T>(work: () => T): Promise<T>
  /** A part of it that can be undone alone. */
  part<T>(work: () => T): T
  /** Puts on disk what was committed. */
  flush(): Promise<void>
}

export class CommitLine {
  readonly #transactions: Transactions
  readonly #waiting: Job[] = []
  #turns: Promise<void> | undefined

  constructor(transactions: Transactions) {
    this.#transactions = transactions
  }

  /** `undo` takes back what was committed and may not last. */
  add<T>(work: () => T, undo?: (done: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ run: (isAlone) => this.#ending(work, isAlone, resolve, reject, undo), reject })
      this.#turns ??= this.#takeTurns()
    })
  }

  async idle(): Promise<void> {
    await this.#turns
  }

  #ending<T>(
    work: () => T,
    isAlone: boolean,
    resolve: (value: T) => void,
    reject: (reason: unknown) => void,
    undo?: (done: T) => void,
  ): Ending {
    try {
      const value = isAlone ? work() : this.#transactions.part(work)
      return { tell: () => resolve(value), ...(undo && { undo: () => undo(value) }) }
    } catch (error) {
      // The database may have undone the whole transaction by itself.
      if (isAlone || isOfDatabase(error)) throw error
      return { tell: () => reject(error) }
    }
  }

  async #takeTurns(): Promise<void> {
    while (this.#waiting.length > 0) {
      await endOfRound()
      await this.#commit(this.#waiting.splice(0, LARGEST_BATCH))
    }
    this.#turns = undefined
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    let endings: readonly Ending[]
    try {
      endings = await this.#transactions.whole(() => jobs.map((job) => job.run(jobs.length === 1)))
    } catch (error) {
      if (jobs.length > 1 && !isBusy(error)) return this.#commitEach(jobs)
      for (const job of jobs) job.reject(error)
      return
    }
    await this.#flushed(jobs, endings)
  }

  /** What is committed but may not last is called failed, and is never done again: somebody may have seen it. */
  async #flushed(jobs: readonly Job[], endings: readonly Ending[]): Promise<void> {
    try {
      await this.#transactions.flush()
    } catch (error) {
      for (const { undo } of endings) if (undo !== undefined) await this.#undone(undo)
      for (const job of jobs) job.reject(error)
      return
    }
    for (const { tell } of endings) tell()
  }

  /** Before anybody's next turn. What cannot be undone stays, and was called failed all the same. */
  async #undone(undo: () => void): Promise<void> {
    await this.#transactions.whole(undo).catch(() => undefined)
  }

  async #commitEach(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) await this.#commit([job])
  }
}
