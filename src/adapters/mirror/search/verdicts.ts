/**
 * What rules have made of messages, kept for as long as the store is open.
 *
 * INVARIANT: what is kept of a message depends on nothing but what never changes of it, and is worked out before it is asked
 * for: a table holds just those messages of a folder that are indexed at the moment that a search sees. It is in memory alone.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FolderDefinition } from '../../../core/policy/folder.ts'
import { LEVELS, type Level } from '../../../core/policy/level.ts'
import type { MirrorDatabase } from '../file/database.ts'
import type { FolderRow } from '../folders.ts'
import { type Condition, condition } from '../sql/condition.ts'
import { type RulesSql, rulesSql, type SetSql } from '../sql/rules-sql.ts'
import { settledMoment } from './settled-moment.ts'

/** At 500,000 messages one takes some thirty megabytes. */
const MOST_TABLES = 6
/** So many at once take some tens of milliseconds. */
const BATCH = 10_000

/** How the messages of a folder are judged. */
export interface Judge {
  /** The same for those that judge every message the same. */
  readonly name: string
  readonly levels: readonly Level[]
  /**
   * A number, 0 for `NONE`; from `j`. Whether the message is flagged is known, or asked: of the message `m` where that is
   * joined, which spares looking for it.
   */
  rank(flagged: 'yes' | 'no' | 'joined' | 'apart'): Condition
  /** What `rank` calls `j`, by `j.key`; undefined where every message has the same level. */
  readonly table: string | undefined
  /** Whether those that are flagged may have another level than `j.unflagged`. */
  readonly asksFlags: boolean
}

const FLAGGED = {
  joined: '(m.bits & 2 <> 0)',
  // Few are; an index has them.
  apart: '(j.key in (select key from message where bits & 2 <> 0))',
}

interface Table {
  readonly name: string
  readonly rules: RulesSql
  /** By folder: the last one that was worked out, by its number. */
  readonly upTo: Map<number, number>
  /** Of what was removed up to that one nothing is left in it. */
  removed: number
  /** As of which moment it judged last. */
  judged?: { readonly asOf: number; readonly judge: Judge }
}

export class Verdicts {
  readonly #db: MirrorDatabase
  readonly #tables = new Map<string, Table>()
  #made = 0

  constructor(db: MirrorDatabase) {
    this.#db = db
  }

  /** Within a read: whether nothing is missing, as far as that can be told at once. */
  isReady(definition: FolderDefinition, folders: readonly FolderRow[]): boolean {
    const rules = rulesSql(definition)
    if (typeof rules === 'string') return true
    const table = this.#tables.get(rules.digest)
    return table !== undefined && !this.#isAhead(table) && this.#isDone(table, folders)
  }

  /** Works out what is missing, a little at a time. `judge` does what is then left. */
  async prepare(definition: FolderDefinition, folders: readonly FolderRow[]): Promise<void> {
    const rules = rulesSql(definition)
    if (typeof rules === 'string') return
    try {
      // Others may have taken its place meanwhile.
      while (!this.#advance(this.#table(rules), folders)) await nextTurn()
    } catch (error) {
      this.forget()
      throw error
    }
  }

  /** Within the read that uses it. */
  judge(definition: FolderDefinition, folders: readonly FolderRow[], now: number): Judge {
    const rules = rulesSql(definition)
    if (typeof rules === 'string') return sameForAll(rules)
    // A moment that is none hides what is judged by its age.
    if (rules.ages.length > 0 && !Number.isFinite(now)) return sameForAll('NONE')
    const table = this.#table(rules)
    for (let done = this.#isDone(table, folders); !done; ) done = this.#advance(table, folders)
    // What is asked the same way is remembered: a second that changes nothing must not change the question.
    const asOf = rules.ages.length > 0 ? settledMoment(this.#db, rules.ages, now) : 0
    if (table.judged?.asOf !== asOf) table.judged = { asOf, judge: judgeAt(table, asOf) }
    return table.judged.judge
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

  /** The file is shut, and its tables with it. Names are not used again: searches that are under way make theirs anew. */
  letGo(): void {
    this.#tables.clear()
  }

  #table(rules: RulesSql): Table {
    const known = this.#tables.get(rules.digest)
    const isOf = known !== undefined && !this.#isAhead(known)
    if (known !== undefined && !isOf) this.#drop(known)
    const table = isOf ? known : this.#make(rules)
    // The one that was asked for last is the last to go.
    this.#tables.delete(rules.digest)
    this.#tables.set(rules.digest, table)
    return table
  }

  #make(rules: RulesSql): Table {
    this.#made += 1
    const name = `verdict_${this.#made}`
    const columns = rules.bits.map((_, at) => `b${at}`)
    const sets = rules.sets.map((set) => `create temp table ${name}_${set.name} (id integer primary key, ${columns});`)
    this.#db.script(
      `${sets.join('')}
       create temp table ${name} (key integer primary key, folder integer, received integer, unflagged integer, ${columns});
       create index temp.${name}_folder on ${name} (folder, unflagged)`,
    )
    return { name, rules, upTo: new Map(), removed: this.#db.last().removed }
  }

  #drop({ name, rules }: Table): void {
    const all = [name, ...rules.sets.map((set) => `${name}_${set.name}`)]
    this.#db.script(all.map((one) => `drop table if exists temp.${one};`).join(''))
  }

  /** Whether nothing is left: sets first, since messages refer to them. */
  #advance(table: Table, folders: readonly FolderRow[]): boolean {
    return this.#db.read(() => {
      if (this.#isDone(table, folders)) return true
      this.#forgetRemoved(table)
      for (const set of table.rules.sets) if (this.#judgeSets(table, set) > 0) return false
      return this.#judgeMessages(table, folders, this.#db.last().entered)
    })
  }

