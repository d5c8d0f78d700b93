/**
 * Reads messages: listings, headers and structure, parts, raw bytes.
 *
 * INVARIANT: one round trip each, opening the mailbox included, but for parts that are all empty; nothing sets `\Seen`; what comes back is never more
 * than what was asked for.
 */
import { messageMissing } from '../../core/absent.ts'
import type { Opened, PartBytes, Summary } from '../../core/message.ts'
import { LAST_BYTES } from '../../core/mime/encoded-size.ts'
import { parseHeader } from '../../core/mime/header.ts'
import { type LocatedPart, type ParsedMessage, parseStructure } from '../../core/mime/structure.ts'
import type { PartWanted, RawMessage } from '../../ports/mail-source.ts'
import { basicsOf, fetched, flagsOf, type Items, mustBeDone, sectionOf, sizeOf } from './fetch.ts'
import { endsWithCr, MAX_HEADER, readHeader, wholeFields } from './header-bytes.ts'
import type { ExchangeLimits } from './line/dialogue.ts'
import { ANY_AGE, NOW, type Selected, type Session } from './line/session.ts'
import { freshEnough, justFound, mustBeAt, type RawMailboxAt } from './place.ts'
import { uidSets } from './sequence-set.ts'
import { readStructure } from './structure.ts'
import { keyword, keywords, LISTED_FIELDS, type Piece, peek, peekPart, uidSet } from './wire/command.ts'

const MAX_LISTED_HEADER = 65_536
/** Flags, dates, structure and the like beside the bytes that were asked for. */
const OVERHEAD = 4_000_000

export async function summaries(
  session: Session,
  at: RawMailboxAt,
  uids: readonly number[],
  bodyStartBytes: number,
  signal: AbortSignal,
): Promise<readonly Summary[]> {
  const items = [
    ...keywords('UID', 'FLAGS', 'INTERNALDATE', 'RFC822.SIZE'),
    peek(LISTED_FIELDS, MAX_LISTED_HEADER),
    ...(bodyStartBytes > 0 ? [peek('TEXT', bodyStartBytes)] : []),
  ]
  const sizes = [MAX_LISTED_HEADER, bodyStartBytes]
  const { found } = await fetch(
    session,
    at,
    uids,
    { items, limits: limitsFor(sizes, uids.length), notBefore: justFound(at) },
    signal,
  )
  return uids.flatMap((uid) => readSummary(uid, found.get(uid), bodyStartBytes > 0) ?? [])
}

function readSummary(uid: number, items: Items | undefined, withBody: boolean): Summary | undefined {
  const basics = items === undefined ? undefined : basicsOf(uid, items)
  const header = items === undefined ? undefined : sectionOf(items, 'HEADER.FIELDS')
  if (items === undefined || basics === undefined || header === undefined) return undefined
  const bodyStart = withBody ? (sectionOf(items, 'TEXT') ?? new Uint8Array()) : undefined
  return { ...basics, header: parseHeader(wholeFields(header, MAX_LISTED_HEADER)), bodyStart }
}

