/**
 * One walk through messages in the order of their keys: through hits of the index, or through a folder.
 *
 * INVARIANT: newest first, and no further than asked for. Tables are joined only where something is asked of them.
 */
import { LEVELS, type Level } from '../../../core/policy/level.ts'
import type { Search } from '../../../ports/mail-source.ts'
import type { MirrorDatabase, Value } from '../file/database.ts'
import type { FolderRow } from '../folders.ts'
import { ALWAYS, allOf, type Condition, condition } from '../sql/condition.ts'
import { placeSql, secondSql } from '../sql/key-sql.ts'
import type { Plan } from '../sql/query-sql.ts'
import { inFolders, isOpen, notInFolders } from '../sql/words-sql.ts'
import type { Judge } from './verdicts.ts'

export interface Walk {
  readonly plan: Plan
  /** Undefined for all there are. */
  readonly folders: readonly number[] | undefined
  /** All the others, where they hold less than these. */
  readonly others?: readonly number[]
  readonly judge: Judge
  /** Only messages of these levels, of which there is one at least, each where this holds. */
  readonly meets: ReadonlyMap<Level, Meeting>
  /** On `m`. */
  readonly conditions: readonly Condition[]
}

/** What must hold beyond the plan. */
export interface Meeting {
  /** Of the message of that key. */
  condition(key: string): Condition
  /** Whether it looks at `m`. */
  readonly looks: boolean
}

export const MET: Meeting = { condition: () => ALWAYS, looks: false }

export interface Stop {
  readonly folder: number
  readonly uid: number
  readonly received: number
  readonly rank: number
  /** Orders as the key does; empty where nobody asks. */
  readonly place: string
}

/** Those that match, and how many of them have at least that level. Whoever goes from page to page asks again and again. */
export function count(
  db: MirrorDatabase,
  walk: Walk,
  folders: readonly FolderRow[],
  needed: Level,
): { matched: number; visible: number } {
  const levels = [...walk.meets.keys()]
  const seen = levels.filter((level) => LEVELS.indexOf(level) >= LEVELS.indexOf(needed))
  const mixed = seen.length > 0 && seen.length < levels.length
  const asked = (after?: number): Condition => countSql(walk, mixed ? needed : undefined, after)
  const { sql, values } = asked()
  const counted = { question: questionOf(sql, values), asksFlags: /\b(bits|keywords)\b/.test(sql), folders }
  const [matched = 0, visible = 0] = db.tally(counted, (after) => {
    const { sql: anew, values: its } = after === undefined ? { sql, values } : asked(after)
    const row = db.get<{ matched: number; visible: number | null }>(anew, ...its)
    return [row?.matched ?? 0, row?.visible ?? 0]
  })
  return { matched, visible: mixed ? visible : seen.length > 0 ? matched : 0 }
}

function countSql(walk: Walk, needed: Level | undefined, after: number | undefined): Condition {
  const { from, where, rank } = sqlOf(walk, { ranked: needed !== undefined, after })
  const visible =
    needed === undefined ? ZERO : condition(`sum(${rank.sql} >= ${LEVELS.indexOf(needed)})`, ...rank.values)
  return condition(
    `select count(*) as matched, ${visible.sql} as visible from ${from} where ${where.sql}`,
    ...visible.values,
    ...where.values,
  )
}

/** A number is itself; whatever else is quoted, with its type. */
function questionOf(sql: string, values: readonly Value[]): string {
  const told = values.map((value) =>
    typeof value === 'number' ? value : `${typeof value} ${JSON.stringify(String(value))}`,
  )
  return `${sql}\n\n${told.join()}`
}

const ZERO = condition('0')

/** In their order; those of several walks are put in order by their places. */
export function firstStops(
  db: MirrorDatabase,
  walk: Walk,
  after: Search['after'],
  most: number,
  placed: boolean,
): Stop[] {
  const behind = after === undefined ? [] : [behindSql(after, walk)]
  const { from, where, rank } = sqlOf(
    { ...walk, conditions: [...walk.conditions, ...behind] },
    { ranked: true, shown: true },
  )
  return db.all<Stop>(
    `select m.folder, m.uid, m.received, ${rank.sql} as rank, ${placed ? "printf('%019d', m.key)" : "''"} as place
     from ${from} where ${where.sql} order by ${keyOf(walk)} limit ?`,
    ...rank.values,
    ...where.values,
    most,
  )
}

