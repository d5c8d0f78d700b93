/**
 * Puts on disk what was committed, while the thread goes on.
 *
 * SQLite would flush its log itself, and everybody would stand still for the disk. So it only writes the log, and we flush it
 * before anybody hears that a commit is done. Until then another process may see the commit, and whoever builds on it flushes it
 * too: it is one file.
 *
 * INVARIANT: once it resolves, whatever was committed before it was called is on disk, the log's own name included.
 */
import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { syncFolder } from './sync-folder.ts'

export class LogFlush {
  readonly #db: Database
  readonly #path: string
  #log: number | undefined
  /** Not every file system tells. */
  #tellsLinks = false
  #isGone = false
  #isDoubtful = false
  #isFlushing = false
  #isClosed = false

  /** `path` is where the file of `db`, which is in WAL mode, really is; while it is open, its log stays the same file. */
  constructor(db: Database, path: string) {
    this.#db = db
    this.#path = `${path}-wal`
  }

  async flush(): Promise<void> {
    if (this.#isDoubtful) return this.#carryOver()
    const log = this.#opened()
    this.#isFlushing = true
    try {
      await flushed(log)
      this.#isGone = this.#tellsLinks && fstatSync(log).nlink === 0
    } catch (error) {
      this.#isDoubtful = true
      throw error
    } finally {
      this.#isFlushing = false
      if (this.#isClosed) this.close()
    }
  }

  /** Whether somebody had removed it by the last flush: it goes on here, and nobody else can find it. */
  get isGone(): boolean {
    return this.#isGone
  }

  /** At the end of a flush that is under way: its number would soon be another file's. */
  close(): void {
    this.#isClosed = true
    if (this.#log === undefined || this.#isFlushing) return
    closeSync(this.#log)
    this.#log = undefined
  }

  #opened(): number {
    if (this.#log !== undefined) return this.#log
    this.#log = openNamed(this.#path)
    this.#tellsLinks = fstatSync(this.#log).nlink > 0
    return this.#log
  }

  /**
   * After a flush that failed nobody knows what of the log is on disk, and a hole in it takes along whatever is behind it. So all
   * of it goes into the file itself, which SQLite flushes, and the log begins anew.
   */
  #carryOver(): void {
    const [ended] = this.#db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    if (ended?.busy !== 0) throw Object.assign(new Error('the log could not be carried over'), { code: 'EIO' })
    this.#isDoubtful = false
  }
}

function flushed(log: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(log, (error) => (error === null ? resolve() : reject(error)))
  })
}

/** Its name is on disk too. */
function openNamed(path: string): number {
  syncFolder(dirname(path))
  return openSync(path, 'r+')
}
