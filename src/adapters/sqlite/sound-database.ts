/**
 * Whether a SQLite file is sound inside, as far as that can be told in a moment.
 *
 * INVARIANT: reads, and stands still for no longer than a file of the largest size takes; a larger one is not read through. No file
 * is left beside it that was not there.
 */
import { existsSync, statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'

/** About a second's work. */
const LARGEST = 256 * 1024 * 1024

/**
 * Whoever may only read leaves behind what SQLite keeps beside a file in use; whoever may write removes it. Where nothing has been
 * left by others, nothing is written.
 */
export function openToLook(path: string): Sqlite.Database {
  const isInUse = existsSync(`${path}-wal`)
  return new Sqlite(path, { timeout: 1000, ...(isInUse ? { readonly: true } : { fileMustExist: true }) })
}

export function isSound(path: string): boolean {
  if (statSync(path).size > LARGEST) return true
  const db = openToLook(path)
  try {
    return db.pragma('quick_check(1)', { simple: true }) === 'ok'
  } catch (error) {
    // Another process may be writing just then, or this one may not: no reason to call it damaged.
    return !(error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code)))
  } finally {
    db.close()
  }
}
