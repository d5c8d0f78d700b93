/**
 * The rules of a folder as SQL, in two steps: what of each rule lasts for as long as the message does is worked out once
 * and kept as bits; what can change, age and flags, is asked every time.
 *
 * INVARIANT: the level is the one that `compileFolder` gives. Bits are null where a fact that any rule needs is not known: the
 * message is hidden. SQLite knows integers of 64 bits, so many rules have several columns.
 */
import { compileFolder, type FolderDefinition, quantifierOf, type Rule } from '../../core/policy/folder.ts'
import { LEVELS, type Level } from '../../core/policy/level.ts'
import { isFickle, namesIn, type PredicateName } from '../../core/policy/predicates.ts'
import { allOf, anyOf, type Condition, condition } from './condition.ts'
import type { Value } from './database.ts'
import { COLUMN_OF_SOURCE, predicateCondition, SETS } from './predicates-sql.ts'

export interface RulesSql {
  /** Columns of bits, `b0`, `b1` …: what the bits of a message `m` are, with the sets that it needs joined. */
  readonly bits: readonly Condition[]
  readonly joins: string
  /** From the bits of `j`: the rank by the rules that last, and whether any of the others may have a say. */
  readonly lastingRank: string
  readonly unsettled: string
  /** The rank of the level, from the row of `j`. */
  rank(now: number): Condition
  /** The same, from the bits of `j` and from `m`, which it looks at always. */
  askedRank(now: number): Condition
  readonly levels: readonly Level[]
}

const BITS_A_COLUMN = 52
const FICKLE: ReadonlySet<PredicateName> = new Set(['newer_than', 'older_than', 'flagged'])

/** A level where every message has the same. */
export function rulesSql(definition: FolderDefinition): RulesSql | Level {
  const policy = compileFolder(definition)
  if (policy.uniform !== undefined) return policy.uniform.level
  const { mode, rules } = definition
  const over = quantifierOf(mode)
  const unknown = anyOf([...policy.needs].map((source) => condition(`m.${COLUMN_OF_SOURCE[source]} is null`)))
  const lasting = rules.map(({ match }) =>
    allOf(
      namesIn(match)
        .filter((name) => !FICKLE.has(name))
        .map((name) => predicateCondition(match, name, over, 0)),
    ),
  )
  const order = mode === 'whitelist' ? [...LEVELS].reverse() : LEVELS.slice(0, LEVELS.indexOf(policy.default))
  const decisive = order.filter((level) => rules.some((rule) => rule.level === level))
  return {
    bits: chunks(lasting).map((chunk) => bitsOf(chunk, unknown)),
    joins: [...policy.needs].map((source) => joinOf(COLUMN_OF_SOURCE[source], SETS[source])).join(''),
    lastingRank: rankOf(rules, decisive, policy.default, undefined).sql,
    unsettled: unsettledOf(rules),
    rank: (now) => settledOr(rules, now, rankOf(rules, decisive, policy.default, now)),
    askedRank: (now) => rankOf(rules, decisive, policy.default, now),
    levels: [
      ...new Set<Level>([...decisive, policy.default, policy.floor, ...(asksAge(rules) ? (['NONE'] as const) : [])]),
    ],
  }
}

/** Most messages are settled: only of the others are age and flags looked at. */
function settledOr(rules: readonly Rule[], now: number, asked: Condition): Condition {
  // A moment that is none hides what is judged by its age.
  if (!Number.isFinite(now) && asksAge(rules)) return condition('0')
  if (!rules.some(({ match }) => isFickle(match))) return condition('j.settled')
  const sql = `(case when j.unsettled = 0 then j.settled else (select ${asked.sql} from message m where m.key = j.key) end)`
  return { sql, values: asked.values }
}

function asksAge(rules: readonly Rule[]): boolean {
  return rules.some(({ match }) => match.newer_than !== undefined || match.older_than !== undefined)
}

function unsettledOf(rules: readonly Rule[]): string {
  const bits = rules.flatMap(({ match }, index) => (isFickle(match) ? [`coalesce(${bitSql(index)}, 0)`] : []))
  return bits.length === 0 ? '0' : anyOf(bits.map((sql) => condition(sql))).sql
}

function bitSql(index: number): string {
  return `j.b${Math.floor(index / BITS_A_COLUMN)} & ${2 ** (index % BITS_A_COLUMN)} <> 0`
}

function joinOf(column: string, set: string | undefined): string {
  return set === undefined ? '' : ` left join ${set} on ${set.slice(-1)}.id = m.${column}`
}

function chunks(lasting: readonly Condition[]): readonly (readonly Condition[])[] {
  const columns = Math.ceil(lasting.length / BITS_A_COLUMN)
  return Array.from({ length: columns }, (_, at) => lasting.slice(at * BITS_A_COLUMN, (at + 1) * BITS_A_COLUMN))
}

function bitsOf(lasting: readonly Condition[], unknown: Condition): Condition {
  const bits = lasting.map(({ sql }, at) => `(case when ${sql} then ${2 ** at} else 0 end)`)
  return {
    sql: `case when ${unknown.sql} then null else ${bits.join(' | ')} end`,
    values: [...unknown.values, ...lasting.flatMap(({ values }) => values)],
  }
}

/** Without a moment, by the rules that last alone. */
function rankOf(rules: readonly Rule[], decisive: readonly Level[], base: Level, now: number | undefined): Condition {
  const values: Value[] = []
  const cases = decisive.map((level) => {
    const held = anyOf(holding(rules, level, now))
    values.push(...held.values)
    return ` when ${held.sql} then ${LEVELS.indexOf(level)}`
  })
  return { sql: `(case when j.b0 is null then 0${cases.join('')} else ${LEVELS.indexOf(base)} end)`, values }
}

/** Whether any rule of that level holds: those that last together, each of the others by itself. */
function holding(rules: readonly Rule[], level: Level, now: number | undefined): Condition[] {
  const lasting = new Map<number, number>()
  const conditions: Condition[] = []
  for (const [index, { match, level: its }] of rules.entries()) {
    if (its !== level) continue
    const column = Math.floor(index / BITS_A_COLUMN)
    if (!isFickle(match)) lasting.set(column, (lasting.get(column) ?? 0) + 2 ** (index % BITS_A_COLUMN))
    else if (now !== undefined) {
      const fickle = namesIn(match).filter((name) => FICKLE.has(name))
      const asked = fickle.map((name) => predicateCondition(match, name, 'any', now))
      conditions.push(allOf([condition(bitSql(index)), ...asked]))
    }
  }
  return [...[...lasting].map(([column, bits]) => condition(`j.b${column} & ${bits} <> 0`)), ...conditions]
}