function keyOf({ plan }: Walk): string {
  return plan.words === undefined ? 'm.key' : 'w.rowid'
}

/** The message itself may have been given another key than its own; once it is gone, its own says where it was. */
function behindSql({ received, uid }: NonNullable<Search['after']>, walk: Walk): Condition {
  const folders = walk.folders ?? 'select id from folder'
  const its = `select max(key) from message where folder in (${folders}) and uid = ? and received = ?`
  return condition(`${keyOf(walk)} > coalesce((${its}), (${placeSql('?', '?')} | 255))`, uid, received, received, uid)
}

interface Sql {
  readonly from: string
  readonly where: Condition
  readonly rank: Condition
}

interface Wanted {
  readonly ranked: boolean
  readonly shown?: boolean
  /** Only messages that were indexed after that one. */
  readonly after?: number | undefined
}

function sqlOf(walk: Walk, { ranked, shown = false, after }: Wanted): Sql {
  const { plan, judge, meets, conditions } = walk
  const isLate = after !== undefined
  // The plus keeps SQLite from any other way to them than by when they were indexed.
  const key = isLate ? '+m.key' : keyOf(walk)
  const limited = judge.levels.some((level) => meets.get(level) !== MET)
  const judged = judge.table !== undefined && (ranked || limited)
  const rest = [...(plan.rest.sql === '1' ? [] : [plan.rest]), ...conditions]
  const looks =
    isLate || shown || rest.length > 0 || plan.words === undefined || [...meets.values()].some((its) => its.looks)
  const rank = judge.rank(looks ? 'joined' : 'apart')
  const walked = isLate ? lateTables(plan) : tablesOf(plan, looks)
  const tables = [...walked, ...(judged ? [`temp.${judge.table} j on j.key = ${key}`] : [])]
  const terms = [
    ...(isLate ? lateTerms(walk, after) : placeTerms(walk)),
    ...spanTerms(plan, key),
    ...(limited ? [levelTerm(rank, walk, key)] : []),
    ...rest,
  ]
  return { from: tables.join(' cross join '), where: allOf(terms), rank }
}

function tablesOf({ words }: Plan, looks: boolean): readonly string[] {
  if (words === undefined) return ['message m']
  return looks ? ['words w', 'message m on m.key = w.rowid'] : ['words w']
}

/** Few messages, of each of which the index is asked; but once for all where every question would take as long as that. */
function lateTables({ words }: Plan): readonly string[] {
  return words === undefined || isOpen(words) ? ['message m'] : ['message m', 'words w on w.rowid = m.key']
}

/** Each message tells its folder itself, so that the index is not asked for those. */
function lateTerms({ plan: { words }, folders }: Walk, after: number): Condition[] {
  return [
    condition('m.entered > ?', after),
    ...(folders === undefined ? [] : [condition(`+m.folder in (${folders})`)]),
    ...(words === undefined ? [] : [condition(isOpen(words) ? AMONG_HITS : 'w.words match ?', words)]),
  ]
}

const AMONG_HITS = '+m.key in (select rowid from words where words match ?)'

function levelTerm(rank: Condition, walk: Walk, key: string): Condition {
  const values = [...rank.values]
  const cases = [...walk.meets].map(([level, its]) => {
    const met = its.condition(key)
    values.push(...met.values)
    return ` when ${LEVELS.indexOf(level)} then ${met.sql}`
  })
  return { sql: `(case ${rank.sql}${cases.join('')} else 0 end)`, values }
}

/** One folder has an index that is in order; several are picked out of all. */
function placeTerms({ plan, folders, others }: Walk): Condition[] {
  if (plan.words !== undefined) {
    const within = folders === undefined ? plan.words : inFolders(plan.words, folders)
    return [condition('w.words match ?', others === undefined ? within : notInFolders(plan.words, others))]
  }
  if (folders === undefined) return []
  const [first, ...more] = folders
  if (more.length === 0) return [condition('m.folder = ?', first ?? 0)]
  return [condition(`+m.folder in (${folders})`)]
}

/** The key tells the time, so that what is too new or too old is not even walked through. */
function spanTerms({ from, before }: Plan, key: string): Condition[] {
  const values: Condition[] = []
  if (from !== undefined && from >= 1) values.push(condition(`${key} < ${secondSql('?')} + 2147483648`, from))
  if (before !== undefined) values.push(condition(`${key} >= ${secondSql('?')}`, before - 1))
  return values
}
