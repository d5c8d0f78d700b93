/** The journal of a data directory, looked at from outside while others write it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'

export interface TransferSeen {
  readonly tx_id: string
  readonly status: string
  readonly operation: string
  readonly last_error: string | null
  readonly owner_pid: number | null
}

const PAUSE_MS = 20
const UNFINISHED = "status in ('pending', 'staged')"

/** A journal that nobody mends is a fault of its own. */
const NOT_TO_BE_SEEN: readonly TransferSeen[] = [
  { tx_id: 'the journal', status: 'not to be read', operation: '', last_error: null, owner_pid: null },
]

export interface JournalReader {
  /** How many transfers there have been. */
  count(): number
  /** Those after the first so many. */
  after(count: number): readonly TransferSeen[]
  /** The processes that have unfinished ones. */
  owners(): readonly number[]
  /** Waits until all of them are final; returns those that are not when patience ends. */
  settled(patienceMs: number): Promise<readonly TransferSeen[]>
  close(): void
}

export function readJournal(dataDir: string): JournalReader {
  const path = join(dataDir, 'wal.db')
  let opened: Sqlite.Database | undefined
  const rows = (where: string, ...values: readonly number[]): readonly TransferSeen[] => {
    if (!existsSync(path)) return []
    opened ??= new Sqlite(path, { readonly: true, timeout: 5000 })
    // A process may have died right after it made the file.
    if (opened.prepare("select 1 from sqlite_schema where name = 'transactions'").get() === undefined) return []
    const wanted = `select tx_id, status, operation, last_error, owner_pid from transactions where ${where} order by number`
    return opened.prepare<number[], TransferSeen>(wanted).all(...values)
  }
  return {
    count: () => rows('true').length,
    after: (count) => seen(() => rows('number > ?', count)) ?? [],
    owners: () => (seen(() => rows(UNFINISHED)) ?? []).flatMap(({ owner_pid }) => owner_pid ?? []),
    settled: async (patienceMs) => {
      const giveUpAt = performance.now() + patienceMs
      for (;;) {
        const open = seen(() => rows(UNFINISHED))
        if (open?.length === 0 || performance.now() > giveUpAt) return open ?? NOT_TO_BE_SEEN
        await delay(PAUSE_MS)
      }
    },
    close: () => opened?.close(),
  }
}

/** A transaction that death cut short is undone by whoever opens the file next to write: until then nothing can be seen. */
function seen<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_READONLY_ROLLBACK') return undefined
    throw error
  }
}
