/**
 * A query as a caller may ask it that sees only so much of a message.
 *
 * INVARIANT: fields above the level have no influence: two messages that are alike in all that the level shows both match, or
 * neither does. A term about a field that the caller cannot read does not match, and neither does its negation.
 */
import type { Criteria } from '../criteria.ts'
import { atLeast, higher, type Level, lower } from '../policy/level.ts'
import { inField, type Query, type WordField, type WordsTerm } from './query.ts'

/** The level from which a caller can read what a term looks at. */
const TERM_FROM = {
  attachment: 'FULL',
  // That of attachments needs FULL.
  uncertain: 'BODY',
  flag: 'METADATA',
  // It may turn out to be a flag.
  label: 'METADATA',
  received: 'ENVELOPE',
  size: 'METADATA',
  message_id: 'HEADERS',
} as const satisfies Partial<Record<Query['kind'], Level>>

type SingleField = Exclude<WordField, 'any'>

/** In the order in which `any` looks at them. What attachments say is part of `any` alone, and needs FULL. */
const FIELD_FROM: Readonly<Record<SingleField, Level>> = {
  from: 'ENVELOPE',
  to: 'ENVELOPE',
  cc: 'ENVELOPE',
  bcc: 'ENVELOPE',
  subject: 'ENVELOPE',
  body: 'BODY',
  filename: 'FULL',
}

/** Bare words look at every field that the caller can read; this is the first level that shows one. */
const ANY_FROM: Level = 'ENVELOPE'

/** What stands for a term that cannot be read, so that the query does not match because of it. */
const UNREADABLE = { plain: { kind: 'none' }, negated: { kind: 'all' } } as const satisfies Record<Polarity, Query>

/** Whether a term is below an even or an odd number of negations. */
type Polarity = 'plain' | 'negated'

const OPPOSITE = { plain: 'negated', negated: 'plain' } as const

type Term = Exclude<Query, { readonly kind: 'and' | 'or' | 'not' }>

export function asReadAt(query: Query, level: Level): Query {
  return withTerms(query, 'plain', (term, polarity) => termAt(term, level, polarity))
}

/** What lets through every message that matches as it is read at any level from `floor` to `ceiling`. */
export function asReadBetween(query: Query, floor: Level, ceiling: Level): Query {
  // What looks at several places, negated, excludes least where the fewest of them can be read; all else matches most at the highest level.
  const fewest = (from: Level): Level => lower(ceiling, higher(floor, from))
  return withTerms(query, 'plain', (term, polarity) => {
    if (polarity === 'plain') return termAt(term, ceiling, polarity)
    if (term.kind === 'uncertain') return termAt(term, fewest(TERM_FROM.uncertain), polarity)
    const isAny = term.kind === 'words' && term.field === 'any'
    return termAt(term, isAny ? fewest(ANY_FROM) : ceiling, polarity)
  })
}

/** Whether it means the same at both levels, and so at all between them. */
export function isReadAlike(query: Query, floor: Level, ceiling: Level): boolean {
  return JSON.stringify(asReadAt(query, floor)) === JSON.stringify(asReadAt(query, ceiling))
}

function withTerms(query: Query, polarity: Polarity, made: (term: Term, polarity: Polarity) => Query): Query {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, of: query.of.map((one) => withTerms(one, polarity, made)) }
    case 'not':
      return { kind: 'not', of: withTerms(query.of, OPPOSITE[polarity], made) }
    default:
      return made(query, polarity)
  }
}

function termAt(term: Term, level: Level, polarity: Polarity): Query {
  switch (term.kind) {
    case 'all':
    case 'none':
    case 'in':
      return term
    case 'words':
      return wordsAt(term, level) ?? UNREADABLE[polarity]
    case 'uncertain':
      if (!atLeast(level, TERM_FROM.uncertain)) return UNREADABLE[polarity]
      return level === 'FULL' ? term : { ...term, where: 'body' }
    default:
      return atLeast(level, TERM_FROM[term.kind]) ? term : UNREADABLE[polarity]
  }
}

/** Undefined where nothing that it looks at can be read. */
function wordsAt(term: WordsTerm, level: Level): Query | undefined {
  if (term.field !== 'any') return atLeast(level, FIELD_FROM[term.field]) ? term : undefined
  if (level === 'FULL') return term
  const fields = (Object.keys(FIELD_FROM) as SingleField[]).filter((field) => atLeast(level, FIELD_FROM[field]))
  return fields.length === 0 ? undefined : { kind: 'or', of: fields.map((field) => inField(term, field)) }
}

/** The level from which a caller can read what a term looks at; the text of a message includes its attachments. */
const CRITERION_FROM: { readonly [K in keyof Required<Criteria>]: Level } = {
  text: 'FULL',
  from: 'ENVELOPE',
  to: 'ENVELOPE',
  subject: 'ENVELOPE',
  since: 'ENVELOPE',
  until: 'ENVELOPE',
  unread: 'METADATA',
  flagged: 'METADATA',
  larger: 'METADATA',
  smaller: 'METADATA',
}

/** The level from which a caller can read all that the criteria look at. Below it, a message does not match. */
export function criteriaReadableFrom(criteria: Criteria): Level {
  const terms = (Object.keys(criteria) as (keyof Criteria)[]).filter((term) => criteria[term] !== undefined)
  return terms.map((term) => CRITERION_FROM[term]).reduce(higher, 'NONE')
}
