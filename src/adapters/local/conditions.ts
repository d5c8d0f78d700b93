/** Criteria as SQL. `m` is the message, `c` its content. */
import type { Criteria } from '../../core/criteria.ts'
import { Failure } from '../../core/failure.ts'
import type { Value } from '../../ports/database-files.ts'
import type { Search } from '../../ports/mail-source.ts'
import { fold } from './fold.ts'
import { keyCondition } from './key-condition.ts'
import type { MailboxRow } from './mailboxes.ts'

export interface Condition {
  readonly sql: string
  readonly values: readonly Value[]
}

const DAY_SECONDS = 86_400
/** System flags are stored as RFC 3501 writes them. */
const FLAGGED = "(instr(' ' || m.flags || ' ', ' \\Flagged ') > 0) = ?"

/** What the index alone answers. What came after the mailbox was looked at is left out. */
export function exactCondition(mailbox: MailboxRow, { criteria, belowUid }: Search): Condition {
  const terms = ['m.mailbox = ?', 'm.uid < ?']
  const values = [mailbox.id, Math.min(belowUid ?? mailbox.uidnext, mailbox.uidnext)]
  if (criteria.unread) terms.push('m.seen = 0')
  if (criteria.since !== undefined) {
    terms.push('m.received >= ?')
    values.push(daySeconds(criteria.since))
  }
  if (criteria.until !== undefined) {
    terms.push('m.received < ?')
    values.push(daySeconds(criteria.until) + DAY_SECONDS)
  }
  return { sql: terms.join(' and '), values }
}

/** What only the message itself tells. Undefined where nothing of that kind is asked for. The cheap comes first. */
export function scannedCondition({ criteria, key }: Pick<Search, 'criteria' | 'key'>): Condition | undefined {
  const asked = key === undefined ? [] : [keyCondition(key)]
  const conditions = [...plainConditions(criteria), ...wordConditions(criteria), ...asked]
  if (conditions.length === 0) return undefined
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(' and ')})`,
    values: conditions.flatMap(({ values }) => values),
  }
}

function plainConditions({ flagged, larger, smaller }: Criteria): Condition[] {
  return [
    ...(flagged === undefined ? [] : [{ sql: FLAGGED, values: [flagged ? 1 : 0] }]),
    ...(larger === undefined ? [] : [{ sql: 'c.size > ?', values: [larger] }]),
    ...(smaller === undefined ? [] : [{ sql: 'c.size < ?', values: [smaller] }]),
  ]
}

function wordConditions({ from, to, subject, text }: Criteria): Condition[] {
  const columns: readonly (readonly [string, string | undefined])[] = [
    ['c.from_text', from],
    ['c.to_text', to],
    ['c.subject_text', subject],
    ['(select s.text from search_text s where s.content = c.id)', text],
  ]
  return columns.flatMap(([column, words]) =>
    words === undefined ? [] : [{ sql: `instr(${column}, ?) > 0`, values: [foldTerm(words)] }],
  )
}

function foldTerm(words: string): string {
  if (/\p{Cc}/u.test(words)) {
    throw new Failure('invalid_input', 'a search term holds no line breaks or control characters')
  }
  return fold(words)
}

function daySeconds(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000
}
