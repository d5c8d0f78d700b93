/**
 * A search as Gmail's own search can say it, and what has to be checked afterwards.
 *
 * INVARIANT: Gmail is asked for no less than is meant, as it understands words: it finds whole words, in any case. Where what is
 * looked for is more than words (punctuation, scripts without spaces) the messages themselves are looked at.
 */
import type { Criteria } from '../../../core/criteria.ts'
import { Failure } from '../../../core/failure.ts'
import type { Query, WordField } from '../../../core/query/query.ts'
import type { SearchKey } from '../../../core/query/search-key.ts'
import { toGmailQuery } from '../../../core/query/to-gmail.ts'
import { foldWords, isUnspaced, piecesOf } from '../../../core/query/words.ts'
import type { Search } from '../../../ports/mail-source.ts'

export interface Plan {
  /** Nothing can match. */
  readonly nothing: boolean
  /** Every message is meant. */
  readonly everything: boolean
  /** Labels that a message must have. */
  readonly labels: readonly string[]
  readonly query: string
  /** Bytes: more than, fewer than. */
  readonly over: number
  readonly under: number
  /** Received at or after, and before, in seconds since 1970. */
  readonly from: number
  readonly before: number
  readonly texts: readonly TextWanted[]
}

export interface TextWanted {
  readonly field: 'text' | 'from' | 'to' | 'subject'
  /** As `searchText` folds it. */
  readonly contains: string
}

const DAY = 86_400

export function planOf({ criteria, key, query }: Pick<Search, 'criteria' | 'key' | 'query'>): Plan {
  const asked = query !== undefined ? [withKnownFlags(query)] : key === undefined ? [] : [queryOf(key)]
  const { text, exact } = toGmailQuery({ kind: 'and', of: [...criteriaQuery(criteria), ...asked] })
  const sizes = sizesIn(key)
  const labels = [...(criteria.unread ? ['UNREAD'] : []), ...(criteria.flagged === true ? ['STARRED'] : [])]
  const plan = {
    labels,
    query: text,
    over: Math.max(criteria.larger ?? Number.NEGATIVE_INFINITY, sizes.over),
    under: Math.min(criteria.smaller ?? Number.POSITIVE_INFINITY, sizes.under),
    from: criteria.since === undefined ? Number.NEGATIVE_INFINITY : daySeconds(criteria.since),
    before: criteria.until === undefined ? Number.POSITIVE_INFINITY : daySeconds(criteria.until) + DAY,
    texts: textsIn(criteria),
  }
  const nothing = key?.kind === 'none' || plan.under <= 0 || plan.from >= plan.before
  return { ...plan, nothing, everything: exact && text === '' && labels.length === 0 && plan.texts.length === 0 }
}

function criteriaQuery(criteria: Criteria): Query[] {
  const { text, from, to, subject, flagged, larger, smaller, since, until } = criteria
  return [
    ...wordsQuery('any', text),
    ...wordsQuery('from', from),
    ...wordsQuery('to', to),
    ...wordsQuery('subject', subject),
    ...(flagged === false ? [{ kind: 'not', of: { kind: 'flag', flag: '\\Flagged' } } as const] : []),
    // One byte and one day more than is meant: Gmail does not say on which side of a bound it stands.
    ...(larger !== undefined && larger > 1 ? [{ kind: 'size', over: Math.floor(larger) - 1 } as const] : []),
    ...(smaller !== undefined ? [{ kind: 'size', under: Math.ceil(smaller) + 1 } as const] : []),
    ...(since !== undefined ? [{ kind: 'received', from: daySeconds(since) } as const] : []),
    ...(until !== undefined ? [{ kind: 'received', before: daySeconds(until) + DAY } as const] : []),
  ]
}

function wordsQuery(field: WordField, words: string | undefined): Query[] {
  const pieces = words === undefined ? [] : piecesOf(words)
  return pieces.length === 0 ? [] : [{ kind: 'words', field, pieces, open: false }]
}

/** What Gmail's words cannot say is looked for in the messages. */
function textsIn({ text, from, to, subject }: Criteria): TextWanted[] {
  const wanted = Object.entries({ text, from, to, subject }) as [TextWanted['field'], string | undefined][]
  return wanted.flatMap(([field, words]) => {
    if (words === undefined) return []
    if (/\p{Cc}/u.test(words)) {
      throw new Failure('invalid_input', 'a search term holds no line breaks or control characters')
    }
    const pieces = piecesOf(words)
    const plain = pieces.length > 0 && !pieces.some(isUnspaced) && pieces.join(' ') === foldWords(words).trim()
    return plain ? [] : [{ field, contains: foldText(words) }]
  })
}

/** Text as it is compared: letter case, composition and the kind of white space do not matter. */
export function foldText(text: string): string {
  return foldWords(text).replaceAll(/\s+/g, ' ')
}

/**
 * A key asks for texts anywhere, and Gmail finds whole words: the beginning of a word is found only where `query` says that it is
 * one. Whoever asks by key looks at what is found.
 */
function queryOf(key: SearchKey): Query {
  switch (key.kind) {
    case 'all':
    case 'none':
      return { kind: key.kind }
    case 'and':
    case 'or':
      return { kind: key.kind, of: key.of.map(queryOf) }
    case 'not':
      return { kind: 'not', of: queryOf(key.of) }
    case 'flag':
      return flagQuery(key.flag)
    case 'unflag':
      return { kind: 'not', of: flagQuery(key.flag) }
    case 'larger':
      return { kind: 'size', over: Math.max(0, key.bytes - 1) }
    case 'smaller':
      return { kind: 'size', under: key.bytes + 1 }
    case 'since':
      return { kind: 'received', from: daySeconds(key.day) }
    case 'before':
      return { kind: 'received', before: daySeconds(key.day) }
    case 'header':
      // Gmail knows it without its brackets.
      return { kind: 'message_id', id: key.contains.replace(/^<(.*)>$/u, '$1') }
    default:
      return { kind: 'and', of: wordsQuery(key.kind === 'text' ? 'any' : key.kind, key.contains) }
  }
}

const KNOWN_FLAGS = new Set(['\\seen', '\\flagged', '\\draft', '$important'])

/** What Gmail does not keep no message has. */
function flagQuery(flag: string): Query {
  return KNOWN_FLAGS.has(flag.toLowerCase()) ? { kind: 'flag', flag } : { kind: 'none' }
}

function withKnownFlags(query: Query): Query {
  if (query.kind === 'and' || query.kind === 'or') return { kind: query.kind, of: query.of.map(withKnownFlags) }
  if (query.kind === 'not') return { kind: 'not', of: withKnownFlags(query.of) }
  return query.kind === 'flag' ? flagQuery(query.flag) : query
}

/** The sizes that must hold whatever else does: those are exact. */
function sizesIn(key: SearchKey | undefined): Pick<Plan, 'over' | 'under'> {
  const terms = key === undefined ? [] : key.kind === 'and' ? key.of : [key]
  const over = terms.flatMap((term) => (term.kind === 'larger' ? [term.bytes] : []))
  const under = terms.flatMap((term) => (term.kind === 'smaller' ? [term.bytes] : []))
  return { over: Math.max(Number.NEGATIVE_INFINITY, ...over), under: Math.min(Number.POSITIVE_INFINITY, ...under) }
}

function daySeconds(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000
}
