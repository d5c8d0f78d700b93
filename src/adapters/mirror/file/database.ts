/**
 * The SQLite file of a mirror, and what it answered lately.
 *
 * INVARIANT: an answer is kept only for as long as nobody writes, a count for as long as `Tallies` says.
 */
import type { DatabaseFile, DatabaseFiles, Value } from '../../../ports/database-files.ts'
import { newerSchema } from '../failures.ts'
import { type Count, type Counted, Tallies } from '../search/tallies.ts'
import { MIRROR_FILE } from './schema.ts'

export type { Value } from '../../../ports/database-files.ts'

const MOST_KEPT = 200
/** The first number counts our own writes, the second those of others. */
const MOMENT = "select total_changes() || ' ' || data_version as moment from pragma_data_version"

/** Of the message that was indexed last, and of the one that was removed last. */
export interface LastNumbers {
  readonly entered: number
  readonly removed: number
}

export class MirrorDatabase {
  readonly #file: DatabaseFile
  /** What was answered since somebody last wrote, by the question. */
  readonly #kept = new Map<string, unknown>()
  #keptAt: string | undefined
  readonly #tallies = new Tallies()
  /** Of the read that is going on, for as long as nothing was written within it. */
  #moment: string | undefined
  #last: LastNumbers | undefined

  constructor(databases: DatabaseFiles, path: string) {
    this.#file = databases.file(path, MIRROR_FILE)
  }

  /** Every row. The caller names the row's type; the SQL beside it must give it. */
  all<Row>(sql: string, ...values: readonly Value[]): Row[] {
    return this.#file.all<Row>(sql, ...values)
  }

  get<Row>(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#file.get<Row>(sql, ...values)
  }

  /** Within a read: another one after every write. */
  moment(): string {
    this.#moment ??= this.get<{ moment: string }>(MOMENT)?.moment ?? ''
    return this.#moment
  }

  /** Within a read: what takes long is worked out once for as long as nobody writes. The question tells it from all others. */
  once<T>(question: string, work: () => T): T {
    const moment = this.moment()
    if (moment !== this.#keptAt || this.#kept.size >= MOST_KEPT) this.#kept.clear()
    this.#keptAt = moment
    if (this.#kept.has(question)) return this.#kept.get(question) as T
    const answer = work()
    this.#kept.set(question, answer)
    return answer
  }

  /** Within a read. */
  last(): LastNumbers {
    this.#last ??= this.get<LastNumbers>('select entered, removed from counter') ?? { entered: 0, removed: 0 }
    return this.#last
  }

  /** Within a read: counted, or carried on from the last time. */
  tally(counted: Omit<Counted, 'upTo'>, count: Count): readonly number[] {
    return this.#tallies.of({ ...counted, upTo: this.last().entered }, count)
  }

  /** How many rows it changed. */
  run(sql: string, ...values: readonly Value[]): number {
    this.#moment = undefined
    return this.#file.run(sql, ...values).changes
  }

  /** Changes nothing, and says so, where a key is taken. */
  runIfFree(sql: string, values: readonly Value[]): boolean {
    this.#moment = undefined
    return this.#file.runIfFree(sql, ...values)
  }

  /** Statements that are used once. */
  script(sql: string): void {
    this.#moment = undefined
    this.#file.script(sql)
  }

  /** All of it or nothing. Before the first one, an older file is brought up. */
  write<T>(work: () => T): T {
    return this.#file.write(work)
  }

  /** Within a write: a newer Postern may have brought it up while it was open here. */
  refuseNewer(): void {
    const [version, known] = [this.get<{ user_version: number }>('pragma user_version'), MIRROR_FILE.scripts.length]
    if (version !== undefined && version.user_version > known) throw newerSchema(version.user_version, known)
  }

  /** Several reads that see the same moment. */
  read<T>(work: () => T): T {
    this.#beginAnew()
    try {
      return this.#file.read(work)
    } finally {
      this.#beginAnew()
    }
  }

  /** Waits for other processes; what fails leaves as a `Failure`, but for bugs. */
  patiently<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#file.patiently(work)
  }

  /** Lets go of a file that somebody has removed or replaced; says whether it did. */
  shutIfReplaced(): boolean {
    const isReplaced = this.#file.shutIfReplaced()
    if (isReplaced) this.#forget()
    return isReplaced
  }

  /** The file and what SQLite keeps beside it. */
  remove(): void {
    this.#forget()
    this.#file.remove()
  }

  /** Keeps the file under another name; the next use begins a new one. */
  setAside(path: string): void {
    this.#forget()
    this.#file.setAside(path)
  }

  close(): void {
    this.#forget()
    this.#file.close()
  }

  #beginAnew(): void {
    this.#moment = undefined
    this.#last = undefined
  }

  #forget(): void {
    this.#kept.clear()
    this.#tallies.forget()
  }
}
