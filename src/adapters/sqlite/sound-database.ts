/**
 * Whether a SQLite file is sound inside, as far as that can be told in a moment.
 *
 * INVARIANT: reads, and stands still for no longer than a file of the largest size takes; a larger one is not read through.
 */
import { statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'

/** About a second's work. */
const LARGEST = 256 * 1024 * 1024

export function isSound(path: string): boolean {
  if (statSync(path).size > LARGEST) return true
  const db = new Sqlite(path, { readonly: true, timeout: 1000 })
  try {
    return db.pragma('quick_check(1)', { simple: true }) === 'ok'
  } catch (error) {
    // Another process may be writing just then, or this one may not: no reason to call it damaged.
    return !(error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code)))
  } finally {
    db.close()
  }
}
