/** What the tests of the journal share: a file of their own, transfers, and how one goes its way. */

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { createJournal } from '../../src/adapters/journal/journal.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { Journal } from '../../src/ports/journal.ts'

export function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'journal-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

export function newPath(): string {
  return join(newHome(), 'state', 'wal.db')
}

export function openJournal(path: string): Journal {
  const journal = createJournal({ path, locks: fileLocks, databases: databaseFiles })
  onTestFinished(() => journal.close())
  return journal
}

/** An id that no transfer has. */
export const STRANGE_ID = randomUUID()

export interface EventFound {
  readonly tx_id: string
  readonly step: string
  readonly timestamp: number
  readonly outcome: string
  readonly detail: string | null
}

/** As somebody sees them who opens the file with another program. */
export function eventsIn(path: string): EventFound[] {
  return look(path, 'select tx_id, step, timestamp, outcome, detail from transaction_events order by number')
}

export function look<Row>(path: string, sql: string): Row[] {
  const db = new Sqlite(path)
  try {
    return db.prepare<[], Row>(sql).all()
  } finally {
    db.close()
  }
}
