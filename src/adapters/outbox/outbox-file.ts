/**
 * The file of an outbox, and the lock by which others see that what is claimed in it has an owner.
 *
 * INVARIANT: what is read and written is in the file that others find at its place. What keeps it from being tidied keeps
 * nobody from reading.
 */
import type { DatabaseFile, DatabaseFiles } from '../../ports/database-files.ts'
import type { FileLocks } from '../../ports/file-locks.ts'
import { attemptsTableIn } from './attempts-table.ts'
import { entriesTableIn } from './entries-table.ts'
import { isClosed, OUTBOX_WORDS } from './failures.ts'
import { holdOwnerLock, isAlive, type OwnerLock, tidyLocks } from './owner-lock.ts'
import { OUTBOX_FILE } from './schema.ts'
import type { Tables } from './steps.ts'

export interface OutboxFileParts {
  readonly path: string
  readonly locks: FileLocks
  readonly databases: DatabaseFiles
  /** What was over before that goes. */
  keptSince(): number
}

export class OutboxFile {
  readonly #parts: OutboxFileParts
  readonly #file: DatabaseFile
  #tables: Tables | undefined
  #owner: OwnerLock | undefined
  #isTidied = false
  #isClosed = false

  constructor(parts: OutboxFileParts) {
    this.#parts = parts
    this.#file = parts.databases.file(parts.path, OUTBOX_FILE)
  }

  async write<T>(work: (to: Tables) => T, undo?: (to: Tables, done: T) => void): Promise<T> {
    this.#look()
    const tidied = (): Tables => this.#tidied(this.#ready())
    return this.#file.commit(() => work(tidied()), undo && ((done) => undo(this.#ready(), done)))
  }

  async read<T>(work: (from: Tables) => T): Promise<T> {
    this.#look()
    return this.#file.patiently(() => {
      const from = this.#ready()
      try {
        this.#tidied(from)
      } catch {
        // A full disk, or somebody who writes: both can be read, and what is over goes another time.
      }
      return work(from)
    })
  }

  ownToken(): string {
    this.#owner ??= holdOwnerLock(this.#parts.locks, this.#parts.path)
    return this.#owner.token
  }

  isOwn(token: string): boolean {
    return token === this.#owner?.token
  }

  lives(token: string): boolean {
    return this.isOwn(token) || isAlive(this.#parts.locks, this.#parts.path, token)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#file.idle()
    this.#file.close()
    this.#disown()
  }

  /** The lock may have gone with the file, and nobody can find what was claimed in it. */
  #look(): void {
    if (this.#isClosed) throw isClosed(OUTBOX_WORDS)
    if (this.#file.shutIfReplaced()) this.#disown()
  }

  #disown(): void {
    this.#owner?.release()
    this.#owner = undefined
  }

  #ready(): Tables {
    this.#tables ??= this.#opened()
    return this.#tables
  }

  /** Locks are tidied once the file is there, so that its directory is. */
  #opened(): Tables {
    const entries = entriesTableIn(this.#file)
    tidyLocks(this.#parts.locks, this.#parts.path)
    return { entries, attempts: attemptsTableIn(this.#file) }
  }

  /** What is over for long goes, once. */
  #tidied(to: Tables): Tables {
    if (this.#isTidied) return to
    this.#isTidied = true
    const before = this.#parts.keptSince()
    if (to.entries.hasEnded(before)) this.#file.write(() => to.entries.prune(before))
    return to
  }
}
