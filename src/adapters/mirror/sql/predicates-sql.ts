/**
 * The predicates of the policy language as SQL, over the sets that a message refers to.
 *
 * INVARIANT: where every fact is there, a condition holds exactly where the predicate of `predicates.ts` does. Members stand
 * between line feeds, so that a whole one, or the end of one, is found as part of a text.
 */
import type { FactSource } from '../../../core/policy/facts.ts'
import {
  type Match,
  namesIn,
  type PredicateName,
  predicateNamed,
  type Quantifier,
} from '../../../core/policy/predicates.ts'
import { type Condition, condition, NEVER } from './condition.ts'

/** The column of `message` that is null where nothing is known from a source. */
export const COLUMN_OF_SOURCE: Readonly<Record<FactSource, string>> = {
  senders: 'senders',
  recipients: 'recipients',
  subject: 'subjects',
  authentication: 'authenticated',
  structure: 'attachment',
}

/** Where the text that a predicate looks at is kept, with the name it has in the conditions. */
export const SETS: Readonly<Partial<Record<FactSource, string>>> = {
  senders: 'sender_set s',
  recipients: 'recipient_set r',
  subject: 'subject_set t',
}

type Wanted<K extends PredicateName> = NonNullable<Match[K]>

const CONDITIONS: {
  readonly [K in PredicateName]: (value: Wanted<K>, over: Quantifier, now: number) => Condition
} = {
  from: (address, over) =>
    line(address, (text) =>
      over === 'all'
        ? condition('s.addresses = ?', `\n${text}\n`)
        : condition('instr(s.addresses, ?) > 0', `\n${text}\n`),
    ),
  from_domain: (domain, over) =>
    line(domain, (text) => {
      const ending = `@${text}\n`
      if (over === 'any') return condition('instr(s.addresses, ?) > 0', ending)
      const taken = "octet_length(s.addresses) - octet_length(replace(s.addresses, ?, ''))"
      return condition(`(s.many > 0 and ${taken} = s.many * octet_length(?))`, ending, ending)
    }),
  to: (address) => line(address, (text) => condition('instr(r.addresses, ?) > 0', `\n${text}\n`)),
  to_contains: (part) => line(part, (text) => condition('(r.many > 0 and instr(r.folded, ?) > 0)', text)),
  subject_contains: (part, over) =>
    line(part, (text) => {
      const held = '(t.many > 0 and instr(t.subjects, ?) > 0)'
      if (over === 'any') return condition(held, text)
      const missed = 'exists (select 1 from json_each(t.each_one) where instr(value, ?) = 0)'
      return condition(`(${held} and (t.many = 1 or not ${missed}))`, text, text)
    }),
  has_attachment: (wanted) => condition(`m.attachment = ${Number(wanted)}`),
  newer_than: (age, _over, now) => condition('? - m.received < ?', now, age),
  older_than: (age, _over, now) => condition('? - m.received > ?', now, age),
  size_gt: (bytes) => condition('m.size > ?', bytes),
  size_lt: (bytes) => condition('m.size < ?', bytes),
  flagged: (wanted) => condition(`(m.bits & 2 <> 0) = ${Number(wanted)}`),
  authenticated: () => condition('m.authenticated = 1'),
}

export function predicateCondition(match: Match, name: PredicateName, over: Quantifier, now: number): Condition {
  return CONDITIONS[name](match[name] as never, over, now)
}

/** As conditions on `m` alone, for a search: what cannot be known of a message is not found in it. */
export function matchConditions(match: Match, now: number): readonly Condition[] {
  return namesIn(match).map((name) => {
    const { sql, values } = predicateCondition(match, name, 'any', now)
    const source = predicateNamed(name).needs
    const set = source && SETS[source]
    if (set === undefined || source === undefined) return { sql, values }
    const id = `${set.slice(-1)}.id`
    return { sql: `m.${COLUMN_OF_SOURCE[source]} in (select ${id} from ${set} where ${sql})`, values }
  })
}

/** No member holds a line feed, nor half a character, which SQLite would take for another. */
function line(text: string, made: (text: string) => Condition): Condition {
  return text.includes('\n') || !text.isWellFormed() ? NEVER : made(text)
}
