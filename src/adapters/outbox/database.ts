/**
 * The files `outbox.db` and `reads.db`. They are two because one of them is flushed at every step and the other, which every
 * answer waits for, must not wait for that.
 *
 * INVARIANT: readable by their owner alone; a directory made for them likewise. Names of directories made for them are on disk.
 */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import { type FileKind, migrate } from './schema.ts'

/** How long the thread may stand still for another process. Whoever can wait longer tries again. */
const BUSY_MS = 50
/** What a large message leaves of the log beside the file is given back. */
const LARGEST_LOG = 64 * 1024 * 1024

export function openDatabase(path: string, kind: FileKind): Sqlite.Database {
  makePrivate(resolve(path))
  const db = new Sqlite(path, { timeout: BUSY_MS })
  try {
    db.pragma('journal_mode = WAL')
    // A commit is in the file's log; whether and when that is flushed is up to whoever writes.
    db.pragma('synchronous = NORMAL')
    // macOS flushes its disks only when asked in this way.
    if (kind.isFlushed) db.pragma('fullfsync = ON')
    db.pragma('foreign_keys = ON')
    db.pragma('secure_delete = FAST')
    db.pragma(`journal_size_limit = ${LARGEST_LOG}`)
    migrate(db, kind)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** SQLite gives its side files the mode of the main one, so that one must be right before anything is written. */
function makePrivate(path: string): void {
  const first = mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (first !== undefined) syncFolders(dirname(dirname(path)), dirname(first))
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}

/** From the folder that holds the last one made up to the one that holds the first. Windows has no such call and needs none. */
function syncFolders(from: string, upTo: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(from, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
  if (from !== upTo && from !== dirname(from)) syncFolders(dirname(from), upTo)
}
