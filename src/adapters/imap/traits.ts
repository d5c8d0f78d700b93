/**
 * What rules look at, of very many messages at once.
 *
 * INVARIANT: one round trip however many messages are asked for, one more where some header did not fit; each answer is
 * read as it comes and not kept. A header is never judged by a part of it: one that was cut is read again, whole, or
 * given as cut.
 */
import type { Traits } from '../../core/message.ts'
import type { TraitsWanted } from '../../ports/mail-source.ts'
import { basicsOf, fetched, type Items, mustBeDone, readFetch, sectionOf } from './fetch.ts'
import { MAX_HEADER, type ReadHeader, readHeader } from './header-bytes.ts'
import type { ExchangeLimits, Taker } from './line/dialogue.ts'
import { ANY_AGE, type Session } from './line/session.ts'
import { justFound, mustBeAt, type RawMailboxAt } from './place.ts'
import { uidSets } from './sequence-set.ts'
import { readStructure } from './structure.ts'
import { keywords, type Piece, peekFields, uidSet } from './wire/command.ts'

/** Longer ones are rare, and cost a second look. */
const USUAL_HEADER = 16_384
/** So many long headers are asked for at once. */
const LONG_AT_ONCE = 16
const LITERAL = 1_000_000
const RESPONSE = 4_000_000
/** Flags, dates and words of the protocol, for one message. */
const AROUND = 4096

export async function traits(
  session: Session,
  at: RawMailboxAt,
  uids: readonly number[],
  wanted: TraitsWanted,
  signal: AbortSignal,
  /** Where those go that were read whole, if the connection is lost before all are. */
  salvaged = new Map<number, Traits>(),
): Promise<readonly Traits[]> {
  if (uids.length === 0) return []
  const gathering = new Gathering(uids, wanted)
  const items = [
    ...keywords('UID', 'FLAGS', 'INTERNALDATE', 'RFC822.SIZE'),
    ...(wanted.structure ? keywords('BODYSTRUCTURE') : []),
    ...(wanted.fields.length > 0 ? [peekFields(wanted.fields, USUAL_HEADER)] : []),
  ]
  const look = { session, at, wanted, signal }
  const notBefore = justFound(at)
  try {
    await fetch(look, uids, { items, notBefore, limits: limitsFor(uids.length, wanted) }, gathering)
    if (wanted.shortHeadersOnly === true) gathering.leaveCut()
    for (const some of inTurns([...gathering.cut], LONG_AT_ONCE)) await readLong(look, some, gathering)
  } catch (error) {
    for (const [uid, found] of gathering.found) if (!gathering.cut.has(uid)) salvaged.set(uid, found)
    throw error
  }
  return uids.flatMap((uid) => gathering.found.get(uid) ?? [])
}

interface Look {
  readonly session: Session
  readonly at: RawMailboxAt
  readonly wanted: TraitsWanted
  readonly signal: AbortSignal
}

interface Asked {
  readonly items: readonly Piece[]
  readonly notBefore: number
  readonly limits: ExchangeLimits
}

/** Where answers go, as they come or at the end. */
type Into = Pick<Gathering, 'take' | 'add'>

async function fetch(look: Look, uids: readonly number[], asked: Asked, into: Into): Promise<void> {
  const { session, at, wanted, signal } = look
  const taken = wanted.fields.reduce((sum, name) => sum + name.length + 1, 0)
  const commands = uidSets(uids, taken).map((set): Piece[] => [...keywords('UID', 'FETCH'), uidSet(set), asked.items])
  const opening = { command: 'EXAMINE', reuse: { uids, notBefore: asked.notBefore } } as const
  const { selected, exchange } = await session.runIn(at.rawName, opening, commands, signal, asked.limits, into.take)
  mustBeAt(at, selected)
  mustBeDone('fetch', exchange.answers)
  // What did not come in one answer was held, and is put together here.
  for (const [uid, items] of fetched(exchange)) into.add(uid, items)
}

/** The fields of some messages again, up to what is read of any header. */
async function readLong(look: Look, uids: readonly number[], gathering: Gathering): Promise<void> {
  const items = [...keywords('UID'), peekFields(look.wanted.fields, MAX_HEADER)]
  const limits = { literal: LITERAL, response: RESPONSE, exchange: uids.length * (MAX_HEADER + AROUND) + RESPONSE }
  const add = (uid: number, found: Items): boolean => {
    const header = sectionOf(found, 'HEADER.FIELDS')
    return header !== undefined && gathering.mend(uid, readHeader(header))
  }
  await fetch(look, uids, { items, limits, notBefore: ANY_AGE }, { add, take: takerOf(add) })
  gathering.dropCut(uids)
}

/** What has come so far. */
class Gathering {
  readonly found = new Map<number, Traits>()
  /** Those whose header has not been read to its end. */
  readonly cut = new Set<number>()
  readonly #asked: ReadonlySet<number>
  readonly #wanted: TraitsWanted
  readonly take: Taker

  constructor(uids: readonly number[], wanted: TraitsWanted) {
    this.#asked = new Set(uids)
    this.#wanted = wanted
    this.take = takerOf((uid, items) => this.add(uid, items))
  }

  /** Whether that was all that was asked of the message. */
  add(uid: number, items: Items): boolean {
    if (!this.#asked.has(uid) || this.found.has(uid)) return this.found.has(uid)
    const basics = basicsOf(uid, items)
    const bytes = this.#wanted.fields.length > 0 ? sectionOf(items, 'HEADER.FIELDS') : new Uint8Array()
    const structure = items.get('BODYSTRUCTURE')
    if (basics === undefined || bytes === undefined || (this.#wanted.structure && structure === undefined)) return false
    const cut = bytes.length >= USUAL_HEADER
    if (cut) this.cut.add(uid)
    const header = readHeader(cut ? new Uint8Array() : bytes)
    const root = this.#wanted.structure ? readStructure(structure) : undefined
    this.found.set(uid, { ...basics, ...header, structure: root })
    return true
  }

  mend(uid: number, header: ReadHeader): boolean {
    const known = this.found.get(uid)
    if (known === undefined || !this.cut.delete(uid)) return false
    this.found.set(uid, { ...known, ...header })
    return true
  }

  /** Those whose header is long are given without it. */
  leaveCut(): void {
    for (const uid of this.cut) this.mend(uid, { header: [], headerCut: true })
  }

  /** Those that vanished before their header could be read are not there. */
  dropCut(uids: readonly number[]): void {
    for (const uid of uids) if (this.cut.delete(uid)) this.found.delete(uid)
  }
}

function takerOf(add: (uid: number, items: Items) => boolean): Taker {
  return (response) => {
    const message = response.name === 'FETCH' ? readFetch(response) : undefined
    return message !== undefined && add(message.uid, message.items)
  }
}

function limitsFor(messages: number, { fields, structure }: TraitsWanted): ExchangeLimits {
  const each = AROUND + (fields.length > 0 ? USUAL_HEADER : 0) + (structure ? RESPONSE : 0)
  return { literal: LITERAL, response: RESPONSE, exchange: messages * each + RESPONSE }
}

function inTurns(uids: readonly number[], size: number): number[][] {
  return Array.from({ length: Math.ceil(uids.length / size) }, (_, turn) => uids.slice(turn * size, (turn + 1) * size))
}
