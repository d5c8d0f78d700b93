/**
 * The rules of a folder as SQL, in two steps: what of each rule lasts for as long as the message does is worked out once
 * and kept as bits; what can change, age and flags, is asked every time.
 *
 * INVARIANT: the level is the one that `compileFolder` gives. A rule's bit is set where all that it asks of senders, recipients,
 * subjects and the message itself holds: each of them has bits of its own, and what does not ask it is set in them. Bits
 * are null where a fact that any rule needs is not known: the message is hidden. SQLite knows integers of 64 bits, so many
 * rules have several columns.
 */
import type { FactSource } from '../../core/policy/facts.ts'
import { compileFolder, type FolderDefinition, quantifierOf, type Rule } from '../../core/policy/folder.ts'
import { LEVELS, type Level } from '../../core/policy/level.ts'
import { isFickle, namesIn, type PredicateName, predicateNamed } from '../../core/policy/predicates.ts'
import { allOf, anyOf, type Condition, condition } from './condition.ts'
import type { Value } from './database.ts'
import { COLUMN_OF_SOURCE, predicateCondition, SETS } from './predicates-sql.ts'

export interface RulesSql {
  /** The sets that rules look at, each with its columns of bits. */
  readonly sets: readonly SetSql[]
  /** Columns of bits of a message `m`, from the bits of its sets, which have their sets' names. */
  readonly bits: readonly Condition[]
  /** The rank of the level, from the bits of `j`, from `j.received` and from whether the message is flagged. */
  rank(now: number, flagged: string): Condition
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
  const decisive = order.filter((level) => rules.some((rule) => rule.level === level))
  return {
    sets,
    bits: bitColumns(own, rules.length).map((bits, at) => ({
      sql: `case when ${unknown.sql} then null else ${[...sets.map(({ name }) => `${name}.b${at}`), bits.sql].join(' & ')} end`,
      values: [...unknown.values, ...bits.values],
    })),
    rank: (now, flagged) => rankOf(rules, decisive, policy.default, now, flagged),
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

function rankOf(
  rules: readonly Rule[],
  decisive: readonly Level[],
  base: Level,
  now: number,
  flagged: string,
): Condition {
  // A moment that is none hides what is judged by its age.
  if (!Number.isFinite(now) && asksAge(rules)) return condition('0')
  const values: Value[] = []
  const cases = decisive.map((level) => {
    const held = anyOf(holding(rules, level, now, flagged))
    values.push(...held.values)
    return ` when ${held.sql} then ${LEVELS.indexOf(level)}`
  })
  return { sql: `(case when j.b0 is null then 0${cases.join('')} else ${LEVELS.indexOf(base)} end)`, values }
}

/** Whether any rule of that level holds: those that last together, each of the others by itself. */
function holding(rules: readonly Rule[], level: Level, now: number, flagged: string): Condition[] {
  const lasting = new Map<number, number>()
  const conditions: Condition[] = []
  for (const [index, { match, level: its }] of rules.entries()) {
    if (its !== level) continue
    const [column, bit] = [Math.floor(index / BITS_A_COLUMN), 2 ** (index % BITS_A_COLUMN)]
    if (isFickle(match)) conditions.push(allOf([hasBits(column, bit), ...askedNow(match, now, flagged)]))
    else lasting.set(column, (lasting.get(column) ?? 0) + bit)
  }
  return [...[...lasting].map(([column, bits]) => hasBits(column, bits)), ...conditions]
}

function hasBits(column: number, bits: number): Condition {
  return condition(`j.b${column} & ${bits} <> 0`)
}

function askedNow(
  { newer_than, older_than, flagged: wanted }: Rule['match'],
  now: number,
  flagged: string,
): Condition[] {
  return [
    ...(newer_than === undefined ? [] : [condition('? - j.received < ?', now, newer_than)]),
    ...(older_than === undefined ? [] : [condition('? - j.received > ?', now, older_than)]),
    ...(wanted === undefined ? [] : [condition(wanted ? flagged : `not ${flagged}`)]),
  ]
}
