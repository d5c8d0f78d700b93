/**
 * The line of those who want to write in an audit directory, with group commit.
 *
 * INVARIANT: one flush is under way at a time; whatever is appended meanwhile goes into the next one together, so that
 * sixteen records cost about as much as one. A record is acknowledged only after its flush. When the log cannot be
 * written, every append fails as `unavailable`, and what was to be recorded must not happen.
 */
import type { AuditEntry } from '../../core/audit/record.ts'
import { cannotWrite, isClosed } from './failures.ts'
import type { DirectoryLock } from './lock.ts'

/** Keeps one write, and the time the lock is held for it, small. */
const LARGEST_BATCH = 1000

interface Pending {
  readonly entry: AuditEntry
  readonly resolve: (value: { readonly seq: number }) => void
  readonly reject: (reason: unknown) => void
}

export interface GroupCommitParts {
  readonly lock: DirectoryLock
  /** Before the lock is first taken. */
  prepare(): Promise<void>
  /** Returns each entry's number. */
  write(entries: readonly AuditEntry[]): Promise<readonly number[]>
  /** After each flush, still under the lock, when its records are acknowledged already. Never fails. */
  acknowledged(): Promise<void> | undefined
}

export class GroupCommit {
  readonly #parts: GroupCommitParts
  #pending: Pending[] = []
  #lastInLine: Promise<void> = Promise.resolve()
  #flushInLine = false
  #prepared = false
  #closed = false

  constructor(parts: GroupCommitParts) {
    this.#parts = parts
  }

  append(entry: AuditEntry): Promise<{ readonly seq: number }> {
    if (this.#closed) return Promise.reject(isClosed())
    return new Promise((resolve, reject) => {
      this.#pending.push({ entry, resolve, reject })
      this.#lineUpFlush()
    })
  }

  /** Runs `work` in its turn, when nobody else writes, in this process or another. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(isClosed())
    return this.#lineUp(work)
  }

  /** Waits for what is under way, then does what `last` says is left to do. Afterwards nothing is accepted. */
  async close(last: () => (() => Promise<void>) | undefined): Promise<void> {
    this.#closed = true
    while (this.#flushInLine) await this.#lastInLine
    await this.#lastInLine
    const work = last()
    if (work !== undefined) await this.#lineUp(work)
  }

  #lineUp<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastInLine.then(() => this.#underLock(work))
    this.#lastInLine = done.then(
      () => undefined,
      () => undefined,
    )
    return done
  }

  #lineUpFlush(): void {
    if (this.#flushInLine) return
    this.#flushInLine = true
    this.#lastInLine = this.#lastInLine.then(() => this.#flush())
  }

  async #flush(): Promise<void> {
    this.#flushInLine = false
    const batch = this.#pending.splice(0, LARGEST_BATCH)
    if (this.#pending.length > 0) this.#lineUpFlush()
    try {
      await this.#underLock(() => this.#writeBatch(batch))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async #writeBatch(batch: readonly Pending[]): Promise<void> {
    const numbers = await this.#parts.write(batch.map(({ entry }) => entry))
    for (const [index, seq] of numbers.entries()) batch[index]?.resolve({ seq })
    const after = this.#parts.acknowledged()
    if (after !== undefined) await after
  }

  async #underLock<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (!this.#prepared) await this.#parts.prepare()
      this.#prepared = true
      await this.#parts.lock.acquire()
    } catch (error) {
      this.#prepared = false
      throw cannotWrite(error)
    }
    try {
      return await work()
    } catch (error) {
      throw cannotWrite(error)
    } finally {
      this.#parts.lock.release()
    }
  }
}
