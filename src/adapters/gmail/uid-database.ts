/**
 * The SQLite file behind the uids of one Gmail account, opened when it is first needed.
 *
 * INVARIANT: the file is readable by its owner alone; a directory made for it likewise. Work is one transaction; what finds the
 * file busy did nothing and is tried again, without holding up the thread.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { Failure } from '../../core/failure.ts'
import { throwIfAborted } from './failures.ts'
import { isBusy, toFailure, translated } from './uid-failures.ts'

/** How long the thread may stand still for another process's write. */
const BUSY_MS = 50
const PATIENCE_MS = 10_000
const PAUSE_MS = 15
const SCHEMA_VERSION = 1

/** `uidnext` only ever grows, however often a label is emptied: that is what keeps a uid from coming back. */
const SCHEMA = `
  create table label (
    id integer primary key,
    gmail text not null unique,
    uidvalidity integer not null unique,
    uidnext integer not null default 1,
    history text,
    marks integer not null default 0
  ) strict;
  create table message (
    id integer primary key,
    gmail text not null unique,
    thread text,
    received integer,
    size integer
  ) strict;
  create table place (
    label integer not null references label,
    uid integer not null,
    message integer not null references message,
    deleted integer not null default 0,
    marked integer not null default 0,
    primary key (label, uid)
  ) strict, without rowid;
  create unique index place_of_message on place (message, label);
`

export type Value = string | number | null

export class UidDatabase {
  readonly #path: string
  readonly #statements = new Map<string, Sqlite.Statement<Value[], unknown>>()
  #db: Sqlite.Database | undefined
  #closed = false

  constructor(path: string) {
    this.#path = path
  }

  /** Every row. The caller names the row's type; the SQL beside it must give it. */
  all<Row>(sql: string, ...values: Value[]): Row[] {
    return translated(() => this.#statement(sql).all(...values) as Row[])
  }

  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return translated(() => this.#statement(sql).get(...values) as Row | undefined)
  }

  run(sql: string, ...values: Value[]): void {
    translated(() => this.#statement(sql).run(...values))
  }

  /** All of it or nothing. */
  write<T>(signal: AbortSignal, work: () => T): Promise<T> {
    return patiently(signal, () => {
      const db = this.#open()
      return translated(() => db.transaction(work).immediate())
    })
  }

  /** Several reads that see the same moment. */
  read<T>(signal: AbortSignal, work: () => T): Promise<T> {
    return patiently(signal, () => {
      const db = this.#open()
      return translated(() => db.transaction(work).deferred())
    })
  }

  /** What was deleted is gone from the disk too, where nobody else is reading. */
  shrink(signal: AbortSignal): Promise<void> {
    return patiently(signal, () => {
      const db = this.#open()
      translated(() => db.exec('vacuum; pragma wal_checkpoint(truncate)'))
    })
  }

  close(): void {
    this.#closed = true
    this.#statements.clear()
    this.#db?.close()
    this.#db = undefined
  }

  #statement(sql: string): Sqlite.Statement<Value[], unknown> {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const made = this.#open().prepare<Value[], unknown>(sql)
    this.#statements.set(sql, made)
    return made
  }

  #open(): Sqlite.Database {
    if (this.#closed) throw new Failure('unavailable', 'the mail account is being closed')
    this.#db ??= openFile(this.#path)
    return this.#db
  }
}

async function patiently<T>(signal: AbortSignal, work: () => T): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    throwIfAborted(signal)
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error
    }
    await delay(PAUSE_MS)
  }
}

function openFile(path: string): Sqlite.Database {
  let db: Sqlite.Database | undefined
  try {
    makePrivate(path)
    db = new Sqlite(path, { timeout: BUSY_MS })
    db.pragma('journal_mode = WAL')
    // A uid that was given out and forgotten would be given to another message.
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    migrate(db)
    return db
  } catch (error) {
    db?.close()
    throw toFailure(error)
  }
}

function migrate(db: Sqlite.Database): void {
  const version = (): number => db.pragma('user_version', { simple: true }) as number
  if (version() === SCHEMA_VERSION) return
  db.transaction(() => {
    if (version() > SCHEMA_VERSION) {
      throw new Failure('unsupported', 'the uid file was written by a newer Postern; upgrade this one')
    }
    if (version() === SCHEMA_VERSION) return
    db.exec(SCHEMA)
    db.pragma(`user_version = ${SCHEMA_VERSION}`)
  }).immediate()
}

/** SQLite gives its side files the mode of the main one, so that one must be right before anything is written. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}
