/** Criteria as SQL. `m` is the message, `c` its content. */
import type { Criteria } from '../../core/criteria.ts'
import { Failure } from '../../core/failure.ts'
import type { Search } from '../../ports/mail-source.ts'
import type { Value } from './database.ts'
import { fold } from './fold.ts'
import type { MailboxRow } from './mailboxes.ts'

export interface Condition {
  readonly sql: string
  readonly values: readonly Value[]
}

const DAY_SECONDS = 86_400

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

/** Undefined where no words are looked for. The cheap columns come first: the others are only read where they match. */
export function wordsCondition({ from, to, subject, text }: Criteria): Condition | undefined {
  const columns: readonly (readonly [string, string | undefined])[] = [
    ['c.from_text', from],
    ['c.to_text', to],
    ['c.subject_text', subject],
    ['(select s.text from search_text s where s.content = c.id)', text],
  ]
  const given = columns.flatMap(([column, words]) => (words === undefined ? [] : [{ column, words: foldTerm(words) }]))
  if (given.length === 0) return undefined
  return {
    sql: `(${given.map(({ column }) => `instr(${column}, ?) > 0`).join(' and ')})`,
    values: given.map(({ words }) => words),
  }
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
