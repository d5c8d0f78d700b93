/** Criteria as SQL, with the meaning of IMAP SEARCH. */
import type { Criteria } from '../../../core/criteria.ts'
import { Failure } from '../../../core/failure.ts'
import type { Query } from '../../../core/query/query.ts'
import { fold } from '../fold.ts'
import { type Condition, condition } from './condition.ts'
import { flagCondition, UNSEEN } from './query-sql.ts'

const DAY_SECONDS = 86_400

/** But for days, which are `spanOf`. The cheap ones come first. */
export function criteriaConditions(criteria: Criteria): readonly Condition[] {
  if (criteria.text !== undefined) throw new Error('a mirror is not asked for the text of IMAP SEARCH')
  const { unread, flagged, larger, smaller, from, to, subject } = criteria
  return [
    ...(unread ? [UNSEEN] : []),
    ...(flagged === undefined ? [] : [flaggedCondition(flagged)]),
    ...(larger === undefined ? [] : [condition('m.size > ?', larger)]),
    ...(smaller === undefined ? [] : [condition('m.size < ?', smaller)]),
    ...holding('sender', from),
    ...holding('recipients', to),
    ...holding('subject', subject),
  ]
}

/** Whether it looks at what only indexed messages have. */
export function looksAtWords({ from, to, subject }: Criteria): boolean {
  return from !== undefined || to !== undefined || subject !== undefined
}

/** Days as part of a query, which knows what to make of them. */
export function spanOf({ since, until }: Criteria): Extract<Query, { kind: 'received' }> {
  return {
    kind: 'received',
    ...(since !== undefined && { from: daySeconds(since) }),
    ...(until !== undefined && { before: daySeconds(until) + DAY_SECONDS }),
  }
}

function flaggedCondition(wanted: boolean): Condition {
  const { sql, values } = flagCondition('\\Flagged')
  return { sql: `${sql} = ${wanted ? 1 : 0}`, values }
}

function holding(column: string, words: string | undefined): Condition[] {
  if (words === undefined) return []
  if (/\p{Cc}/u.test(words)) {
    throw new Failure('invalid_input', 'a search term holds no line breaks or control characters')
  }
  const sql = `exists (select 1 from folded f where f.key = m.key and instr(f.${column}, ?) > 0)`
  return [condition(sql, fold(words))]
}

function daySeconds(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000
}
