/**
 * Whose mail was read, in a SQLite file of its own.
 *
 * INVARIANT: a note is in the file, for every process to see, before the call resolves; a moment only ever moves forward. The
 * file is not flushed: it outlives processes, and what a power failure takes of the last second no running agent remembers.
 */
import { createHash } from 'node:crypto'
import type { DatabaseFile, DatabaseFiles } from '../../ports/database-files.ts'
import type { ReadMail, ReadNotes } from '../../ports/read-notes.ts'
import { READS_WORDS, unreadableRow } from './failures.ts'
import { READS_FILE } from './schema.ts'

/** Longer than anybody asks back, so that a clock that goes wrong for some days loses nothing. */
const KEPT_MS = 14 * 24 * 60 * 60 * 1000
/** Old ones are looked for so often. */
const TIDY_EVERY = 1000

interface Row {
  readonly account: string
  readonly readers: string
}

type Tables = ReturnType<typeof tablesIn>

export interface ReadNotesParts {
  readonly path: string
  readonly databases: DatabaseFiles
}

export function createReadNotes({ path, databases }: ReadNotesParts): ReadNotes {
  const file = databases.file(path, READS_FILE)
  let tables: Tables | undefined
  const patiently = <T>(work: (on: Tables) => T): Promise<T> =>
    file.patiently(() => {
      tables ??= tablesIn(file)
      return work(tables)
    })

  return {
    async note(caller, read, now) {
      if (read.length > 0) await patiently((on) => on.note(caller, read, now))
    },
    since: (caller, when) => patiently((on) => on.since(caller, when)),
    forget: (account) => patiently((on) => on.forget(account)),
    close: async () => file.close(),
  }
}

function tablesIn(db: DatabaseFile) {
  const upsert = db.prepare<[string, Uint8Array, string, string, number]>(
    `insert into read (caller, key, account, readers, at) values (?, ?, ?, ?, ?)
     on conflict (caller, key) do update set at = max(at, excluded.at)`,
  )
  const lately = db.prepare<[string, number], Row>(
    'select account, readers from read where caller = ? and at >= ? order by at, rowid',
  )
  const tidy = db.prepare<[number]>('delete from read where at < ?')
  const blur = db.prepare<[Uint8Array, string]>(
    `insert into read (caller, key, account, readers, at)
     select caller, ?, account, '[]', max(at) from read where account = ? group by caller
     on conflict (caller, key) do update set at = excluded.at`,
  )
  const drop = db.prepare<[string]>(`delete from read where account = ? and readers <> '[]'`)
  const forget = (account: string): void => {
    blur.run(keyOf(account, '[]'), account)
    drop.run(account)
  }
  let count = 0
  const note = (caller: string, read: readonly ReadMail[], now: number): void => {
    if (count++ % TIDY_EVERY === 0) tidy.run(now - KEPT_MS)
    for (const { account, readers } of read) {
      const text = JSON.stringify(readers)
      upsert.run(caller, keyOf(account, text), account, text, now)
    }
  }
  return {
    note: (caller: string, read: readonly ReadMail[], now: number): void => db.write(() => note(caller, read, now)),
    since: (caller: string, when: number): readonly ReadMail[] => lately.all(caller, when).map(toReadMail),
    forget: (account: string): void => db.write(() => forget(account)),
  }
}

function keyOf(account: string, readers: string): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([account, readers]))
    .digest()
    .subarray(0, 16)
}

function toReadMail({ account, readers }: Row): ReadMail {
  try {
    return { account, readers: JSON.parse(readers) }
  } catch (error) {
    throw unreadableRow(READS_WORDS, error)
  }
}
