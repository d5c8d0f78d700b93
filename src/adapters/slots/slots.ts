/**
 * Places for processes that serve at once, so many for a data directory.
 *
 * INVARIANT: a place is held by one living process. The operating system gives it back when its holder dies, however it
 * dies.
 *
 * SQLite is only the lock here, on files that stay empty: Node itself has no file locks. Nothing else may open these files
 * in this process: POSIX drops a process's locks when any descriptor of it is closed.
 */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

export interface Slot {
  release(): void
}

export interface SlotOptions {
  /** Where state lives. */
  readonly directory: string
  readonly most: number
}

/** Undefined when all are taken. */
export function takeSlot({ directory, most }: SlotOptions): Slot | undefined {
  const folder = join(directory, 'slots')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (let number = 1; number <= most; number += 1) {
    const held = locked(join(folder, `${number}.lock`))
    if (held !== undefined) return { release: () => void held.close() }
  }
  return undefined
}

/** Undefined while another process has it. */
function locked(path: string): Sqlite.Database | undefined {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const db = new Sqlite(path, { timeout: 0 })
  try {
    db.pragma('journal_mode = memory')
    db.exec('begin immediate')
    return db
  } catch (error) {
    db.close()
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
}
