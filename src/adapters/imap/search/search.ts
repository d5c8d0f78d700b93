/** Criteria as SEARCH keys. */
import type { Criteria } from '../../../core/criteria.ts'
import type { SearchKey } from '../../../core/query/search-key.ts'
import { addDays } from '../dates.ts'
import { day, keyword, keywords, type Piece, size, text, uidSet } from '../wire/command.ts'
import { absorbedKey } from './absorbed-key.ts'
import { holdsUtf8, keyPiece, wellFormed } from './search-keys.ts'

const ASCII = /^\p{ASCII}*$/u

export interface SearchKeys {
  readonly pieces: readonly Piece[]
  /** Whether some text is not ASCII, so that the server must be told the charset. */
  readonly utf8: boolean
}

/**
 * Servers compare days in whatever time zone they keep, and never more than one day from UTC: so the keys ask for a day
 * more at either end, `edgeKeys` for what came on the days in doubt, and `isWithin` decides about those.
 * `belowUid` is greater than 1.
 */
export function searchKeys(criteria: Criteria, belowUid: number | undefined, key?: SearchKey): SearchKeys {
  const { since, until } = criteria
  return keysOf(criteria, belowUid, key, [
    ...(since === undefined ? [] : [keyword('SINCE'), day(addDays(since, -1))]),
    ...(until === undefined ? [] : [keyword('BEFORE'), day(addDays(until, 2))]),
  ])
}

/** Undefined where no days are given. */
export function edgeKeys(criteria: Criteria, belowUid: number | undefined, key?: SearchKey): SearchKeys | undefined {
  const { since, until } = criteria
  const edges = [
    ...(since === undefined ? [] : [between(addDays(since, -1), addDays(since, 1))]),
    ...(until === undefined ? [] : [between(until, addDays(until, 2))]),
  ]
  const [first, second] = edges
  if (first === undefined) return undefined
  return keysOf(criteria, belowUid, key, second === undefined ? first : [keyword('OR'), first, second])
}

/** Whether that moment, in seconds since 1970, is on the days asked for, in UTC. */
export function isWithin({ since, until }: Criteria, received: number): boolean {
  const early = since !== undefined && received < Date.parse(since) / 1000
  const late = until !== undefined && received >= Date.parse(until) / 1000 + 86_400
  return !early && !late
}

function between(from: string, to: string): Piece[] {
  return [keyword('SINCE'), day(from), keyword('BEFORE'), day(to)]
}

function keysOf(
  criteria: Criteria,
  belowUid: number | undefined,
  key: SearchKey | undefined,
  days: readonly Piece[],
): SearchKeys {
  const terms = [
    ['TEXT', criteria.text],
    ['FROM', criteria.from],
    ['TO', criteria.to],
    ['SUBJECT', criteria.subject],
  ] as const
  const given = terms.flatMap(([name, value]) => (value === undefined ? [] : [[name, wellFormed(value)] as const]))
  const pieces: Piece[] = [
    ...(belowUid === undefined ? [] : [keyword('UID'), uidSet(`1:${belowUid - 1}`)]),
    ...(criteria.unread === undefined ? [] : keywords('UNSEEN')),
    ...(criteria.flagged === undefined ? [] : keywords(criteria.flagged ? 'FLAGGED' : 'UNFLAGGED')),
    ...sizeKeys(criteria),
    ...days,
    ...given.flatMap(([name, value]) => [keyword(name), text(value)]),
    ...(key === undefined ? [] : [keyPiece(absorbedKey(key))]),
  ]
  const utf8 = given.some(([, value]) => !ASCII.test(value)) || (key !== undefined && holdsUtf8(key))
  return { pieces: pieces.length === 0 ? keywords('ALL') : pieces, utf8 }
}

/** Every message is larger than a number below 0, which cannot be written. */
function sizeKeys({ larger, smaller }: Criteria): Piece[] {
  return [
    ...(larger === undefined || larger < 0 ? [] : [keyword('LARGER'), size(Math.floor(larger))]),
    ...(smaller === undefined ? [] : [keyword('SMALLER'), size(Math.max(Math.ceil(smaller), 0))]),
  ]
}

export function sortCommand({ pieces, utf8 }: SearchKeys): Piece[] {
  return [...keywords('UID', 'SORT'), keywords('ARRIVAL'), keyword(utf8 ? 'UTF-8' : 'US-ASCII'), ...pieces]
}

export function searchCommand({ pieces, utf8 }: SearchKeys): Piece[] {
  return [...keywords('UID', 'SEARCH'), ...(utf8 ? keywords('CHARSET', 'UTF-8') : []), ...pieces]
}