  /** Of a file that has never been as far: somebody has put an older one in its place. */
  #isAhead({ upTo, removed }: Table): boolean {
    const last = this.#db.last()
    return removed > last.removed || [...upTo.values()].some((its) => its > last.entered)
  }

  /** No message was removed or indexed since, and so no set is new. */
  #isDone({ upTo, removed }: Table, folders: readonly FolderRow[]): boolean {
    const last = this.#db.last()
    return removed === last.removed && folders.every(({ id }) => (upTo.get(id) ?? 0) >= last.entered)
  }

  /** One by one, unless there were so many that they are no longer told. Before others get their keys, but for other folders'. */
  #forgetRemoved(table: Table): void {
    const { removed } = this.#db.last()
    const told = this.#db.get<{ many: number }>('select count(*) as many from removed where number > ?', table.removed)
    const isTold = told?.many === removed - table.removed
    const these = isTold
      ? 'key in (select key from removed where number > ?)'
      : 'not exists (select 1 from message m where m.key = verdict.key and m.folder = verdict.folder)'
    this.#db.run(`delete from temp.${table.name} as verdict where ${these}`, ...(isTold ? [table.removed] : []))
    table.removed = removed
    this.#forgetFolders(table)
  }

  /** Of those that are gone: no other has ever their number. */
  #forgetFolders({ name, upTo }: Table): void {
    const there = new Set(this.#db.all<{ id: number }>('select id from folder').map(({ id }) => id))
    for (const id of [...upTo.keys()].filter((known) => !there.has(known))) {
      this.#db.run(`delete from temp.${name} where folder = ?`, id)
      upTo.delete(id)
    }
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
  #judgeMessages({ name, rules, upTo }: Table, folders: readonly FolderRow[], last: number): boolean {
    const from = Math.min(last, ...folders.map(({ id }) => upTo.get(id) ?? 0))
    if (from >= last) return true
    const behind = folders.map(({ id }) => id).filter((id) => (upTo.get(id) ?? 0) === from)
    const next = Math.min(last, from + BATCH, ...folders.flatMap(({ id }) => furtherThan(from, upTo.get(id))))
    const joins = rules.sets.map(
      (set) => ` left join temp.${name}_${set.name} ${set.name} on ${set.name}.id = m.${set.column}`,
    )
    this.#db.run(
      `insert or replace into temp.${name}
       select j.key, j.folder, j.received, ${rules.unflagged}, ${rules.bits.map((_, at) => `j.b${at}`)} from (
         select m.key, m.folder, m.received, ${rules.bits.map(({ sql }, at) => `${sql} as b${at}`)} from message m${joins.join('')}
         where m.entered > ? and m.entered <= ? and +m.folder in (select value from json_each(?)) limit -1) j`,
      ...rules.bits.flatMap(({ values }) => values),
      from,
      next,
      JSON.stringify(behind),
    )
    for (const id of behind) upTo.set(id, next)
    return next >= last && folders.every(({ id }) => upTo.get(id) === last)
  }
}

function judgeAt({ name, rules: { levels, asksFlags, rank } }: Table, now: number): Judge {
  const [yes, no] = [rank(now, true), rank(now, false)]
  const asked = (flagged: string): Condition =>
    asksFlags ? condition(`(case when ${flagged} then ${yes.sql} else ${no.sql} end)`, ...yes.values, ...no.values) : no
  const ranks = { yes, no, joined: asked(FLAGGED.joined), apart: asked(FLAGGED.apart) }
  return { name: `${name} ${now}`, levels, rank: (flagged) => ranks[flagged], table: name, asksFlags }
}

export function sameForAll(level: Level): Judge {
  const rank = condition(String(LEVELS.indexOf(level)))
  return { name: level, levels: [level], rank: () => rank, table: undefined, asksFlags: false }
}

function furtherThan(from: number, upTo: number | undefined): number[] {
  return upTo === undefined || upTo <= from ? [] : [upTo]
}
