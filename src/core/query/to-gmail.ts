/**
 * Queries as Gmail's own search writes them.
 *
 * INVARIANT: what Gmail cannot say is widened, and only letters, digits and marks in quotes come from the query, so that
 * nothing in it can be taken for an operator. Gmail has its own idea of a word; whoever asks it filters by `matches`.
 */
import type { Query, WordsTerm } from './query.ts'
import { isUnspaced } from './words.ts'

export interface GmailQuery {
  /** Empty for everything. */
  readonly text: string
  readonly exact: boolean
}

const DAY = 86_400
const EXACTLY_ALL: GmailQuery = { text: '', exact: true }
const EXACTLY_NONE: GmailQuery = { text: '(in:inbox -in:inbox)', exact: true }
const CANNOT_SAY: GmailQuery = { text: '', exact: false }

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['\\seen', 'is:read'],
  ['\\flagged', 'is:starred'],
  ['\\draft', 'in:drafts'],
  ['$important', 'is:important'],
])

const PLACES = new Set(['inbox', 'sent', 'drafts', 'trash', 'spam', 'starred'])
/** No blank, no quote, no bracket. */
const PLAIN_ID = /^[!#-'*+\--;=?-z|~]+$/

export function toGmailQuery(query: Query): GmailQuery {
  switch (query.kind) {
    case 'all':
      return EXACTLY_ALL
    case 'none':
      return EXACTLY_NONE
    case 'and':
      return allOf(query.of.map(toGmailQuery))
    case 'or':
      return eitherOf(query.of.map(toGmailQuery))
    case 'not':
      return negated(toGmailQuery(query.of))
    case 'flag':
      return exactly(FLAGS.get(query.flag.toLowerCase()))
    case 'words':
      // What Gmail looks for in a plain text beside HTML is not documented.
      return query.uncertain ? CANNOT_SAY : wordsText(query)
    case 'received':
      return about(moment('after', query.from, -DAY), moment('before', query.before, DAY))
    case 'size':
      return about(amount('larger', query.over, Math.floor), amount('smaller', query.under, Math.ceil))
    case 'message_id':
      return PLAIN_ID.test(query.id) ? about(`rfc822msgid:${query.id}`) : CANNOT_SAY
    case 'in': {
      const place = query.place.toLowerCase()
      return place === 'anywhere' ? EXACTLY_ALL : exactly(PLACES.has(place) ? `in:${place}` : undefined)
    }
    // Gmail does not count invitations and pictures that are shown in place.
    case 'attachment':
    case 'uncertain':
    case 'label':
      return CANNOT_SAY
  }
}

function exactly(text: string | undefined): GmailQuery {
  return text === undefined ? CANNOT_SAY : { text, exact: true }
}

/** What Gmail says like this, or nearly. */
function about(...terms: readonly string[]): GmailQuery {
  return { text: terms.filter((term) => term !== '').join(' '), exact: false }
}

function allOf(parts: readonly GmailQuery[]): GmailQuery {
  const exact = parts.every((part) => part.exact)
  return { text: parts.flatMap(({ text }) => (text === '' ? [] : [text])).join(' '), exact }
}

function eitherOf(parts: readonly GmailQuery[]): GmailQuery {
  if (parts.includes(EXACTLY_ALL)) return EXACTLY_ALL
  const exact = parts.every((part) => part.exact)
  const [only, ...others] = parts
  if (only === undefined) return EXACTLY_NONE
  if (others.length === 0) return only
  if (parts.some(({ text }) => text === '')) return { text: '', exact }
  return { text: `(${parts.map(({ text }) => `(${text})`).join(' OR ')})`, exact }
}

function negated({ text, exact }: GmailQuery): GmailQuery {
  if (!exact) return CANNOT_SAY
  return text === '' ? EXACTLY_NONE : { text: `-(${text})`, exact }
}

/** Gmail finds whole words only, and has its own way of cutting scripts without spaces into words. */
function wordsText({ field, pieces, open }: WordsTerm): GmailQuery {
  const whole = open ? pieces.slice(0, -1) : pieces
  const runs: string[][] = [[]]
  for (const piece of whole) {
    if (isUnspaced(piece)) runs.push([])
    else runs.at(-1)?.push(piece)
  }
  const operator = field === 'any' || field === 'body' ? '' : `${field}:`
  return about(...runs.filter((run) => run.length > 0).map((run) => `${operator}"${run.join(' ')}"`))
}

function moment(operator: string, seconds: number | undefined, margin: number): string {
  const at = Math.max(0, Math.floor((seconds ?? 0) + margin))
  return seconds === undefined ? '' : `${operator}:${at}`
}

function amount(operator: string, bytes: number | undefined, whole: (bytes: number) => number): string {
  return bytes === undefined || bytes <= 0 ? '' : `${operator}:${whole(bytes)}`
}
