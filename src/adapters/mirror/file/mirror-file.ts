/**
 * The file of a mirror with what is remembered of it, and who may write it.
 *
 * INVARIANT: nothing is remembered of a file that is no longer there, nor of a write that failed. Every write is one
 * transaction under our lease. A mirror is a copy: where `onDamaged` is given, a damaged file is set aside under the lease, and a
 * new one is begun in its place.
 */
import { existsSync, rmSync, statSync } from 'node:fs'
import type { DatabaseFiles } from '../../../ports/database-files.ts'
import type { FileLocks } from '../../../ports/file-locks.ts'
import { damagedElsewhere, isDamaged, setAsideMeanwhile } from '../failures.ts'
import { Verdicts } from '../search/verdicts.ts'
import { Sets } from '../sets.ts'
import { MirrorDatabase } from './database.ts'
import { leaseOf, MirrorLease } from './lease.ts'
import { setAsidePath } from './path.ts'

export class MirrorFile {
  readonly db: MirrorDatabase
  readonly sets: Sets
  /** The same for as long as there are searches: each of them must notice that the file is another one. */
  readonly verdicts: Verdicts
  readonly #path: string
  readonly #lease: MirrorLease
  readonly #onDamaged: (() => void) | undefined
  #repairing: Promise<boolean> | undefined

  constructor(path: string, locks: FileLocks, databases: DatabaseFiles, onDamaged?: () => void) {
    this.#path = path
    this.#onDamaged = onDamaged
    this.db = new MirrorDatabase(databases, path)
    this.sets = new Sets(this.db)
    this.#lease = new MirrorLease(locks, path)
    this.verdicts = new Verdicts(this.db)
  }

  read<T>(work: () => T): Promise<T> {
    return this.asked(() => this.db.read(work))
  }

  /** As `patiently`; where the file is damaged, the new one is asked, which knows nothing yet. */
  async asked<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await this.db.patiently(work)
    } catch (error) {
      await this.#requireRepair(error)
      return this.db.patiently(work)
    }
  }

  async write(work: () => void): Promise<void> {
    this.#lease.require()
    try {
      await this.db.patiently(() => this.db.write(work))
    } catch (error) {
      this.sets.forget()
      await this.#requireRepair(error)
      // What was to be written belongs to what is no longer there.
      throw setAsideMeanwhile(error)
    }
  }

  /**
   * Whether it is ours now. An older file is brought up, a newer one refused, before anybody may write; and not before it is
   * ours: whoever has it may know the older tables only, and goes on writing those.
   */
  async takeLease(): Promise<boolean> {
    await this.#repairing
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
    for (const path of [leaseOf(this.#path), setAsidePath(this.#path)]) rmSync(path, { force: true })
    this.#startAnew()
    return true
  }

  close(): void {
    this.#lease.release()
    this.db.close()
  }

  #bringUp(): Promise<void> {
    return this.asked(() => this.db.write(() => this.db.refuseNewer()))
  }

  /** Returns once the damaged file is out of the way; throws what it was given where it is no damage, or stays. */
  async #requireRepair(error: unknown): Promise<void> {
    if (this.#onDamaged === undefined || !isDamaged(error)) throw error
    this.#repairing ??= this.#repair(this.#onDamaged).finally(() => {
      this.#repairing = undefined
    })
    if (!(await this.#repairing)) throw damagedElsewhere(error)
  }

  /** False while another process writes: it comes upon the damage itself. */
  async #repair(onDamaged: () => void): Promise<boolean> {
    this.lookAgain()
    const damaged = inodeOf(this.#path)
    const wasOurs = this.#lease.isHeld
    if (!(await this.db.patiently(() => this.#lease.take()))) return false
    try {
      // Another process may have set it aside before us.
      if (inodeOf(this.#path) === damaged) {
        this.db.setAside(setAsidePath(this.#path))
        this.sets.forget()
        this.verdicts.letGo()
        onDamaged()
      }
      return true
    } finally {
      if (!wasOurs) this.#lease.release()
    }
  }

  #startAnew(): void {
    this.#lease.release()
    this.sets.forget()
    this.verdicts.letGo()
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino
}
