/**
 * Finds messages, newest first.
 *
 * INVARIANT: the order is INTERNALDATE, then uid, both descending, whether the server sorts or we do; days are UTC days.
 * One round trip where the server can SORT and no message is in doubt, else two.
 */
import { newestFirst, type Position } from '../../../core/criteria.ts'
import type { Found, Search } from '../../../ports/mail-source.ts'
import { fetched, mustBeDone, receivedOf } from '../fetch.ts'
import type { Exchange } from '../line/dialogue.ts'
import { ANY_AGE, type InMailbox, type Selected, type Session } from '../line/session.ts'
import { uidSets } from '../sequence-set.ts'
import { keywords, type Piece, uidSet } from '../wire/command.ts'
import { edgeKeys, isWithin, searchCommand, searchKeys, sortCommand } from './search.ts'

/** More than this is not ordered, only counted, where a search does not say how many. */
const MOST_MATCHES = 20_000
/** Where days are asked for, some matches of the server's are of other days: so many times as many are looked at. */
const DATED_TIMES = 2

export async function find(session: Session, rawName: string, search: Search, signal: AbortSignal): Promise<Found> {
  const look = { session, rawName, search, signal }
  return session.capabilities.has('SORT') ? findSorted(look) : findUnsorted(look)
}

interface Look {
  readonly session: Session
  readonly rawName: string
  readonly search: Search
  readonly signal: AbortSignal
}

async function findSorted(look: Look): Promise<Found> {
  const { criteria, key, after, most = MOST_MATCHES } = look.search
  const [keys, edges] = [searchKeys(criteria, below(look), key), edgeKeys(criteria, below(look), key)]
  const { selected, exchange } = await run(look, [
    sortCommand(keys),
    ...(edges === undefined ? [] : [searchCommand(edges)]),
  ])
  const [asked, doubtful] = [numbersIn(exchange, 'SORT'), numbersIn(exchange, 'SEARCH')]
  if (doubtful.length > DATED_TIMES * most) return tooMany(selected, asked)
  const outside = await outsideDays(look, doubtful)
  const matches = asked.filter((uid) => !outside.has(uid))
  if (matches.length > most) return tooMany(selected, matches)
  if (after !== undefined && !matches.includes(after.uid)) return page(look, selected, await byDate(look, matches))
  const newest = matches.toReversed()
  const following = after === undefined ? newest : newest.slice(newest.indexOf(after.uid) + 1)
  return page(look, selected, { newest, following })
}

async function findUnsorted(look: Look): Promise<Found> {
  const { selected, exchange } = await run(look, [
    searchCommand(searchKeys(look.search.criteria, below(look), look.search.key)),
  ])
  const asked = numbersIn(exchange, 'SEARCH')
  const { criteria, most = MOST_MATCHES } = look.search
  const days = criteria.since !== undefined || criteria.until !== undefined
  if (asked.length > (days ? DATED_TIMES * most : most)) return tooMany(selected, asked)
  const ordered = await byDate(look, asked)
  return ordered.newest.length > most ? tooMany(selected, ordered.newest) : page(look, selected, ordered)
}

/** Always opens the mailbox anew: only that tells its UIDNEXT of this moment. */
async function run({ session, rawName, search, signal }: Look, commands: readonly Piece[][]): Promise<InMailbox> {
  const nothing = search.belowUid !== undefined && search.belowUid <= 1
  const answer = await session.runIn(rawName, { command: 'EXAMINE' }, nothing ? [] : commands, signal)
  mustBeDone('search', answer.exchange.answers)
  return answer
}

/** A set of uids below 1 cannot be written; `run` sends none then. */
function below({ search: { belowUid } }: Look): number | undefined {
  return belowUid === undefined ? undefined : Math.max(belowUid, 2)
}

function numbersIn({ data }: Exchange, name: 'SEARCH' | 'SORT'): readonly number[] {
  const lists = data.flatMap((response) =>
    response.kind === 'numbers' && response.name === name ? [response.numbers] : [],
  )
  // A server may name a message twice; 0 is none.
  const uids = new Set(lists.flat())
  uids.delete(0)
  return [...uids]
}

/** Of the messages in doubt, those that came on other days than asked for. */
async function outsideDays(look: Look, doubtful: readonly number[]): Promise<ReadonlySet<number>> {
  const dated = await datesOf(look, doubtful)
  return new Set(dated.filter(({ received }) => !isWithin(look.search.criteria, received)).map(({ uid }) => uid))
}

interface Ordered {
  /** All matches, newest first. */
  readonly newest: readonly number[]
  /** Those of them that come after the position asked for. */
  readonly following: readonly number[]
}

/** Orders by what the server says each message's date is. The position asked for need not be there any more. */
async function byDate(look: Look, matches: readonly number[]): Promise<Ordered> {
  const { criteria, after } = look.search
  const dated = (await datesOf(look, matches)).filter(({ received }) => isWithin(criteria, received))
  const newest = dated.toSorted(newestFirst)
  const following = after === undefined ? newest : newest.filter((match) => newestFirst(after, match) < 0)
  return { newest: newest.map(({ uid }) => uid), following: following.map(({ uid }) => uid) }
}

async function datesOf({ session, rawName, signal }: Look, uids: readonly number[]): Promise<Position[]> {
  const commands = uidSets(uids).map((set): Piece[] => [
    ...keywords('UID', 'FETCH'),
    uidSet(set),
    keywords('UID', 'INTERNALDATE'),
  ])
  if (commands.length === 0) return []
  const reuse = { uids, notBefore: ANY_AGE }
  const { exchange } = await session.runIn(rawName, { command: 'EXAMINE', reuse }, commands, signal)
  mustBeDone('search', exchange.answers)
  const wanted = new Set(uids)
  return [...fetched(exchange)].flatMap(([uid, items]) => {
    const received = receivedOf(items)
    return received === undefined || !wanted.has(uid) ? [] : [{ uid, received }]
  })
}

function page({ search }: Look, selected: Selected, { newest, following }: Ordered): Found {
  const uids = following.filter((uid) => search.skip?.has(uid) !== true)
  const more = uids.length > search.take
  return { ...place(selected, newest), total: newest.length, uids: uids.slice(0, search.take), more }
}

function tooMany(selected: Selected, matches: readonly number[]): Found {
  return { ...place(selected, matches), total: matches.length, uids: [], more: true }
}

/** A message may come between opening the mailbox and searching it: then UIDNEXT was one too low. */
function place({ uidvalidity, uidNext }: Selected, uids: readonly number[]): Pick<Found, 'uidvalidity' | 'uidNext'> {
  return { uidvalidity, uidNext: uids.reduce((next, uid) => Math.max(next, uid + 1), uidNext ?? 1) }
}
