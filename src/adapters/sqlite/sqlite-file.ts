/**
 * One SQLite file, opened when it is first needed.
 *
 * INVARIANT: nothing is kept of a file that is no longer open. A statement is prepared once, however often it is asked for.
 */
import { realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import type { Database, Transaction } from 'better-sqlite3'
import type { DatabaseFile, DatabaseKind, Statement, Value, Written } from '../../ports/database-files.ts'
import { CommitLine } from './commit-line.ts'
import { LogFlush } from './log-flush.ts'
import { openFile } from './open.ts'
import { patiently } from './patience.ts'
import type { Purpose } from './schema.ts'
import { failureOf, isMisfit, told } from './trouble.ts'

/** Searches are statements of many shapes. */
const MOST_STATEMENTS = 300
export const SIDE_FILES = ['-wal', '-shm', '-journal']

type AnyStatement = Statement<readonly unknown[], unknown>

export class SqliteFile implements DatabaseFile {
  readonly #path: string
  readonly #kind: DatabaseKind
  readonly #statements = new Map<string, AnyStatement>()
  readonly #line: CommitLine
  #db: Database | undefined
  #transaction: Transaction<(work: () => unknown) => unknown> | undefined
  #log: LogFlush | undefined
  /** Of the file that is open. */
  #inode: bigint | undefined
  /** Last, in line. */
  #written: Database | undefined
  #isClosed = false

  constructor(path: string, kind: DatabaseKind) {
    this.#path = path
    this.#kind = kind
    const write = <T>(work: () => T): T => this.write(work)
    this.#line = new CommitLine({
      whole: (work) => patiently(() => this.#noted(write(work))),
      part: write,
      flush: () => this.#flush(),
    })
  }

  all<Row>(sql: string, ...values: readonly Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  get<Row>(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }

  run(sql: string, ...values: readonly Value[]): Written {
    return this.#statement(sql).run(...values)
  }

  runIfFree(sql: string, ...values: readonly Value[]): boolean {
    try {
      this.run(sql, ...values)
      return true
    } catch (error) {
      if (isMisfit(error)) return false
      throw error
    }
  }

  prepare<Values extends readonly unknown[], Row>(sql: string): Statement<Values, Row> {
    this.#statement(sql)
    // Looked up with each use: another file may be open by then.
    return {
      all: (...values) => this.#statement(sql).all(...values) as Row[],
      get: (...values) => this.#statement(sql).get(...values) as Row | undefined,
      run: (...values) => this.#statement(sql).run(...values),
    }
  }

  script(sql: string): void {
    this.#opened().exec(sql)
  }

  write<T>(work: () => T): T {
    return this.#transactions('write').immediate(work) as T
  }

  read<T>(work: () => T): T {
    return this.#opened().inTransaction ? work() : (this.#transactions('read').deferred(work) as T)
  }

  patiently<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#telling(() => patiently(work))
  }

  commit<T>(work: () => T, undo?: (done: T) => void): Promise<T> {
    return this.#telling(() => this.#line.add(work, undo))
  }

  shutIfReplaced(): boolean {
    if (this.#db === undefined) return false
    const isReplaced = inodeOf(this.#path) !== this.#inode
    // A log that was taken away is still ours, and goes into the file when that is shut.
    if (isReplaced || this.#log?.isGone === true) this.#shut()
    return isReplaced
  }

  remove(): void {
    this.#shut()
    const path = realOf(this.#path)
    for (const ending of [...SIDE_FILES, '']) rmSync(path + ending, { force: true })
    rmSync(this.#path, { force: true })
  }

  setAside(aside: string): void {
    this.#shut()
    const path = realOf(this.#path)
    renameSync(path, aside)
    for (const ending of SIDE_FILES) rmSync(path + ending, { force: true })
  }

  idle(): Promise<void> {
    return this.#line.idle()
  }

  close(): void {
    this.#isClosed = true
    this.#shut()
  }

  async #telling<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw failureOf(error, this.#kind)
    }
  }

  #noted<T>(done: T): T {
    this.#written = this.#db
    return done
  }

  /** What is on disk in a file that nobody can find any more is not there. */
  async #flush(): Promise<void> {
    if (this.#kind.isFlushedAside !== true) return
    const written = this.#written
    // One that is still open shares its number with no other.
    const requireSame = (): void => {
      const isSame = written !== undefined && this.#db === written && inodeOf(this.#path) === this.#inode
      if (!isSame || this.#log?.isGone === true)
        throw Object.assign(new Error('it was removed or replaced'), { code: 'ESTALE' })
    }
    // One that is open is of the file that is open.
    if (this.#log === undefined) requireSame()
    this.#log ??= new LogFlush(this.#opened(), realpathSync(this.#path))
    await this.#log.flush()
    requireSame()
  }

  #statement(sql: string): AnyStatement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const made = this.#opened().prepare<unknown[], unknown>(sql)
    if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear()
    this.#statements.set(sql, made)
    return made
  }

  /** Made once: that takes longer than many a transaction. */
  #transactions(purpose: Purpose): Transaction<(work: () => unknown) => unknown> {
    const db = this.#opened(purpose)
    this.#transaction ??= db.transaction((work) => work())
    return this.#transaction
  }

  #opened(purpose: Purpose = 'read'): Database {
    if (this.#db !== undefined) return this.#db
    if (this.#isClosed) throw told(this.#kind, 'closed')
    this.#db = openFile(this.#path, this.#kind, purpose)
    this.#inode = inodeOf(this.#path)
    return this.#db
  }

  #shut(): void {
    this.#statements.clear()
    this.#transaction = undefined
    this.#log?.close()
    this.#log = undefined
    this.#db?.close()
    this.#db = undefined
    this.#written = undefined
  }
}

/** SQLite keeps its side files where the file really is. */
function realOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path)
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino
}
