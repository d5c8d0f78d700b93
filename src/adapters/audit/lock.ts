/**
 * One writer at a time in one audit directory, over all processes.
 *
 * INVARIANT: the operating system gives the lock back when its holder dies, however it dies. Waiting for it never stops
 * the event loop: SQLite is asked without a timeout, and asked again a little later. A holder that sees others wait
 * (they touch the lock file) stands back after its turn, so that nobody starves.
 *
 * SQLite is only the lock here, on a file that stays empty: Node itself has no file locks. `BEGIN IMMEDIATE`, because of
 * two that ask at once one gets it; with `BEGIN EXCLUSIVE` each may stand in the other's way and both are refused.
 * Always rolled back, which needs nobody's leave, and with the journal in memory touches no disk.
 * Nothing else may open that file in this process: POSIX drops a process's locks when any descriptor of it is closed.
 */
import { chmodSync, type Stats, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { Clock } from '../../ports/clock.ts'
import { codeOf, lockIsHeld } from './failures.ts'

/** Holders keep it for one flush; only one that was stopped, not killed, keeps it longer than this. */
const PATIENCE_MS = 10_000
const SHORTEST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 4
/** How long one process may take it again and again while others wait, and how long it then stands back. */
const TURN_MS = 4
const STAND_BACK_MS = 4

export interface DirectoryLock {
  acquire(): Promise<void>
  /** Without waiting. */
  tryAcquire(): Promise<boolean>
  release(): void
  close(): void
}

interface LockFile {
  readonly database: Database
  readonly inode: number
  begin(): void
  rollback(): void
}

export function createDirectoryLock(directory: string, clock: Clock, name = '.lock.db'): DirectoryLock {
  return new SqliteLock(join(directory, name), clock)
}

class SqliteLock implements DirectoryLock {
  readonly #path: string
  readonly #clock: Clock
  #file: LockFile | undefined
  /** When somebody last said that they wait. */
  #touched = 0
  #turn = { began: 0, ended: 0 }

  constructor(path: string, clock: Clock) {
    this.#path = path
    this.#clock = clock
  }

  async acquire(): Promise<void> {
    const seen = this.#seen()
    const standsBack = this.#turnIsOver() && this.#othersWait(seen)
    if (standsBack) await pause(STAND_BACK_MS)
    const start = this.#clock.elapsed()
    let file = await this.#opened(standsBack ? this.#seen() : seen)
    for (let wait = SHORTEST_PAUSE_MS; !take(file); wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      const waited = this.#clock.elapsed() - start
      if (waited > PATIENCE_MS) throw lockIsHeld(waited)
      this.#sayThatWeWait()
      await pause(wait * (0.5 + Math.random()))
      file = await this.#opened(this.#seen())
    }
    const now = this.#clock.elapsed()
    if (now - this.#turn.ended > SHORTEST_PAUSE_MS) this.#turn.began = now
  }

  async tryAcquire(): Promise<boolean> {
    return take(await this.#opened(this.#seen()))
  }

  release(): void {
    try {
      this.#file?.rollback()
    } catch {
      // Closing gives the lock back too, and the next one opens it anew.
      this.close()
    }
    this.#turn.ended = this.#clock.elapsed()
  }

  close(): void {
    this.#file?.database.close()
    this.#file = undefined
  }

  async #opened(seen: Stats | undefined): Promise<LockFile> {
    // A lock file that was deleted and made anew is another lock, and others already use that one.
    if (this.#file !== undefined && this.#file.inode !== seen?.ino) this.close()
    this.#file ??= await openLockFile(this.#path)
    return this.#file
  }

  #seen(): Stats | undefined {
    return statSync(this.#path, { throwIfNoEntry: false })
  }

  #othersWait(seen: Stats | undefined): boolean {
    const touched = seen?.mtimeMs ?? 0
    const newly = touched !== this.#touched
    this.#touched = touched
    return newly
  }

  #turnIsOver(): boolean {
    const now = this.#clock.elapsed()
    return now - this.#turn.ended <= SHORTEST_PAUSE_MS && now - this.#turn.began > TURN_MS
  }

  #sayThatWeWait(): void {
    const now = new Date(this.#clock.now())
    utimesSync(this.#path, now, now)
  }
}

function take(lock: LockFile): boolean {
  try {
    lock.begin()
    return true
  } catch (error) {
    if (codeOf(error).startsWith('SQLITE_BUSY')) return false
    throw error
  }
}

/** The native module is loaded with the first record, not when the process starts. */
async function openLockFile(path: string): Promise<LockFile> {
  const { default: Sqlite } = await import('better-sqlite3')
  const database = new Sqlite(path, { timeout: 0 })
  database.pragma('journal_mode = MEMORY')
  const begin = database.prepare('BEGIN IMMEDIATE')
  const rollback = database.prepare('ROLLBACK')
  chmodSync(path, 0o600)
  return {
    database,
    inode: statSync(path, { throwIfNoEntry: false })?.ino ?? -1,
    begin: () => begin.run(),
    rollback: () => rollback.run(),
  }
}
