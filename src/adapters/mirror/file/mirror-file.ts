/**
 * The file of a mirror with what is remembered of it, and who may write it.
 *
 * INVARIANT: nothing is remembered of a file that is no longer there, nor of a write that failed. Every write is one
 * transaction under our lease.
 */
import { existsSync, rmSync } from 'node:fs'
import type { DatabaseFiles } from '../../../ports/database-files.ts'
import type { FileLocks } from '../../../ports/file-locks.ts'
import { Verdicts } from '../search/verdicts.ts'
import { Sets } from '../sets.ts'
import { MirrorDatabase } from './database.ts'
import { leaseOf, MirrorLease } from './lease.ts'

export class MirrorFile {
  readonly db: MirrorDatabase
  readonly sets: Sets
  /** The same for as long as there are searches: each of them must notice that the file is another one. */
  readonly verdicts: Verdicts
  readonly #path: string
  readonly #lease: MirrorLease

  constructor(path: string, locks: FileLocks, databases: DatabaseFiles) {
    this.#path = path
    this.db = new MirrorDatabase(databases, path)
    this.sets = new Sets(this.db)
    this.#lease = new MirrorLease(locks, path)
    this.verdicts = new Verdicts(this.db)
  }

  read<T>(work: () => T): Promise<T> {
    return this.db.patiently(() => this.db.read(work))
  }

  async write(work: () => void): Promise<void> {
    this.#lease.require()
    try {
      await this.db.patiently(() => this.db.write(work))
    } catch (error) {
      this.sets.forget()
      throw error
    }
  }

  /**
   * Whether it is ours now. An older file is brought up, a newer one refused, before anybody may write; and not before it is
   * ours: whoever has it may know the older tables only, and goes on writing those.
   */
  async takeLease(): Promise<boolean> {
    this.lookAgain()
    // The lock lies beside it, in a directory that is made with it.
    if (!existsSync(this.#path)) await this.#bringUp()
    if (!(await this.db.patiently(() => this.#lease.take()))) return false
    try {
      await this.#bringUp()
    } catch (error) {
      this.#lease.release()
      throw error
    }
    // Others may have written since it was last ours.
    this.sets.forget()
    return true
  }

  releaseLease(): void {
    this.#lease.release()
  }

  /** Every answer begins with a look at a folder: then is the time to notice that the file is another one. */
  lookAgain(): void {
    if (this.db.shutIfReplaced()) this.#startAnew()
  }

  /** Whether it could be ours, whatever is in it. The lock goes last: until then nobody else can begin. */
  async remove(): Promise<boolean> {
    if (existsSync(this.#path) && !(await this.db.patiently(() => this.#lease.take()))) return false
    await this.db.patiently(() => this.db.remove())
    rmSync(leaseOf(this.#path), { force: true })
    this.#startAnew()
    return true
  }

  close(): void {
    this.#lease.release()
    this.db.close()
  }

  #bringUp(): Promise<void> {
    return this.db.patiently(() => this.db.write(() => this.db.refuseNewer()))
  }

  #startAnew(): void {
    this.#lease.release()
    this.sets.forget()
    this.verdicts.letGo()
  }
}
