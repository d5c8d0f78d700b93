/**
 * Queries as searches that a mail server can run.
 *
 * INVARIANT: a server that compares texts as `foldWords` does finds every message that the query means, and maybe more;
 * `exact` where never more. What servers cannot see is stated as coverage, not made up for: words that tags, entities or
 * invisible characters interrupt, names of files that are encoded, the text of attachments.
 */
import { isKeyword } from './places.ts'
import type { Query, WordField, WordsTerm } from './query.ts'
import type { SearchKey } from './search-key.ts'

export interface Widened {
  readonly key: SearchKey
  readonly exact: boolean
}

const MOST_BYTES = 0xffff_ffff
const DAY = 86_400
const YEAR_10000 = 253_402_300_800
const SYSTEM_FLAG = /^\\(?:seen|answered|flagged|deleted|draft|recent)$/i
/** What servers leave as it is: no blanks, no letters beyond ASCII. */
const PLAIN = /^[!-~]+$/

export function toSearchKey(query: Query): Widened {
  return widened(query, false)
}

const EXACTLY_ALL: Widened = { key: { kind: 'all' }, exact: true }
const EXACTLY_NONE: Widened = { key: { kind: 'none' }, exact: true }
const CANNOT_SAY: Widened = { key: { kind: 'all' }, exact: false }

/** `negative` is whether it must not hold: negations go inwards, to where something can be said of them. */
function widened(query: Query, negative: boolean): Widened {
  switch (query.kind) {
    case 'all':
      return negative ? EXACTLY_NONE : EXACTLY_ALL
    case 'none':
      return negative ? EXACTLY_ALL : EXACTLY_NONE
    case 'not':
      return widened(query.of, !negative)
    case 'and':
    case 'or': {
      const parts = query.of.map((one) => widened(one, negative))
      return (query.kind === 'and') === negative ? eitherOf(parts) : allOf(parts)
    }
    case 'flag':
      return flagKey(query.flag, negative)
    case 'size':
      return bySides(negative, sizeOver(query.over, negative), sizeUnder(query.under, negative))
    case 'received':
      return bySides(negative, receivedFrom(query.from, negative), receivedBefore(query.before, negative))
    case 'words':
      return negative ? CANNOT_SAY : wordsKey(query)
    case 'message_id':
      return negative || !PLAIN.test(query.id) || query.id.includes('=?')
        ? CANNOT_SAY
        : { key: { kind: 'header', name: 'Message-ID', contains: query.id }, exact: false }
    case 'attachment':
    case 'uncertain':
    case 'in':
    case 'label':
      return CANNOT_SAY
  }
}

function allOf(parts: readonly Widened[]): Widened {
  const exact = parts.every((part) => part.exact)
  const keys = parts.map(({ key }) => key).filter(({ kind }) => kind !== 'all')
  if (keys.some(({ kind }) => kind === 'none')) return EXACTLY_NONE
  const [only, ...others] = keys
  if (only === undefined) return { key: { kind: 'all' }, exact }
  return { key: others.length === 0 ? only : { kind: 'and', of: keys }, exact }
}

function eitherOf(parts: readonly Widened[]): Widened {
  if (parts.some(({ key, exact }) => key.kind === 'all' && exact)) return EXACTLY_ALL
  const exact = parts.every((part) => part.exact)
  const keys = parts.map(({ key }) => key).filter(({ kind }) => kind !== 'none')
  if (keys.some(({ kind }) => kind === 'all')) return CANNOT_SAY
  const [only, ...others] = keys
  if (only === undefined) return { key: { kind: 'none' }, exact }
  return { key: others.length === 0 ? only : { kind: 'or', of: keys }, exact }
}

/** A range has two sides, and what lies outside it is beyond one of them. */
function bySides(negative: boolean, ...sides: readonly Widened[]): Widened {
  return negative ? eitherOf(sides) : allOf(sides)
}

function flagKey(flag: string, negative: boolean): Widened {
  if (!SYSTEM_FLAG.test(flag) && !isKeyword(flag)) return CANNOT_SAY
  return { key: { kind: negative ? 'unflag' : 'flag', flag }, exact: true }
}

function sizeOver(over: number | undefined, negative: boolean): Widened {
  if (over === undefined) return negative ? EXACTLY_NONE : EXACTLY_ALL
  return negative ? smaller(Math.floor(over) + 1) : larger(Math.floor(over))
}

function sizeUnder(under: number | undefined, negative: boolean): Widened {
  if (under === undefined) return negative ? EXACTLY_NONE : EXACTLY_ALL
  return negative ? larger(Math.ceil(under) - 1) : smaller(Math.ceil(under))
}

function larger(bytes: number): Widened {
  if (bytes < 0) return EXACTLY_ALL
  return { key: { kind: 'larger', bytes: Math.min(bytes, MOST_BYTES) }, exact: bytes <= MOST_BYTES }
}

function smaller(bytes: number): Widened {
  if (bytes <= 0) return EXACTLY_NONE
  return bytes > MOST_BYTES ? CANNOT_SAY : { key: { kind: 'smaller', bytes }, exact: true }
}

function receivedFrom(from: number | undefined, negative: boolean): Widened {
  if (from === undefined) return negative ? EXACTLY_NONE : EXACTLY_ALL
  return negative ? beforeDay(from) : sinceDay(from)
}

function receivedBefore(before: number | undefined, negative: boolean): Widened {
  if (before === undefined) return negative ? EXACTLY_NONE : EXACTLY_ALL
  return negative ? sinceDay(before) : beforeDay(before)
}

/** Servers compare days in whatever time zone they keep, never more than one day from UTC: so a day more at either end. */
function sinceDay(from: number): Widened {
  if (from < 2 * DAY) return CANNOT_SAY
  return { key: { kind: 'since', day: dayOf(Math.min(from, YEAR_10000 - 1) - DAY) }, exact: false }
}

function beforeDay(before: number): Widened {
  if (before > YEAR_10000 - 3 * DAY) return CANNOT_SAY
  // The day of the last second that is wanted, the next one for the zone, and the one after that is no longer in doubt.
  return { key: { kind: 'before', day: dayOf(Math.max(before - 1, 0) + 2 * DAY) }, exact: false }
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

const KEY_OF: Readonly<Partial<Record<WordField, 'text' | 'body' | 'from' | 'to' | 'cc' | 'bcc' | 'subject'>>> = {
  any: 'text',
  from: 'from',
  to: 'to',
  cc: 'cc',
  bcc: 'bcc',
  subject: 'subject',
  body: 'body',
}

function wordsKey({ field, pieces }: WordsTerm): Widened {
  const kind = KEY_OF[field]
  if (kind === undefined) return CANNOT_SAY
  const found = [...new Set(pieces)].map((contains) => ({ key: { kind, contains }, exact: false }) as const)
  return { ...allOf(found), exact: false }
}