export async function open(session: Session, at: RawMailboxAt, uid: number, signal: AbortSignal): Promise<Opened> {
  const items = [
    ...keywords('UID', 'FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'BODYSTRUCTURE'),
    peek('HEADER', MAX_HEADER),
  ]
  const asked = { items, limits: limitsFor([MAX_HEADER], 1), notBefore: NOW }
  const { found, selected } = await fetchOne(session, at, uid, asked, signal)
  const basics = basicsOf(uid, found)
  const header = sectionOf(found, 'HEADER')
  const structure = found.get('BODYSTRUCTURE')
  if (basics === undefined || header === undefined || structure === undefined) throw messageMissing(uid, 'fetch')
  return {
    uidvalidity: selected.uidvalidity,
    ...basics,
    ...readHeader(header),
    structure: wholeInHeader(header)?.root ?? readStructure(structure),
  }
}

/** Mail in which CR alone ends a line is one long header to servers; undefined for all other mail. */
function wholeInHeader(header: Uint8Array): ParsedMessage | undefined {
  return endsWithCr(header) ? parseStructure(header) : undefined
}

export async function parts(
  session: Session,
  at: RawMailboxAt,
  uid: number,
  wanted: readonly PartWanted[],
  signal: AbortSignal,
): Promise<readonly PartBytes[]> {
  // One byte more than wanted tells whether the part goes on. The root of a multipart is the whole body.
  const items = wanted.flatMap(({ id, maxBytes, lastFrom }) => [
    id === '' ? peek('TEXT', maxBytes + 1) : peekPart(id, maxBytes + 1),
    ...(lastFrom === undefined ? [] : [peekPart(id, LAST_BYTES, lastFrom)]),
  ])
  const limits = limitsFor(
    wanted.map(({ maxBytes }) => maxBytes + 1),
    1,
  )
  const { found } = await fetchOne(
    session,
    at,
    uid,
    { items: [keyword('UID'), ...items], limits, notBefore: ANY_AGE },
    signal,
  )
  const sections = wanted.flatMap((part) => {
    const [cut] = cutTo(part, sectionOf(found, part.id === '' ? 'TEXT' : part.id))
    const last = part.lastFrom === undefined ? undefined : sectionOf(found, part.id, part.lastFrom)
    return cut === undefined ? [] : [last === undefined ? cut : { ...cut, last }]
  })
  if (sections.some(({ bytes }) => bytes.length > 0)) return sections
  return (await partsInHeader(session, at, uid, wanted, signal)) ?? sections
}

function cutTo({ id, maxBytes }: PartWanted, bytes: Uint8Array | undefined): readonly PartBytes[] {
  return bytes === undefined ? [] : [{ id, bytes: bytes.subarray(0, maxBytes), complete: bytes.length <= maxBytes }]
}

/** One more round trip, where all that was wanted is empty. */
async function partsInHeader(
  session: Session,
  at: RawMailboxAt,
  uid: number,
  wanted: readonly PartWanted[],
  signal: AbortSignal,
): Promise<readonly PartBytes[] | undefined> {
  const items = [keyword('UID'), peek('HEADER', MAX_HEADER)]
  const asked = { items, limits: limitsFor([MAX_HEADER], 1), notBefore: ANY_AGE }
  const header = sectionOf((await fetchOne(session, at, uid, asked, signal)).found, 'HEADER')
  const whole = header && wholeInHeader(header)
  if (header === undefined || whole === undefined) return undefined
  const located = new Map(locatedParts(whole.root).map((part) => [part.id, part]))
  return wanted.flatMap((part) => {
    const place = located.get(part.id)
    return place === undefined ? [] : cutTo(part, header.subarray(place.start, place.end))
  })
}

function locatedParts(part: LocatedPart): readonly LocatedPart[] {
  return [part, ...part.children.flatMap(locatedParts)]
}

export async function raw(
  session: Session,
  at: RawMailboxAt,
  uid: number,
  maxBytes: number,
  signal: AbortSignal,
): Promise<RawMessage> {
  const items = [...keywords('UID', 'RFC822.SIZE'), peek('', maxBytes)]
  const { found } = await fetchOne(
    session,
    at,
    uid,
    { items, limits: limitsFor([maxBytes], 1), notBefore: ANY_AGE },
    signal,
  )
  const [size, bytes] = [sizeOf(found), sectionOf(found, '')]
  if (size === undefined || bytes === undefined) throw messageMissing(uid, 'fetch')
  return { size, bytes }
}

export async function flags(
  session: Session,
  at: RawMailboxAt,
  uid: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { found } = await fetchOne(session, at, uid, { items: keywords('UID', 'FLAGS'), notBefore: NOW }, signal)
  return flagsOf(found) ?? []
}

interface Asked {
  readonly items: readonly Piece[]
  readonly limits?: ExchangeLimits
  /** Since when the mailbox must be open that this is read from. */
  readonly notBefore: number
}

async function fetchOne(
  session: Session,
  at: RawMailboxAt,
  uid: number,
  asked: Asked,
  signal: AbortSignal,
): Promise<{ readonly found: Items; readonly selected: Selected }> {
  const { found, selected } = await fetch(session, at, [uid], asked, signal)
  const items = found.get(uid)
  if (items === undefined) throw messageMissing(uid, 'fetch')
  return { found: items, selected }
}

async function fetch(
  session: Session,
  at: RawMailboxAt,
  uids: readonly number[],
  { items, limits, notBefore }: Asked,
  signal: AbortSignal,
): Promise<{ readonly found: Map<number, Items>; readonly selected: Selected }> {
  const commands = uidSets(uids).map((set): Piece[] => [...keywords('UID', 'FETCH'), uidSet(set), items])
  const { selected, exchange } = await session.runIn(
    at.rawName,
    { command: 'EXAMINE', reuse: { uids, notBefore: freshEnough(at, notBefore) } },
    commands,
    signal,
    limits,
  )
  mustBeAt(at, selected)
  mustBeDone('fetch', exchange.answers)
  return { found: fetched(exchange), selected }
}

function limitsFor(sizes: readonly number[], messages: number): ExchangeLimits {
  const literal = Math.max(OVERHEAD / 4, ...sizes)
  const response = sizes.reduce((sum, size) => sum + size, OVERHEAD)
  return { literal, response, exchange: response * (messages + 1) + OVERHEAD }
}
