/**
 * One at a time for one account, over all processes.
 *
 * INVARIANT: the operating system gives the turn back when its holder dies, however it dies, and waiting never stops the
 * event loop. SQLite is only the lock here, on a file that stays empty: Node itself has no file locks.
 */
import { chmodSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { turnTooLong } from './note-failures.ts'

/** Longer than the request that is made in a turn may take, with all its retries. */
const PATIENCE_MS = 120_000
const PAUSE_MS = 25

export async function takeTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
  const { default: Sqlite } = await import('better-sqlite3')
  const database = new Sqlite(path, { timeout: 0 })
  try {
    database.pragma('journal_mode = MEMORY')
    chmodSync(path, 0o600)
    const until = performance.now() + PATIENCE_MS
    while (!taken(() => database.exec('BEGIN IMMEDIATE'))) {
      if (performance.now() > until) throw turnTooLong()
      await pause(PAUSE_MS * (0.5 + Math.random()))
    }
    return await work()
  } finally {
    // Gives the turn back as well.
    database.close()
  }
}

function taken(begin: () => void): boolean {
  try {
    begin()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) return false
    throw error
  }
}
