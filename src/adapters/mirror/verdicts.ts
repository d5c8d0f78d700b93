/**
 * What rules have made of messages, kept for as long as the store is open.
 *
 * INVARIANT: what is kept of a message depends on nothing but what never changes of it, and is worked out before it is asked
 * for: a table holds every message of a folder that was indexed by the moment that a search sees. It is in memory alone.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FolderDefinition } from '../../core/policy/folder.ts'
import { LEVELS, type Level } from '../../core/policy/level.ts'
import { type Condition, condition } from './condition.ts'
import type { MirrorDatabase } from './database.ts'
import type { FolderRow } from './folders.ts'
import { type RulesSql, rulesSql } from './rules-sql.ts'

/** At 500,000 messages one takes some ten megabytes. */
const MOST_TABLES = 6
/** So many at once take some tens of milliseconds. */
const BATCH = 10_000

/** How the messages of a folder are judged. */
export interface Judge {
  readonly levels: readonly Level[]
  /** A number, 0 for `NONE`. */
  readonly rank: Condition
  /** What `rank` calls `j`, by `j.key`; undefined where every message has the same level. */
  readonly table: string | undefined
  /** The rank from `j` and from the message `m`, for messages that are not settled. */
  readonly asked: Condition
}

interface Table {
  readonly name: string
  readonly rules: RulesSql
  /** By folder: the last one that was worked out, by its number. */
  readonly upTo: Map<number, number>
}

export class Verdicts {
  readonly #db: MirrorDatabase
  readonly #tables = new Map<string, Table>()
  #made = 0

  constructor(db: MirrorDatabase) {
    this.#db = db
  }

  /** Works out what is missing, a little at a time. `judge` does what is then left. */
  async prepare(definition: FolderDefinition, folders: readonly FolderRow[]): Promise<void> {
    const rules = rulesSql(definition)
    if (typeof rules === 'string') return
    // Others may have taken its place meanwhile.
    while (!this.#advance(this.#table(definition, rules), folders)) await nextTurn()
  }

  /** Within the read that uses it. */
  judge(definition: FolderDefinition, folders: readonly FolderRow[], now: number): Judge {
    const rules = rulesSql(definition)
    if (typeof rules === 'string') return sameForAll(rules)
    const table = this.#table(definition, rules)
    for (let done = false; !done; ) done = this.#advance(table, folders)
    return { levels: rules.levels, rank: rules.rank(now), asked: rules.askedRank(now), table: table.name }
  }

  /** After a read that failed: what it had worked out is gone with it. */
  forget(): void {
    for (const { name } of this.#tables.values()) this.#db.script(`drop table if exists temp.${name}`)
    this.#tables.clear()
  }

  /** Only of rules that make sense: two that do not may look alike when they are written down. */
  #table({ mode, default: base, rules: written }: FolderDefinition, rules: RulesSql): Table {
    const digest = JSON.stringify([mode, base, written])
    const table = this.#tables.get(digest) ?? this.#make(rules)
    // The one that was asked for last is the last to go.
    this.#tables.delete(digest)
    this.#tables.set(digest, table)
    return table
  }

  #make(rules: RulesSql): Table {
    for (const [digest, { name }] of this.#tables) {
      if (this.#tables.size < MOST_TABLES) break
      this.#tables.delete(digest)
      this.#db.script(`drop table temp.${name}`)
    }
    this.#made += 1
    const name = `verdict_${this.#made}`
    const columns = rules.bits.map((_, at) => `b${at} integer`)
    this.#db.script(
      `create temp table ${name} (key integer primary key, folder integer, unsettled integer, settled integer, ${columns});
       create index temp.${name}_levels on ${name} (folder, unsettled, settled)`,
    )
    return { name, rules, upTo: new Map() }
  }

  /** Whether nothing is left. Folders that are as far as each other go on together. */
  #advance({ name, rules, upTo }: Table, folders: readonly FolderRow[]): boolean {
    const last = this.#db.get<{ entered: number }>('select entered from counter')?.entered ?? 0
    const from = Math.min(last, ...folders.map(({ id }) => upTo.get(id) ?? 0))
    if (from >= last) return true
    const behind = folders.map(({ id }) => id).filter((id) => (upTo.get(id) ?? 0) === from)
    const next = Math.min(last, from + BATCH, ...folders.flatMap(({ id }) => furtherThan(from, upTo.get(id))))
    this.#db.run(
      `insert or replace into temp.${name}
       select j.key, j.folder, ${rules.unsettled}, ${rules.lastingRank}, ${rules.bits.map((_, at) => `j.b${at}`)} from (
         select m.key, m.folder, ${rules.bits.map(({ sql }, at) => `${sql} as b${at}`)} from message m${rules.joins}
         where m.entered > ? and m.entered <= ? and m.folder in (select value from json_each(?))) j`,
      ...rules.bits.flatMap(({ values }) => values),
      from,
      next,
      JSON.stringify(behind),
    )
    for (const id of behind) upTo.set(id, next)
    return next >= last && folders.every(({ id }) => upTo.get(id) === last)
  }
}

/** How many messages of a folder have each level, by its rank. */
export function ranksIn(db: MirrorDatabase, judge: Judge, { id, kept }: FolderRow): Map<number, number> {
  const { table, rank, asked, levels } = judge
  if (rank.sql === '0') return new Map(kept === 0 ? [] : [[0, kept]])
  // Of messages that are gone nothing may be left in the table.
  if (db.get<{ many: number }>(`select count(*) as many from temp.${table} where folder = ?`, id)?.many !== kept) {
    db.run(
      `delete from temp.${table} where folder = ? and key not in (select key from message where folder = ?)`,
      id,
      id,
    )
  }
  const counted = new Map<number, number>()
  const add = (its: number, many: number): void => void counted.set(its, (counted.get(its) ?? 0) + many)
  const settled = db.all<{ its: number; many: number }>(
    `select settled as its, count(*) as many from temp.${table} where folder = ? and unsettled = 0 group by settled`,
    id,
  )
  for (const { its, many } of settled) add(its, many)
  // Sums, since a group would sort all of them; the limit keeps SQLite from asking once for each sum.
  const sums = levels.map((level) => `sum(its = ${LEVELS.indexOf(level)}) as ${level}`)
  const others = db.get<Readonly<Record<string, number | null>>>(
    `select ${sums} from (select ${asked.sql} as its from temp.${table} j cross join message m on m.key = j.key
       where j.folder = ? and j.unsettled = 1 limit -1)`,
    ...asked.values,
    id,
  )
  for (const level of levels) if (others?.[level]) add(LEVELS.indexOf(level), others[level])
  return counted
}

export function sameForAll(level: Level): Judge {
  const rank = condition(String(LEVELS.indexOf(level)))
  return { levels: [level], rank, asked: rank, table: undefined }
}

function furtherThan(from: number, upTo: number | undefined): number[] {
  return upTo === undefined || upTo <= from ? [] : [upTo]
}
