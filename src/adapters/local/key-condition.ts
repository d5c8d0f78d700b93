/**
 * A search key as SQL. `m` is the message, `c` its content.
 *
 * INVARIANT: words are looked for in no less than the field that is meant, so that what is found is all there is to find
 * and perhaps more. Flags and sizes are exact; days are those of UTC.
 */
import type { SearchKey } from '../../core/query/search-key.ts'
import type { Condition } from './conditions.ts'
import { fold } from './fold.ts'

const SIZE = 'c.size'
/** A text that was cut may hold any words further down. */
const EVERYTHING = 'exists (select 1 from search_text s where s.content = c.id and (s.cut = 1 or instr(s.text, ?) > 0))'

/** Fields that have a column of their own; all others stand in the text of the whole message. */
const COLUMNS: Readonly<Record<string, string>> = {
  from: 'c.from_text',
  to: 'c.to_text',
  subject: 'c.subject_text',
}

export function keyCondition(key: SearchKey): Condition {
  switch (key.kind) {
    case 'all':
      return { sql: '1', values: [] }
    case 'none':
      return { sql: '0', values: [] }
    case 'and':
    case 'or':
      return joined(key.kind, key.of.map(keyCondition))
    case 'not': {
      const { sql, values } = keyCondition(key.of)
      return { sql: `not ${sql}`, values }
    }
    case 'flag':
    case 'unflag':
      return {
        sql: `instr(lower(' ' || m.flags || ' '), ?) ${key.kind === 'flag' ? '>' : '='} 0`,
        values: [` ${key.flag.toLowerCase()} `],
      }
    case 'larger':
    case 'smaller':
      return { sql: `${SIZE} ${key.kind === 'larger' ? '>' : '<'} ?`, values: [key.bytes] }
    case 'since':
      return { sql: 'm.received >= ?', values: [secondsOf(key.day)] }
    case 'before':
      return { sql: 'm.received < ?', values: [secondsOf(key.day)] }
    default:
      return { sql: wordsIn(COLUMNS[key.kind]), values: [fold(key.contains)] }
  }
}

function wordsIn(column: string | undefined): string {
  return column === undefined ? EVERYTHING : `instr(${column}, ?) > 0`
}

function joined(by: 'and' | 'or', conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return { sql: by === 'and' ? '1' : '0', values: [] }
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(` ${by} `)})`,
    values: conditions.flatMap(({ values }) => values),
  }
}

function secondsOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000
}
