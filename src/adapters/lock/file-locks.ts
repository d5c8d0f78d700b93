/**
 * File locks by way of SQLite: Node itself has none.
 *
 * INVARIANT: SQLite is only the lock here, nothing is ever written. Nothing else opens these files in this process: POSIX drops
 * a process's locks when any descriptor of the file is closed.
 */
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { FileLocks } from '../../ports/file-locks.ts'

export const fileLocks: FileLocks = {
  take(path) {
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
    const file = inodeOf(path)
    const db = new Sqlite(path, { timeout: 0 })
    try {
      db.pragma('journal_mode = memory')
      db.exec('begin immediate')
    } catch (error) {
      db.close()
      if (isBusy(error)) return undefined
      throw error
    }
    // Whoever had it may have removed the file with it: a lock on what is no longer there keeps nobody out.
    if (inodeOf(path) === file) return { release: () => void db.close() }
    db.close()
    return undefined
  },
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}
