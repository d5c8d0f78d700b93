/**
 * A query as somebody may ask it who sees only so much of a message.
 *
 * INVARIANT: what lies above the level has no say: two messages that are alike in all that the level shows both match, or
 * neither does. A term about what cannot be read does not hold, and its negation does.
 */
import { atLeast, type Level } from '../policy/level.ts'
import type { Query, WordField, WordsTerm } from './query.ts'

/** The level from which a caller can read what a term looks at. */
const TERM_FROM = {
  attachment: 'FULL',
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

const NONE: Query = { kind: 'none' }

export function asReadAt(query: Query, level: Level): Query {
  switch (query.kind) {
    case 'all':
    case 'none':
    case 'in':
      return query
    case 'and':
    case 'or':
      return { kind: query.kind, of: query.of.map((one) => asReadAt(one, level)) }
    case 'not':
      return { kind: 'not', of: asReadAt(query.of, level) }
    case 'words':
      return wordsAt(query, level)
    default:
      return atLeast(level, TERM_FROM[query.kind]) ? query : NONE
  }
}

/**
 * What lets through whatever matches as it is read at any level from `floor` to `ceiling`: what must hold is asked by who sees
 * most, what must not by who sees least.
 */
export function asReadBetween(query: Query, floor: Level, ceiling: Level): Query {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, of: query.of.map((one) => asReadBetween(one, floor, ceiling)) }
    case 'not':
      return { kind: 'not', of: asReadBetween(query.of, ceiling, floor) }
    default:
      return asReadAt(query, ceiling)
  }
}

/** Whether it means the same at both levels, and so at all between them. */
export function isReadAlike(query: Query, floor: Level, ceiling: Level): boolean {
  return JSON.stringify(asReadAt(query, floor)) === JSON.stringify(asReadAt(query, ceiling))
}

function wordsAt(term: WordsTerm, level: Level): Query {
  if (term.field !== 'any') return atLeast(level, FIELD_FROM[term.field]) ? term : NONE
  if (level === 'FULL') return term
  const fields = (Object.keys(FIELD_FROM) as SingleField[]).filter((field) => atLeast(level, FIELD_FROM[field]))
  return fields.length === 0 ? NONE : { kind: 'or', of: fields.map((field) => ({ ...term, field })) }
}
