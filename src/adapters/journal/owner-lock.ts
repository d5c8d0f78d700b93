/**
 * A lock that says that an owner lives: a file beside the journal, held as long as the owner has the journal open.
 *
 * INVARIANT: the operating system gives it back when its holder dies, however it dies, and keeps it while the holder is
 * stopped. It holds between containers that share the directory, where numbers of processes mean nothing.
 *
 * SQLite is only the lock here, on a file that stays empty: Node itself has no file locks. Nothing else may open that file
 * in this process: POSIX drops a process's locks when any descriptor of it is closed.
 */
import { closeSync, existsSync, openSync, unlinkSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { isBusy } from './failures.ts'

export interface OwnerLock {
  release(): void
}

export function holdOwnerLock(journal: string, token: string): OwnerLock {
  const path = pathOf(journal, token)
  closeSync(openSync(path, 'wx', 0o600))
  const db = locked(path)
  return {
    release: () => {
      db.close()
      remove(path)
    },
  }
}

/** Undefined where it left no lock: then nothing is known. */
export function holdsLock(journal: string, token: string): boolean | undefined {
  const path = pathOf(journal, token)
  if (!existsSync(path)) return undefined
  try {
    locked(path).close()
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  }
  remove(path)
  return false
}

function pathOf(journal: string, token: string): string {
  return `${journal}.${token}.owner`
}

function locked(path: string): Sqlite.Database {
  const db = new Sqlite(path, { timeout: 0, fileMustExist: true })
  try {
    db.pragma('journal_mode = memory')
    db.exec('begin immediate')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Another may have been quicker. */
function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // An empty file that stays says only that its owner is dead.
  }
}
