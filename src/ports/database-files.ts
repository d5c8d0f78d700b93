/**
 * SQLite files.
 *
 * Promises: a file is opened when it is first needed, and made where it is missing; it is its owner's alone, and so is a
 * directory made for it. It is only ever used at exactly the version its kind knows: an older one is brought up first, a newer
 * one or another program's is refused and left as it is. Several processes may use it at once. What goes wrong is told in the
 * words of its kind.
 */
export interface DatabaseFiles {
  /** Nothing is opened yet. */
  file(path: string, kind: DatabaseKind): DatabaseFile
}

/** What one kind of file is made of. */
export interface DatabaseKind {
  /** Marks files as ours; 0 for those that bear no mark. */
  readonly applicationId: number
  /** One script per version: script `n` brings a file from version `n` to `n + 1`. */
  readonly scripts: readonly string[]
  /** As SQLite has them, in the order in which they are set. */
  readonly pragmas: readonly string[]
  /**
   * Whether what `commit` did is flushed before anybody hears of it, while the thread goes on. SQLite need not do it then. What
   * is in a file that was removed or replaced meanwhile is not called done.
   */
  readonly isFlushedAside?: boolean
  /** Whether an older file is brought up by whoever writes, and refused to whoever only reads. */
  readonly isLeftToWriters?: boolean
  /** What callers are told; what is a bug stays what it is. */
  failure(trouble: Trouble): unknown
}

/** What is wrong with a file. */
export interface Trouble {
  readonly kind: TroubleKind
  /** The end of a sentence that says it. */
  readonly why: string
  readonly cause?: unknown
  /** Of the file, where that is what is wrong. */
  readonly version?: number
}

/** `misfit`: a row that may not be; `misused`: a statement that makes no sense; `bug`: nothing that the world said. */
export type TroubleKind =
  | 'busy'
  | 'full'
  | 'quota'
  | 'disk'
  | 'damaged'
  | 'foreign'
  | 'older'
  | 'newer'
  | 'missing'
  | 'replaced'
  | 'unopenable'
  | 'unwritable'
  | 'forbidden'
  | 'no_directory'
  | 'no_file'
  | 'many_files'
  | 'closed'
  | 'misfit'
  | 'misused'
  | 'other'
  | 'bug'

/** Those that return no promise throw what SQLite says, and belong into `patiently` or `commit`. */
export interface DatabaseFile {
  /** Every row. The caller names the row's type; the SQL beside it must give it. */
  all<Row>(sql: string, ...values: readonly Value[]): Row[]
  get<Row>(sql: string, ...values: readonly Value[]): Row | undefined
  run(sql: string, ...values: readonly Value[]): Written
  /** Changes nothing, and says so, where a row may not be, such as one whose key is taken. */
  runIfFree(sql: string, ...values: readonly Value[]): boolean
  /** For whoever keeps it. */
  prepare<Values extends readonly unknown[], Row = unknown>(sql: string): Statement<Values, Row>
  /** Statements that are used once. */
  script(sql: string): void
  /** All of it or nothing, also as a part of another one. */
  write<T>(work: () => T): T
  /** Several reads that see the same moment. */
  read<T>(work: () => T): T
  /** Tries work again while another process holds the file, without holding up this one: what found it busy never began. */
  patiently<T>(work: () => T | Promise<T>): Promise<T>
  /**
   * Writes, as patiently. All that is asked for at the same time is one transaction, and so one flush; each is all or nothing
   * by itself, in the order in which they came. What may not last is called failed, though others may see it; `undo` takes it
   * back before anybody else's turn, where it can be done.
   */
  commit<T>(work: () => T, undo?: (done: T) => void): Promise<T>
  /** Lets go of a file that somebody has removed or replaced; says whether it did. The next use opens it anew. */
  shutIfReplaced(): boolean
  /** The file and what SQLite keeps beside it. */
  remove(): void
  /** Gives the file another name, in place of one that may be there; what SQLite keeps beside it goes. The next use makes a new one. */
  setAside(path: string): void
  /** When all that was asked of `commit` is done. */
  idle(): Promise<void>
  /** Whatever comes after is refused. */
  close(): void
}

export type Value = string | number | bigint | Uint8Array | null

export interface Statement<Values extends readonly unknown[], Row> {
  all(...values: Values): Row[]
  get(...values: Values): Row | undefined
  run(...values: Values): Written
}

export interface Written {
  readonly changes: number
  readonly lastInsertRowid: number | bigint
}
