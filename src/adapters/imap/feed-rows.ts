/**
 * Messages as a mirror first fetches them.
 *
 * INVARIANT: in batches, those with the largest uids first, each one FETCH; the next is asked for while one is being used,
 * and none beyond that. Flags are never older than the call. A header is given whole, or as cut.
 */
import { MIRRORED_FIELDS, type Row } from '../../core/mirror/state.ts'
import type { UidRange } from '../../ports/mail-feed.ts'
import type { ExchangeLimits, Taker } from './dialogue.ts'
import { fetched, type Items, mustBeDone, sectionOf } from './fetch.ts'
import { MAX_HEADER, readHeader, wholeFields } from './header-bytes.ts'
import { mustBeAt, type RawMailboxAt } from './place.ts'
import { RowReader, USUAL_HEADER } from './row-reader.ts'
import { uidSets } from './sequence-set.ts'
import { ANY_AGE, type Session } from './session.ts'
import { keywords, type Piece, peekFields, uidSet } from './wire/command.ts'

/** The room that the names of the fields take in a command. */
const FIELDS = MIRRORED_FIELDS.join(' ').length
const MESSAGES_A_BATCH = 1500
/** So many long headers are asked for at once. */
const LONG_AT_ONCE = 16
const LITERAL = 1_000_000
const RESPONSE = 4_000_000
/** Flags, dates and words of the protocol, and a usual structure, for one message. */
const AROUND = 16_384
/** What all structures of a batch may have beyond that. */
const STRUCTURES = 32_000_000

/** `list` tells which uids there are; `read` reads some of them, which stand next to each other. */
export async function* rowBatches(
  list: () => Promise<readonly number[]>,
  read: (uids: readonly number[]) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void, undefined> {
  const uids = (await list()).toSorted((a, b) => b - a)
  const batch = (from: number): Promise<readonly Row[]> | undefined =>
    from >= uids.length ? undefined : settled(read(uids.slice(from, from + MESSAGES_A_BATCH)))
  let coming = batch(0)
  for (let next = MESSAGES_A_BATCH; coming !== undefined; next += MESSAGES_A_BATCH) {
    const rows = await coming
    coming = batch(next)
    if (rows.length > 0) yield rows
  }
}

/** One that nobody comes back for fails in silence. */
function settled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** Opens the mailbox anew. */
export async function uidsWithin(
  session: Session,
  at: RawMailboxAt,
  { from, to }: UidRange,
  signal: AbortSignal,
): Promise<readonly number[]> {
  if (from > to) return []
  const command = [...keywords('UID', 'SEARCH', 'UID'), uidSet(`${from}:${to}`)]
  const { selected, exchange } = await session.runIn(at.rawName, { command: 'EXAMINE' }, [command], signal)
  mustBeAt(at, selected)
  mustBeDone('search', exchange.answers)
  const found = exchange.data.flatMap((response) => (response.kind === 'numbers' ? response.numbers : []))
  // A server may name a message twice, and `5:9` is the last one too where there are fewer.
  return [...new Set(found)].filter((uid) => uid >= from && uid <= to)
}

export interface RowsWanted {
  readonly uids: readonly number[]
  /** Whether there are no others between them. */
  readonly adjoining: boolean
  readonly structure: boolean
  /** On the clock of `performance.now`: a mailbox opened before that shows flags that are too old. */
  readonly notBefore: number
}

export async function rows(
  session: Session,
  at: RawMailboxAt,
  wanted: RowsWanted,
  signal: AbortSignal,
  /** Where those go that were read whole, if the connection is lost before all are. */
  salvaged: Map<number, Row>,
): Promise<readonly Row[]> {
  const { uids, structure } = wanted
  const reader = new RowReader(uids, structure)
  const items = [
    ...keywords('UID', 'FLAGS', 'INTERNALDATE', 'RFC822.SIZE'),
    ...(structure ? keywords('BODYSTRUCTURE') : []),
    ...threadItem(session),
    peekFields(MIRRORED_FIELDS, USUAL_HEADER),
  ]
  const each = USUAL_HEADER + AROUND
  const limits = { literal: LITERAL, response: RESPONSE, exchange: uids.length * each + STRUCTURES }
  const look = { session, at, signal, maxAgeMs: performance.now() - wanted.notBefore }
  try {
    await fetch(look, setsOf(wanted), items, limits, reader)
    const long = uids.filter((uid) => reader.cut.has(uid))
    for (let turn = 0; turn < long.length; turn += LONG_AT_ONCE) {
      await readLong(look, long.slice(turn, turn + LONG_AT_ONCE), reader)
    }
  } catch (error) {
    for (const [uid, row] of reader.found) if (!reader.cut.has(uid)) salvaged.set(uid, row)
    throw error
  }
  return uids.flatMap((uid) => (reader.cut.has(uid) ? [] : (reader.found.get(uid) ?? [])))
}

interface Look {
  readonly session: Session
  readonly at: RawMailboxAt
  readonly signal: AbortSignal
  readonly maxAgeMs: number
}

interface Into {
  readonly take: Taker
  add(uid: number, items: Items): boolean
}

async function fetch(
  { session, at, signal, maxAgeMs }: Look,
  sets: readonly string[],
  items: readonly Piece[],
  limits: ExchangeLimits,
  into: Into,
): Promise<void> {
  const commands = sets.map((set): Piece[] => [...keywords('UID', 'FETCH'), uidSet(set), items])
  const opening = { command: 'EXAMINE', reuse: { uids: [], maxAgeMs } } as const
  const { selected, exchange } = await session.runIn(at.rawName, opening, commands, signal, limits, into.take)
  mustBeAt(at, selected)
  mustBeDone('fetch', exchange.answers)
  // What did not come in one answer was held, and is put together here.
  for (const [uid, found] of fetched(exchange)) into.add(uid, found)
}

/** The fields of some messages again, up to what is read of any header. */
async function readLong(look: Look, uids: readonly number[], reader: RowReader): Promise<void> {
  const items = [...keywords('UID'), peekFields(MIRRORED_FIELDS, MAX_HEADER)]
  const limits = { literal: LITERAL, response: RESPONSE, exchange: uids.length * (MAX_HEADER + AROUND) + RESPONSE }
  const add = (uid: number, found: Items): boolean => {
    const bytes = sectionOf(found, 'HEADER.FIELDS')
    if (bytes === undefined || !uids.includes(uid)) return false
    reader.mend(uid, wholeFields(bytes, MAX_HEADER), readHeader(bytes).headerCut)
    return true
  }
  await fetch({ ...look, maxAgeMs: ANY_AGE }, [uids.join(',')], items, limits, { add, take: () => false })
}

/** Where the uids stand next to each other, one range says them all. */
function setsOf({ uids, adjoining }: RowsWanted): readonly string[] {
  return adjoining ? [`${uids.at(-1)}:${uids[0]}`] : uidSets(uids, FIELDS)
}

function threadItem({ capabilities }: Session): Piece[] {
  if (capabilities.has('X-GM-EXT-1')) return keywords('X-GM-THRID')
  return capabilities.has('OBJECTID') ? keywords('THREADID') : []
}
