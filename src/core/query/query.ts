/**
 * What a person or an agent looks for, as a tree: made by the parser, compiled for each place that is searched.
 *
 * INVARIANT: one meaning, that of `matches` in `evaluate.ts`. A compiler that cannot say all of it says more, never less,
 * and what it lets through is filtered by `matches`.
 */
export type Query =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and'; readonly of: readonly Query[] }
  | { readonly kind: 'or'; readonly of: readonly Query[] }
  | { readonly kind: 'not'; readonly of: Query }
  | WordsTerm
  | { readonly kind: 'attachment' }
  /** Holds text that a person may not see: in its body, or in what is attached as well. */
  | { readonly kind: 'uncertain'; readonly where: 'any' | 'body' }
  /** A flag as IMAP writes it, `\Seen`; letter case does not matter. */
  | { readonly kind: 'flag'; readonly flag: string }
  /** Received at or after, and before, these moments, in seconds since 1970. */
  | { readonly kind: 'received'; readonly from?: number; readonly before?: number }
  /** Bytes of the whole message: more than, fewer than. */
  | { readonly kind: 'size'; readonly over?: number; readonly under?: number }
  /** Without angle brackets, as written. */
  | { readonly kind: 'message_id'; readonly id: string }
  /** A folder by path or by what it is for: settled before a folder is searched, never compiled. */
  | { readonly kind: 'in'; readonly place: string }
  /** A folder or a keyword of that name: settled likewise. */
  | { readonly kind: 'label'; readonly label: string }

/** `any` is all the others: everything that words can stand in. */
export type WordField = 'any' | 'from' | 'to' | 'cc' | 'bcc' | 'subject' | 'body' | 'filename'

/** Words that follow each other in one field, whatever stands between them that is no letter and no digit. */
export interface WordsTerm {
  readonly kind: 'words'
  readonly field: WordField
  /** As `piecesOf` gives them; at least one. */
  readonly pieces: readonly string[]
  /** Whether the last one is only the beginning of a word. */
  readonly open: boolean
  /** Whether text that a person may not see counts as well; only of `body` and `any`. */
  readonly uncertain?: true
}

export const EVERYTHING: Query = { kind: 'all' }

/** Where a query asks for uncertain text, its words are looked for in that as well; else in visible text only. */
export function withUncertainWords(query: Query): Query {
  return asksForUncertain(query) ? inUncertain(query) : query
}

function asksForUncertain(query: Query): boolean {
  if (query.kind === 'and' || query.kind === 'or') return query.of.some(asksForUncertain)
  return query.kind === 'not' ? asksForUncertain(query.of) : query.kind === 'uncertain'
}

function inUncertain(query: Query): Query {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, of: query.of.map(inUncertain) }
    case 'not':
      return { kind: 'not', of: inUncertain(query.of) }
    case 'words':
      return query.field === 'any' || query.field === 'body' ? { ...query, uncertain: true } : query
    default:
      return query
  }
}

/** The same words in one of the fields that `any` looks at. */
export function inField({ uncertain, ...term }: WordsTerm, field: WordField): WordsTerm {
  return { ...term, field, ...(uncertain && field === 'body' && { uncertain }) }
}
