/**
 * The file `limits.db`.
 *
 * INVARIANT: readable by its owner alone, and used at exactly the version this code knows. It outlives processes; what the
 * last second before a power failure counted may be lost, which is cheaper than a flush for every call.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { otherVersion } from './failures.ts'

/** How long the thread may stand still for another process. Whoever can wait longer tries again. */
const BUSY_MS = 50
const VERSION = 1
/** Marks the file as ours: "PSTL". */
const APPLICATION_ID = 0x5053_544c

/** A caller's calls are numbered; `at` is in milliseconds since 1970. */
const SCHEMA = `
  create table call (
    caller text not null,
    number integer not null,
    at integer not null,
    primary key (caller, number)
  ) strict, without rowid;
`

export function openDatabase(directory: string): Sqlite.Database {
  const path = join(directory, 'limits.db')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // SQLite gives its side files the mode of the main one, so that one must be right before anything is written.
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
  const db = new Sqlite(path, { timeout: BUSY_MS })
  try {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = NORMAL')
    prepareSchema(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Safe when several processes do it at once. */
function prepareSchema(db: Sqlite.Database): void {
  if (isOurs(db)) return
  db.transaction(() => {
    if (isOurs(db)) return
    if (db.prepare('select 1 from sqlite_schema limit 1').get() !== undefined) throw otherVersion()
    db.exec(SCHEMA)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${VERSION}`)
  }).immediate()
}

function isOurs(db: Sqlite.Database): boolean {
  return (
    db.pragma('application_id', { simple: true }) === APPLICATION_ID &&
    db.pragma('user_version', { simple: true }) === VERSION
  )
}
