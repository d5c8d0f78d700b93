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
import { type RulesSql, rulesSql, type SetSql } from './rules-sql.ts'

/** At 500,000 messages one takes some thirty megabytes. */
const MOST_TABLES = 6
/** So many at once take some tens of milliseconds. */
const BATCH = 10_000

/** How the messages of a folder are judged. */
export interface Judge {
  readonly levels: readonly Level[]
  /** A number, 0 for `NONE`; from `j`, and from the message `m` where that is joined, which spares looking for it. */
  rank(joined: boolean): Condition
  /** What `rank` calls `j`, by `j.key`; undefined where every message has the same level. */
  readonly table: string | undefined
}

const FLAGGED = '(m.bits & 2 <> 0)'
/** Few are; an index has them. */
const IS_AMONG_FLAGGED = '(j.key in (select key from message where bits & 2 <> 0))'

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
    const [whole, apart] = [rules.rank(now, FLAGGED), rules.rank(now, IS_AMONG_FLAGGED)]
    return { levels: rules.levels, rank: (joined) => (joined ? whole : apart), table: table.name }
  }

  /** After a read: one may need more tables than are worth keeping. */
  trim(): void {
    for (const [digest, table] of this.#tables) {
      if (this.#tables.size <= MOST_TABLES) break
      this.#tables.delete(digest)
      this.#drop(table)
    }
  }

  /** After a read that failed: what it had worked out is gone with it. */
  forget(): void {
    for (const table of this.#tables.values()) this.#drop(table)
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
    this.#made += 1
    const name = `verdict_${this.#made}`
    const columns = rules.bits.map((_, at) => `b${at}`)
    const sets = rules.sets.map((set) => `create temp table ${name}_${set.name} (id integer primary key, ${columns});`)
    this.#db.script(
      `${sets.join('')}
       create temp table ${name} (key integer primary key, folder integer, received integer, ${columns});
       create index temp.${name}_folder on ${name} (folder, ${columns}, received)`,
    )
    return { name, rules, upTo: new Map() }
  }

  #drop({ name, rules }: Table): void {
    const all = [name, ...rules.sets.map((set) => `${name}_${set.name}`)]
    this.#db.script(all.map((one) => `drop table if exists temp.${one};`).join(''))
  }

  /** Whether nothing is left: sets first, since messages refer to them. */
  #advance(table: Table, folders: readonly FolderRow[]): boolean {
    return this.#db.read(() => {
      for (const set of table.rules.sets) if (this.#judgeSets(table, set) > 0) return false
      return this.#judgeMessages(table, folders)
    })
  }

  /** How many it judged. A set's number is larger than that of any before it. */
  #judgeSets({ name }: Table, { table, name: its, bits }: SetSql): number {
    return this.#db.run(
      `insert into temp.${name}_${its} select ${its}.id, ${bits.map(({ sql }) => sql)} from ${table}
       where ${its}.id > (select coalesce(max(id), 0) from temp.${name}_${its}) order by ${its}.id limit ${BATCH}`,
      ...bits.flatMap(({ values }) => values),
    )
  }

  /** Folders that are as far as each other go on together. The plus keeps SQLite from walking through whole folders. */
  #judgeMessages({ name, rules, upTo }: Table, folders: readonly FolderRow[]): boolean {
    const last = this.#db.get<{ entered: number }>('select entered from counter')?.entered ?? 0
    const from = Math.min(last, ...folders.map(({ id }) => upTo.get(id) ?? 0))
    if (from >= last) return true
    const behind = folders.map(({ id }) => id).filter((id) => (upTo.get(id) ?? 0) === from)
    const next = Math.min(last, from + BATCH, ...folders.flatMap(({ id }) => furtherThan(from, upTo.get(id))))
    const joins = rules.sets.map(
      (set) => ` left join temp.${name}_${set.name} ${set.name} on ${set.name}.id = m.${set.column}`,
    )
    this.#db.run(
      `insert or replace into temp.${name}
       select m.key, m.folder, m.received, ${rules.bits.map(({ sql }) => sql)} from message m${joins.join('')}
       where m.entered > ? and m.entered <= ? and +m.folder in (select value from json_each(?))`,
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
export function ranksIn(db: MirrorDatabase, judge: Judge, { id, kept }: FolderRow): ReadonlyMap<number, number> {
  const counted = rankCounts(db, judge, id)
  const sum = [...counted.values()].reduce((all, many) => all + many, 0)
  if (sum === kept) return counted
  // Of messages that are gone nothing may be left in the table.
  db.run(
    `delete from temp.${judge.table} where folder = ? and key not in (select key from message where folder = ?)`,
    id,
    id,
  )
  return rankCounts(db, judge, id)
}

/** Sums, since a group would sort all of them; the limit keeps SQLite from asking once for each sum. */
function rankCounts(db: MirrorDatabase, { table, rank, levels }: Judge, folder: number): Map<number, number> {
  const { sql, values } = rank(false)
  const sums = levels.map((level) => `sum(its = ${LEVELS.indexOf(level)}) as ${level}`)
  const row = db.get<Readonly<Record<string, number | null>>>(
    `select ${sums} from (select ${sql} as its from temp.${table} j where j.folder = ? limit -1)`,
    ...values,
    folder,
  )
  return new Map(levels.flatMap((level) => (row?.[level] ? [[LEVELS.indexOf(level), row[level]]] : [])))
}

export function sameForAll(level: Level): Judge {
  const rank = condition(String(LEVELS.indexOf(level)))
  return { levels: [level], rank: () => rank, table: undefined }
}

function furtherThan(from: number, upTo: number | undefined): number[] {
  return upTo === undefined || upTo <= from ? [] : [upTo]
}
