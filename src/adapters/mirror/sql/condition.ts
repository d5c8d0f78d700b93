/** A condition as SQL with its values. `m` is the message. */
import type { Value } from '../file/database.ts'

export interface Condition {
  readonly sql: string
  readonly values: readonly Value[]
}

export const ALWAYS: Condition = { sql: '1', values: [] }
export const NEVER: Condition = { sql: '0', values: [] }

export function condition(sql: string, ...values: readonly Value[]): Condition {
  return { sql, values }
}

export function allOf(conditions: readonly Condition[]): Condition {
  return joined('and', conditions, ALWAYS)
}

export function anyOf(conditions: readonly Condition[]): Condition {
  return joined('or', conditions, NEVER)
}

export function noneOf({ sql, values }: Condition): Condition {
  return { sql: `(not ${sql})`, values }
}

/** As a tree that is as flat as can be: SQLite bounds how deep one may be. */
function joined(word: 'and' | 'or', conditions: readonly Condition[], empty: Condition): Condition {
  const [first = empty] = conditions
  if (conditions.length < 2) return first
  const half = Math.ceil(conditions.length / 2)
  const [left, right] = [conditions.slice(0, half), conditions.slice(half)].map((some) => joined(word, some, empty))
  if (left === undefined || right === undefined) return empty
  return { sql: `(${left.sql} ${word} ${right.sql})`, values: [...left.values, ...right.values] }
}
