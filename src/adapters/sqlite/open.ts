/**
 * Opens a file.
 *
 * INVARIANT: readable by its owner alone; a directory made for it likewise, and its name is on disk before anything is in it.
 */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { DatabaseKind } from '../../ports/database-files.ts'
import { bringUp, type Purpose, refuseOthers } from './schema.ts'
import { syncFolder } from './sync-folder.ts'

/** How long the thread may stand still for another process. Whoever can wait longer tries again. */
const BUSY_MS = 50

export function openFile(path: string, kind: DatabaseKind, purpose: Purpose): Sqlite.Database {
  makePrivate(resolve(path))
  const db = new Sqlite(path, { timeout: BUSY_MS })
  try {
    refuseOthers(db, kind, purpose)
    // One script, since every answer of a new process waits for it.
    db.exec(kind.pragmas.map((pragma) => `pragma ${pragma};`).join('\n'))
    bringUp(db, kind, purpose)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * SQLite gives its side files the mode of the main one, so that one must be right before anything is written. One that is there
 * is not opened for it: closing it again would let go of the locks that this process may have on it.
 */
function makePrivate(path: string): void {
  const first = mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (first !== undefined) syncFolders(dirname(dirname(path)), dirname(first))
  const there = statSync(path, { throwIfNoEntry: false })
  if (there === undefined) closeSync(openSync(path, 'a', 0o600))
  // A pipe would hold up whoever opens it.
  else if (!there.isFile()) throw Object.assign(new Error('it is no file'), { code: 'EISDIR' })
  chmodSync(path, 0o600)
}

/** From the folder that holds the last one made up to the one that holds the first. */
function syncFolders(from: string, upTo: string): void {
  syncFolder(from)
  if (from !== upTo && from !== dirname(from)) syncFolders(dirname(from), upTo)
}
