/**
 * The rules of a folder as SQL, in two steps: what of each rule lasts for as long as the message does is worked out once
 * and kept as bits; what can change, age and flags, is asked every time.
 *
 * INVARIANT: the level is the one that `compileFolder` gives. A rule's bit is set where all that it asks of senders, recipients,
 * subjects and the message itself holds: each of them has bits of its own, and what does not ask it is set in them. Bits
 * are null where a fact that any rule needs is not known: the message is hidden. SQLite knows integers of 64 bits, so many
 * rules have several columns. Most messages are not flagged, and of most the age does not matter: what they have is kept too.
 */
import type { FactSource } from '../../../core/policy/facts.ts'
import { compileFolder, type FolderDefinition, quantifierOf, type Rule } from '../../../core/policy/folder.ts'
import { LEVELS, type Level } from '../../../core/policy/level.ts'
import { namesIn, type PredicateName, predicateNamed } from '../../../core/policy/predicates.ts'
import type { Value } from '../file/database.ts'
import { allOf, anyOf, type Condition, condition } from './condition.ts'
import { COLUMN_OF_SOURCE, predicateCondition, SETS } from './predicates-sql.ts'

export interface RulesSql {
  /** The same for rules that say the same. Those that make no sense have none: two of them may look alike. */
  readonly digest: string
  /** The sets that rules look at, each with its columns of bits. */
  readonly sets: readonly SetSql[]
  /** Columns of bits of a message `m`, from the bits of its sets, which have their sets' names. */
  readonly bits: readonly Condition[]
  /** From the bits of `j`: the rank that a message has for as long as it is not flagged; null where its age decides. */
  readonly unflagged: string
  readonly asksFlags: boolean
  /** All that any rule asks for, each once. */
  readonly ages: readonly number[]
  /** The rank of the level that a message has while it is flagged, or is not: from `j` with its bits and `j.received`. */
  rank(now: number, isFlagged: boolean): Condition
  readonly levels: readonly Level[]
}

export interface SetSql {
  /** With its name in conditions: `sender_set s`. */
  readonly table: string
  readonly name: string
  /** The column of `message` that refers to it. */
  readonly column: string
  readonly bits: readonly Condition[]
}

const BITS_A_COLUMN = 52

/** The same rules are asked for with every search. */
const KNOWN = new WeakMap<FolderDefinition, RulesSql | Level>()

/** A level where every message has the same. */
export function rulesSql(definition: FolderDefinition): RulesSql | Level {
  const known = KNOWN.get(definition) ?? compiled(definition)
  KNOWN.set(definition, known)
  return known
}

function compiled(definition: FolderDefinition): RulesSql | Level {
  const policy = compileFolder(definition)
  if (policy.uniform !== undefined) return policy.uniform.level
  const { mode, rules } = definition
  const over = quantifierOf(mode)
  const asked = (index: number, wanted: (name: PredicateName) => boolean): Condition[] => {
    const match = rules[index]?.match ?? {}
    return namesIn(match)
      .filter((name) => !isAskedAlways(name) && wanted(name))
      .map((name) => predicateCondition(match, name, over, 0))
  }
  const sets = [...policy.needs].flatMap((source) =>
    setOf(source, (index) => asked(index, (name) => predicateNamed(name).needs === source), rules.length),
  )
  const unknown = anyOf([...policy.needs].map((source) => condition(`m.${COLUMN_OF_SOURCE[source]} is null`)))
  const own = (index: number): Condition[] => asked(index, (name) => setNamed(predicateNamed(name).needs) === undefined)
  const order = mode === 'whitelist' ? [...LEVELS].reverse() : LEVELS.slice(0, LEVELS.indexOf(policy.default))
  const asksFlags = rules.some(({ match }) => match.flagged !== undefined)
  const decisive = order.filter((level) => rules.some((rule) => rule.level === level))
  return {
    digest: JSON.stringify([mode, definition.default, rules]),
    sets,
    bits: bitColumns(own, rules.length).map((bits, at) => ({
      sql: `case when ${unknown.sql} then null else ${[...sets.map(({ name }) => `${name}.b${at}`), bits.sql].join(' & ')} end`,
      values: [...unknown.values, ...bits.values],
    })),
    unflagged: unflaggedRank(
      [...rules.entries()].filter(([, { match }]) => match.flagged !== true),
      decisive,
      policy.default,
    ),
    asksFlags,
    ages: [...new Set(rules.flatMap(({ match }) => [match.newer_than ?? [], match.older_than ?? []].flat()))],
    rank: (now, isFlagged) => {
      const possible = [...rules.entries()].filter(([, { match }]) => (match.flagged ?? isFlagged) === isFlagged)
      const { sql, values } = rankOf(possible, decisive, policy.default, now)
      return { sql: isFlagged ? sql : `coalesce(j.unflagged, ${sql})`, values }
    },
    levels: [
      ...new Set<Level>([...decisive, policy.default, policy.floor, ...(asksAge(rules) ? (['NONE'] as const) : [])]),
    ],
  }
}

