/**
 * Messages as a mirror first fetches them.
 *
 * INVARIANT: in batches, those with the largest uids first, each one FETCH; the next is asked for while one is being used,
 * and none beyond that. Flags are never older than the call. A header is given whole, or as cut. Long ones are read when
 * their turn comes, a few at a time, and the batch comes in as many pieces: so that any number of them fits into memory.
 */
import { MIRRORED_FIELDS, type Row } from '../../../core/mirror/state.ts'
import type { UidRange } from '../../../ports/mail-feed.ts'
import type { MailboxAt } from '../../../ports/mail-source.ts'
import { fetched, type Items, mustBeDone, sectionOf } from '../fetch.ts'
import { MAX_HEADER, readHeader, wholeFields } from '../header-bytes.ts'
import type { Exchange, ExchangeLimits, Taker } from '../line/dialogue.ts'
import { ANY_AGE, type Session } from '../line/session.ts'
import { mustBeAt, type RawMailboxAt } from '../place.ts'
import { uidSets } from '../sequence-set.ts'
import { keywords, type Piece, peekFields, uidSet } from '../wire/command.ts'
import type { LongStructures } from './long-structures.ts'
import { type FoundRow, RowReader, USUAL_HEADER } from './row-reader.ts'
import { listCommand, uidsListed, uidsWithin } from './uids-within.ts'

/** The room that the names of the fields take in a command. */
const FIELDS = MIRRORED_FIELDS.join(' ').length
const MESSAGES_A_BATCH = 1500
/** So many long headers are held at once. */
const LONG_AT_ONCE = 16
const LITERAL = 1_000_000
const RESPONSE = 4_000_000
/** Flags, dates and words of the protocol, and a usual structure, for one message. */
const AROUND = 16_384
/** What all structures of a batch may have beyond that. */
const STRUCTURES = 32_000_000

export interface RowsFeed {
  readonly at: MailboxAt
  readonly within: UidRange
  readonly long: LongStructures
  readonly signal: AbortSignal
  reading<T>(work: (session: Session, at: RawMailboxAt) => Promise<T>): Promise<T>
}

export async function* rowBatches(feed: RowsFeed): AsyncGenerator<readonly Row[], void, undefined> {
  const notBefore = performance.now()
  const { rows, others } = await newest(feed, notBefore)
  const batch = (from: number): Promise<readonly FoundRow[]> | undefined =>
    from >= others.length ? undefined : settled(read(feed, others.slice(from, from + MESSAGES_A_BATCH), notBefore))
  let coming = batch(0)
  yield* whole(feed, rows)
  for (let next = MESSAGES_A_BATCH; coming !== undefined; next += MESSAGES_A_BATCH) {
    const more = await coming
    coming = batch(next)
    yield* whole(feed, more)
  }
}

async function* whole(feed: RowsFeed, rows: readonly FoundRow[]): AsyncGenerator<readonly Row[], void, undefined> {
  let turn: FoundRow[] = []
  let long = 0
  for (const row of rows) {
    if (row.isLong && long === LONG_AT_ONCE) {
      yield withLongHeaders(feed, turn)
      turn = []
      long = 0
    }
    turn.push(row)
    if (row.isLong) long += 1
  }
  if (turn.length > 0) yield withLongHeaders(feed, turn)
}

async function withLongHeaders({ signal, reading }: RowsFeed, rows: readonly FoundRow[]): Promise<readonly Row[]> {
  const long = rows.filter(({ isLong }) => isLong).map(({ uid }) => uid)
  if (long.length === 0) return rows
  const headers = await reading((session, at) => readLong({ session, at, signal, notBefore: ANY_AGE }, long))
  return rows.flatMap((found) => {
    const { isLong, ...row } = found
    const header = headers.get(row.uid)
    if (!isLong) return found
    // One that has gone meanwhile.
    return header === undefined ? [] : { ...row, ...header }
  })
}

interface Newest {
  readonly rows: readonly FoundRow[]
  /** The uids of all others, the largest first. */
  readonly others: readonly number[]
}

async function newest({ at, within, long, signal, reading }: RowsFeed, notBefore: number): Promise<Newest> {
  if (within.from > within.to) return { rows: [], others: [] }
  return long.unlessKnown(
    at,
    () => reading((session, place) => newestRows({ session, at: place, signal, notBefore }, within)),
    async () => ({
      rows: [],
      others: await reading((session, place) => uidsWithin(session, place, within, signal)),
    }),
  )
}

/** These stand next to each other. */
function read(
  { at, long, signal, reading }: RowsFeed,
  uids: readonly number[],
  notBefore: number,
): Promise<readonly FoundRow[]> {
  return long.read(at, uids, (some, structure, salvaged) =>
    reading((session, place) =>
      rows({ session, at: place, signal, notBefore }, { uids: some, adjoining: some === uids, structure }, salvaged),
    ),
  )
}

/** One that nobody comes back for fails in silence. */
function settled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

