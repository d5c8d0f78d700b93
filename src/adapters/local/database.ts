/**
 * The SQLite file of a local mailbox, opened when it is first needed.
 *
 * INVARIANT: the file is readable by its owner alone; a directory made for it likewise. Every statement's failure
 * leaves here as a `Failure`. A write is one immediate transaction, durable when it returns.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Failure } from '../../core/failure.ts'
import { toFailure, translated } from './failures.ts'
import { migrate } from './schema.ts'

/** How long the thread may stand still for another process's write. Whoever can wait longer tries again. */
const BUSY_MS = 50

export type Value = string | number | bigint | Uint8Array | null

export class LocalDatabase {
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

  run(sql: string, ...values: Value[]): { changes: number; rowid: number } {
    const { changes, lastInsertRowid } = translated(() => this.#statement(sql).run(...values))
    return { changes, rowid: Number(lastInsertRowid) }
  }

  /** All of it or nothing. */
  write<T>(work: () => T): T {
    const db = this.#open()
    return translated(() => db.transaction(work).immediate())
  }

  /** Several reads that see the same moment. */
  read<T>(work: () => T): T {
    const db = this.#open()
    return translated(() => db.transaction(work).deferred())
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
    if (this.#closed) throw new Failure('unavailable', 'the local mailbox has been closed')
    this.#db ??= openFile(this.#path)
    return this.#db
  }
}

function openFile(path: string): Sqlite.Database {
  let db: Sqlite.Database | undefined
  try {
    makePrivate(path)
    db = new Sqlite(path, { timeout: BUSY_MS })
    // Only a file that is still empty takes another page size.
    db.pragma('page_size = 8192')
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    // 32 MB: bulk work would otherwise copy its pages back after every transaction.
    db.pragma('wal_autocheckpoint = 4000')
    db.pragma('foreign_keys = ON')
    // What is expunged is gone from the file, not only from the listing.
    db.pragma('secure_delete = ON')
    migrate(db)
    return db
  } catch (error) {
    db?.close()
    throw toFailure(error)
  }
}

/** SQLite gives its side files the mode of the main one, so that one must be right before anything is written. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}
