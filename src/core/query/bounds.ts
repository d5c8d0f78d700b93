/**
 * What is certain of a query before any body has been read.
 *
 * INVARIANT: what matches `least` matches the query whatever the bodies say; what does not match `most` cannot match it.
 */
import { inField, type Query, type WordField, type WordsTerm } from './query.ts'

export interface Bounds {
  readonly least: Query
  readonly most: Query
}

export function boundsOf(query: Query): Bounds {
  return { least: bound(query, 'none'), most: bound(query, 'all') }
}

const KNOWN: readonly WordField[] = ['from', 'to', 'cc', 'bcc', 'subject', 'filename']

/** `unknown` is what a text that has not been read is taken to say. */
function bound(query: Query, unknown: 'all' | 'none'): Query {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, of: query.of.map((one) => bound(one, unknown)) }
    case 'not':
      return { kind: 'not', of: bound(query.of, unknown === 'all' ? 'none' : 'all') }
    case 'words':
      return boundWords(query, unknown)
    case 'uncertain':
      return { kind: unknown }
    default:
      return query
  }
}

function boundWords(term: WordsTerm, unknown: 'all' | 'none'): Query {
  if (term.field !== 'any' && term.field !== 'body') return term
  if (unknown === 'all' || term.field === 'body') return { kind: unknown }
  return { kind: 'or', of: KNOWN.map((field) => inField(term, field)) }
}
