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
    after: (count) => rows('number > ?', count),
    owners: () => rows(UNFINISHED).flatMap(({ owner_pid }) => owner_pid ?? []),
    settled: async (patienceMs) => {
      const giveUpAt = performance.now() + patienceMs
      for (;;) {
        const open = rows(UNFINISHED)
        if (open.length === 0 || performance.now() > giveUpAt) return open
        await delay(PAUSE_MS)
      }
    },
    close: () => opened?.close(),
  }
}
