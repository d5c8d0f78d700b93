/**
 * One walk through messages in the order of their keys: through hits of the index, or through a folder.
 *
 * INVARIANT: newest first, and no further than asked for. Tables are joined only where something is asked of them.
 */
import { LEVELS, type Level } from '../../core/policy/level.ts'
import type { Search } from '../../ports/mail-source.ts'
import { ALWAYS, allOf, type Condition, condition } from './condition.ts'
import type { MirrorDatabase } from './database.ts'
import { placeSql, secondSql } from './key-sql.ts'
import type { Plan } from './query-sql.ts'
import type { Judge } from './verdicts.ts'
import { inFolders, notInFolders } from './words-sql.ts'

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
  /** Orders as the key does. */
  readonly place: string
}

/** Those that match, and how many of them have at least that level. Whoever goes from page to page asks again and again. */
export function count(db: MirrorDatabase, walk: Walk, needed: Level): { matched: number; visible: number } {
  const levels = [...walk.meets.keys()]
  const seen = levels.filter((level) => LEVELS.indexOf(level) >= LEVELS.indexOf(needed))
  const mixed = seen.length > 0 && seen.length < levels.length
  const { from, where, rank } = sqlOf(walk, mixed)
  const visible = mixed ? condition(`sum(${rank.sql} >= ${LEVELS.indexOf(needed)})`, ...rank.values) : ZERO
  const row = db.getOnce<{ matched: number; visible: number | null }>(
    `select count(*) as matched, ${visible.sql} as visible from ${from} where ${where.sql}`,
    ...visible.values,
    ...where.values,
  )
  const matched = row?.matched ?? 0
  return { matched, visible: mixed ? (row?.visible ?? 0) : seen.length > 0 ? matched : 0 }
}

const ZERO = condition('0')

export function firstStops(db: MirrorDatabase, walk: Walk, after: Search['after'], most: number): Stop[] {
  const behind = after === undefined ? [] : [behindSql(after, walk)]
  const { from, where, rank } = sqlOf({ ...walk, conditions: [...walk.conditions, ...behind] }, true, true)
  return db.all<Stop>(
    `select m.folder, m.uid, m.received, ${rank.sql} as rank, printf('%019d', m.key) as place
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

function sqlOf(walk: Walk, ranked: boolean, shown = false): Sql {
  const { plan, judge, meets, conditions } = walk
  const key = keyOf(walk)
  const limited = judge.levels.some((level) => meets.get(level) !== MET)
  const judged = judge.table !== undefined && (ranked || limited)
  const rest = [...(plan.rest.sql === '1' ? [] : [plan.rest]), ...conditions]
  const looks = shown || rest.length > 0 || plan.words === undefined || [...meets.values()].some((its) => its.looks)
  const rank = judge.rank(looks ? 'joined' : 'apart')
  const tables = [
    ...(plan.words === undefined ? [] : ['words w']),
    ...(looks ? [plan.words === undefined ? 'message m' : 'message m on m.key = w.rowid'] : []),
    ...(judged ? [`temp.${judge.table} j on j.key = ${key}`] : []),
  ]
  const terms = [...placeTerms(walk), ...spanTerms(plan, key), ...(limited ? [levelTerm(rank, walk)] : []), ...rest]
  return { from: tables.join(' cross join '), where: allOf(terms), rank }
}

function levelTerm(rank: Condition, walk: Walk): Condition {
  const values = [...rank.values]
  const cases = [...walk.meets].map(([level, its]) => {
    const met = its.condition(keyOf(walk))
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
  return [more.length === 0 ? condition('m.folder = ?', first ?? 0) : condition(`+m.folder in (${folders})`)]
}

/** The key tells the time, so that what is too new or too old is not even walked through. */
function spanTerms({ from, before }: Plan, key: string): Condition[] {
  const values: Condition[] = []
  if (from !== undefined && from >= 1) values.push(condition(`${key} < ${secondSql('?')} + 2147483648`, from))
  if (before !== undefined) values.push(condition(`${key} >= ${secondSql('?')}`, before - 1))
  return values
}
