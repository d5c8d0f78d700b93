/**
 * The SQLite file of a mirror, opened when it is first needed.
 *
 * INVARIANT: the file is readable by its owner alone; a directory made for it likewise. A write is one immediate
 * transaction. A file of another version is never used: whoever writes brings an older one up first.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { isClosed, isTaken } from './failures.ts'
import { bringUp, refuseOther } from './schema.ts'

/** How long the thread may stand still for another process's write. Whoever can wait longer tries again. */
const BUSY_MS = 50
/** Searches are statements of many shapes. */
const MOST_STATEMENTS = 300
const MOST_KEPT = 200
/** Another one after every write: the first number counts our own, the second those of others. */
const MOMENT = "select total_changes() || ' ' || data_version as moment from pragma_data_version"

/** One script, since every answer of a new process waits for it. */
const SETTINGS = `
  -- Only a file that is still empty takes another page size.
  pragma page_size = 8192;
  pragma journal_mode = WAL;
  -- After a loss of power the last writes may be missing, never a part of one: they are fetched again.
  pragma synchronous = NORMAL;
  -- 64 MB: bulk work would otherwise copy its pages back after every transaction.
  pragma wal_autocheckpoint = 8000;
  pragma journal_size_limit = 67108864;
  pragma cache_size = -16000;
  pragma temp_store = MEMORY;
  pragma secure_delete = FAST;
`

type Work = (work: () => unknown) => unknown

export type Value = string | number | bigint | Uint8Array | null

export class MirrorDatabase {
  readonly #path: string
  readonly #statements = new Map<string, Sqlite.Statement<Value[], unknown>>()
  /** What was answered since somebody last wrote, by the question. */
  readonly #kept = new Map<string, unknown>()
  #keptAt: string | undefined
  #db: Sqlite.Database | undefined
  /** Made once: making one takes longer than a short read in it. */
  #within: Sqlite.Transaction<Work> | undefined
  /** Of the file that is open. */
  #inode: bigint | undefined
  #closed = false

  constructor(path: string) {
    this.#path = path
  }

  /** Every row. The caller names the row's type; the SQL beside it must give it. */
  all<Row>(sql: string, ...values: readonly Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  get<Row>(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }

  /** The same as `get`, within a read; what takes long is asked once for as long as nobody writes. */
  getOnce<Row>(sql: string, ...values: readonly Value[]): Row | undefined {
    const moment = this.get<{ moment: string }>(MOMENT)?.moment
    if (moment !== this.#keptAt || this.#kept.size >= MOST_KEPT) this.#kept.clear()
    this.#keptAt = moment
    const question = JSON.stringify([sql, values.map((value) => [typeof value, String(value)])])
    if (!this.#kept.has(question)) this.#kept.set(question, this.get<Row>(sql, ...values))
    return this.#kept.get(question) as Row | undefined
  }

  /** How many rows it changed. */
  run(sql: string, ...values: readonly Value[]): number {
    return this.#statement(sql).run(...values).changes
  }

  /** Changes nothing, and says so, where a key is taken. */
  runIfFree(sql: string, values: readonly Value[]): boolean {
    try {
      this.#statement(sql).run(...values)
      return true
    } catch (error) {
      if (isTaken(error)) return false
      throw error
    }
  }

  /** Statements that are used once. */
  script(sql: string): void {
    this.#open().exec(sql)
  }

  /** All of it or nothing. Before the first one, an older file is brought up. */
  write<T>(work: () => T): T {
    const db = this.#open('write')
    return this.#transaction(db).immediate(work) as T
  }

  /** Several reads that see the same moment. */
  read<T>(work: () => T): T {
    const db = this.#open()
    return db.inTransaction ? work() : (this.#transaction(db).deferred(work) as T)
  }

  /** Lets go of a file that somebody has removed or replaced; says whether it did. */
  shutIfReplaced(): boolean {
    if (this.#db === undefined || inodeOf(this.#path) === this.#inode) return false
    this.#shut()
    return true
  }

  /** The file and what SQLite keeps beside it. */
  remove(): void {
    this.#shut()
    for (const ending of ['-wal', '-shm', '-journal', '']) rmSync(this.#path + ending, { force: true })
  }

  close(): void {
    this.#closed = true
    this.#shut()
  }

  #shut(): void {
    this.#statements.clear()
    this.#kept.clear()
    this.#db?.close()
    this.#db = undefined
    this.#within = undefined
  }

  #statement(sql: string): Sqlite.Statement<Value[], unknown> {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const made = this.#open().prepare<Value[], unknown>(sql)
    if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear()
    this.#statements.set(sql, made)
    return made
  }

  #transaction(db: Sqlite.Database): Sqlite.Transaction<Work> {
    this.#within ??= db.transaction((work) => work())
    return this.#within
  }

  #open(purpose: 'read' | 'write' = 'read'): Sqlite.Database {
    if (this.#closed) throw isClosed()
    if (this.#db === undefined) {
      this.#db = openFile(this.#path, purpose)
      this.#inode = inodeOf(this.#path)
    }
    return this.#db
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino
}

function openFile(path: string, purpose: 'read' | 'write'): Sqlite.Database {
  const isNew = !existsSync(path)
  makePrivate(path)
  const db = new Sqlite(path, { timeout: BUSY_MS })
  try {
    db.exec(SETTINGS)
    if (purpose === 'write' || isNew || refuseOther(db) === 'empty') bringUp(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** SQLite gives its side files the mode of the main one, so that one must be right before anything is written. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}