function setNamed(source: FactSource | undefined): string | undefined {
  return source && SETS[source]
}

function setOf(source: FactSource, asked: (index: number) => Condition[], rules: number): SetSql[] {
  const table = setNamed(source)
  if (table === undefined) return []
  return [{ table, name: table.slice(-1), column: COLUMN_OF_SOURCE[source], bits: bitColumns(asked, rules) }]
}

/** One bit for each rule, set where all holds that it asks. */
function bitColumns(asked: (index: number) => readonly Condition[], rules: number): Condition[] {
  return Array.from({ length: Math.ceil(rules / BITS_A_COLUMN) }, (_, column) => {
    const terms: Condition[] = []
    let set = 0
    for (let at = 0; at < BITS_A_COLUMN && column * BITS_A_COLUMN + at < rules; at += 1) {
      const conditions = asked(column * BITS_A_COLUMN + at)
      const { sql, values } = allOf(conditions)
      if (conditions.length === 0) set += 2 ** at
      else terms.push({ sql: `(case when ${sql} then ${2 ** at} else 0 end)`, values })
    }
    return {
      sql: `(${[String(set), ...terms.map(({ sql }) => sql)].join(' | ')})`,
      values: terms.flatMap(({ values }) => values),
    }
  })
}

function asksAge(rules: readonly Rule[]): boolean {
  return rules.some(({ match }) => match.newer_than !== undefined || match.older_than !== undefined)
}

/** What can change of a message, or with time. */
function isAskedAlways(name: PredicateName): boolean {
  return name === 'newer_than' || name === 'older_than' || name === 'flagged'
}

/** With its place among all rules. */
type Placed = readonly [index: number, rule: Rule]

function rankOf(rules: readonly Placed[], decisive: readonly Level[], base: Level, now: number): Condition {
  const values: Value[] = []
  const cases = decisive.flatMap((level) => {
    const { sure, unsure } = rulesOf(rules, level)
    const aged = unsure.flatMap(([index, { match }]) =>
      anyHolds([index]).map((held) => allOf([condition(held), ...askedNow(match, now)])),
    )
    const held = anyOf([...anyHolds(sure).map((sql) => condition(sql)), ...aged])
    values.push(...held.values)
    return [` when ${held.sql} then ${LEVELS.indexOf(level)}`]
  })
  return { sql: rankCases(cases, base), values }
}

/** Level by level: what lasts decides; where the age of the message may, nothing further does. */
function unflaggedRank(rules: readonly Placed[], decisive: readonly Level[], base: Level): string {
  const cases = decisive.flatMap((level) => {
    const { sure, unsure } = rulesOf(rules, level)
    return [
      ...anyHolds(sure).map((held) => ` when ${held} then ${LEVELS.indexOf(level)}`),
      ...anyHolds(unsure.map(([index]) => index)).map((held) => ` when ${held} then null`),
    ]
  })
  return rankCases(cases, base)
}

function rankCases(cases: readonly string[], base: Level): string {
  return `(case when j.b0 is null then 0${cases.join('')} else ${LEVELS.indexOf(base)} end)`
}

/** Those whose bits say that they hold, and those that ask for an age as well. */
function rulesOf(rules: readonly Placed[], level: Level): { sure: readonly number[]; unsure: readonly Placed[] } {
  const its = rules.filter(([, rule]) => rule.level === level)
  const sure = its.filter(([, rule]) => !asksAge([rule])).map(([index]) => index)
  return { sure, unsure: its.filter(([, rule]) => asksAge([rule])) }
}

/** Whether what lasts of any of these rules holds; none where there are none. */
function anyHolds(indexes: readonly number[]): readonly string[] {
  const bits = new Map<number, number>()
  for (const index of indexes) {
    const column = Math.floor(index / BITS_A_COLUMN)
    bits.set(column, (bits.get(column) ?? 0) + 2 ** (index % BITS_A_COLUMN))
  }
  const terms = [...bits].map(([column, all]) => hasBits(column, all))
  return terms.length === 0 ? [] : [`(${terms.join(' or ')})`]
}

function hasBits(column: number, bits: number): string {
  return `j.b${column} & ${bits} <> 0`
}

function askedNow({ newer_than, older_than }: Rule['match'], now: number): Condition[] {
  return [
    ...(newer_than === undefined ? [] : [condition('? - j.received < ?', now, newer_than)]),
    ...(older_than === undefined ? [] : [condition('? - j.received > ?', now, older_than)]),
  ]
}