interface Look {
  readonly session: Session
  readonly at: RawMailboxAt
  readonly signal: AbortSignal
  /** On the clock of `performance.now`: a mailbox opened before that shows flags that are too old. */
  readonly notBefore: number
}

/** Those with the largest uids that there can be, and which others there are, in one round trip. */
async function newestRows(look: Look, { from, to }: UidRange): Promise<Newest> {
  const first = Math.max(from, to - MESSAGES_A_BATCH + 1)
  const others = { from, to: first - 1 }
  const reader = new RowReader((uid) => uid >= first && uid <= to, true)
  const also = others.to < from ? [] : [listCommand(look.session, others)]
  const limits = limitsFor(to - first + 1)
  const exchange = await fetch(look, [`${first}:${to}`], rowItems(look.session, true), limits, reader, also)
  const listed = also.length === 0 ? [] : uidsListed(look.session, exchange, others)
  return {
    rows: [...reader.found.values()].sort((a, b) => b.uid - a.uid),
    others: listed ?? (await uidsWithin(look.session, look.at, others, look.signal)),
  }
}

interface RowsWanted {
  readonly uids: readonly number[]
  /** Whether there are no others between them. */
  readonly adjoining: boolean
  readonly structure: boolean
}

async function rows(
  look: Look,
  wanted: RowsWanted,
  /** Where those go that were read whole, if the connection is lost before all are. */
  salvaged: Map<number, FoundRow>,
): Promise<readonly FoundRow[]> {
  const { uids, structure } = wanted
  const asked = new Set(uids)
  const reader = new RowReader((uid) => asked.has(uid), structure)
  try {
    await fetch(look, setsOf(wanted), rowItems(look.session, structure), limitsFor(uids.length), reader)
  } catch (error) {
    for (const [uid, row] of reader.found) salvaged.set(uid, row)
    throw error
  }
  return uids.flatMap((uid) => reader.found.get(uid) ?? [])
}

function rowItems(session: Session, structure: boolean): Piece[] {
  return [
    ...keywords('UID', 'FLAGS', 'INTERNALDATE', 'RFC822.SIZE'),
    ...(structure ? keywords('BODYSTRUCTURE') : []),
    ...threadItem(session),
    peekFields(MIRRORED_FIELDS, USUAL_HEADER),
  ]
}

function limitsFor(messages: number): ExchangeLimits {
  return { literal: LITERAL, response: RESPONSE, exchange: messages * (USUAL_HEADER + AROUND) + STRUCTURES }
}

interface Into {
  readonly take: Taker
  add(uid: number, items: Items): boolean
}

async function fetch(
  { session, at, signal, notBefore }: Look,
  sets: readonly string[],
  items: readonly Piece[],
  limits: ExchangeLimits,
  into: Into,
  /** Whoever asks for more judges the answers to it. */
  also: readonly (readonly Piece[])[] = [],
): Promise<Exchange> {
  const commands = sets.map((set): Piece[] => [...keywords('UID', 'FETCH'), uidSet(set), items])
  const opening = { command: 'EXAMINE', reuse: { uids: [], notBefore } } as const
  const all = [...commands, ...also]
  const { selected, exchange } = await session.runIn(at.rawName, opening, all, signal, limits, into.take)
  mustBeAt(at, selected)
  mustBeDone('fetch', exchange.answers.slice(0, commands.length))
  // What did not come in one answer was held, and is put together here.
  for (const [uid, found] of fetched(exchange)) into.add(uid, found)
  return exchange
}

/** The fields of some messages again, up to what is read of any header. */
async function readLong(
  look: Look,
  uids: readonly number[],
): Promise<ReadonlyMap<number, Pick<Row, 'header' | 'headerCut'>>> {
  const items = [...keywords('UID'), peekFields(MIRRORED_FIELDS, MAX_HEADER)]
  const limits = { literal: LITERAL, response: RESPONSE, exchange: uids.length * (MAX_HEADER + AROUND) + RESPONSE }
  const headers = new Map<number, Pick<Row, 'header' | 'headerCut'>>()
  const add = (uid: number, found: Items): boolean => {
    const bytes = sectionOf(found, 'HEADER.FIELDS')
    if (bytes === undefined || !uids.includes(uid)) return false
    headers.set(uid, { header: wholeFields(bytes, MAX_HEADER), headerCut: readHeader(bytes).headerCut })
    return true
  }
  await fetch(look, [uids.join(',')], items, limits, { add, take: () => false })
  return headers
}

/** Where the uids stand next to each other, one range says them all. */
function setsOf({ uids, adjoining }: RowsWanted): readonly string[] {
  return adjoining ? [`${uids.at(-1)}:${uids[0]}`] : uidSets(uids, FIELDS)
}

function threadItem({ capabilities }: Session): Piece[] {
  if (capabilities.has('X-GM-EXT-1')) return keywords('X-GM-THRID')
  return capabilities.has('OBJECTID') ? keywords('THREADID') : []
}
