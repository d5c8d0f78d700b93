/**
 * The beginnings of some parts of many messages.
 *
 * INVARIANT: messages of which the same is wanted share a FETCH; commands leave together, up to so many bytes of answers;
 * nothing sets `\Seen`, and never more than a byte beyond what was asked for crosses the wire.
 */
import type { TextBytes, TextWanted } from '../../../ports/mail-feed.ts'
import type { PartWanted } from '../../../ports/mail-source.ts'
import { fetched, type Items, mustBeDone, readFetch, sectionOf } from '../fetch.ts'
import type { Taker } from '../line/dialogue.ts'
import { ANY_AGE, type Session } from '../line/session.ts'
import { mustBeAt, type RawMailboxAt } from '../place.ts'
import { uidSets } from '../sequence-set.ts'
import { keyword, keywords, type Piece, peek, peekPart, uidSet } from '../wire/command.ts'

/** The most that the answers to one exchange may have. */
const AT_ONCE = 16_000_000
const MESSAGES_AT_ONCE = 1000
/** Words of the protocol, for one message. */
const AROUND = 4096
const OVERHEAD = 1_000_000

export async function texts(
  session: Session,
  at: RawMailboxAt,
  wanted: readonly TextWanted[],
  signal: AbortSignal,
): Promise<readonly TextBytes[]> {
  const found = new Map<number, readonly TextBytes[]>()
  const some = wanted.filter(({ parts }) => parts.length > 0)
  for (const turn of inTurns(some)) await readTurn(session, at, turn, found, signal)
  return wanted.flatMap(({ uid }) => found.get(uid) ?? [])
}

async function readTurn(
  session: Session,
  at: RawMailboxAt,
  wanted: readonly TextWanted[],
  found: Map<number, readonly TextBytes[]>,
  signal: AbortSignal,
): Promise<void> {
  const partsOf = new Map(wanted.map(({ uid, parts }) => [uid, parts]))
  const add = (uid: number, items: Items): boolean => {
    const parts = partsOf.get(uid)
    const texts = parts === undefined ? undefined : textsIn(uid, parts, items)
    if (parts === undefined || texts === undefined || texts.length < parts.length) return false
    found.set(uid, texts)
    return true
  }
  const take: Taker = (response) => {
    const message = response.name === 'FETCH' ? readFetch(response) : undefined
    return message !== undefined && add(message.uid, message.items)
  }
  const commands = commandsFor(wanted)
  const largest = Math.max(...wanted.map(bytesOf))
  const limits = {
    literal: largest + OVERHEAD,
    response: largest + OVERHEAD,
    exchange: wanted.reduce((sum, one) => sum + bytesOf(one), OVERHEAD),
  }
  const opening = { command: 'EXAMINE', reuse: { uids: [...partsOf.keys()], notBefore: ANY_AGE } } as const
  const { selected, exchange } = await session.runIn(at.rawName, opening, commands, signal, limits, take)
  mustBeAt(at, selected)
  mustBeDone('fetch', exchange.answers)
  // What did not come in one answer, or of which the server has not all, was held.
  for (const [uid, items] of fetched(exchange)) {
    const parts = partsOf.get(uid)
    if (parts !== undefined && !found.has(uid)) found.set(uid, textsIn(uid, parts, items))
  }
}

function textsIn(uid: number, parts: readonly PartWanted[], items: Items): TextBytes[] {
  return parts.flatMap(({ id, maxBytes }) => {
    const bytes = sectionOf(items, id === '' ? 'TEXT' : id)
    const complete = bytes !== undefined && bytes.length <= maxBytes
    return bytes === undefined ? [] : [{ uid, id, bytes: bytes.subarray(0, maxBytes), complete }]
  })
}

function commandsFor(wanted: readonly TextWanted[]): Piece[][] {
  const groups = new Map<string, { readonly items: readonly Piece[]; readonly uids: number[] }>()
  for (const { uid, parts } of wanted) {
    const key = JSON.stringify(parts.map(({ id, maxBytes }) => [id, maxBytes]))
    const group = groups.get(key) ?? { items: [keyword('UID'), ...parts.map(peekAt)], uids: [] }
    group.uids.push(uid)
    groups.set(key, group)
  }
  return [...groups.values()].flatMap(({ items, uids }) => {
    const taken = JSON.stringify(items).length
    return uidSets(uids, taken).map((set): Piece[] => [...keywords('UID', 'FETCH'), uidSet(set), items])
  })
}

/** One byte more than wanted tells whether the part goes on. The root of a multipart is the whole body. */
function peekAt({ id, maxBytes }: PartWanted): Piece {
  return id === '' ? peek('TEXT', maxBytes + 1) : peekPart(id, maxBytes + 1)
}

function inTurns(wanted: readonly TextWanted[]): TextWanted[][] {
  const turns: TextWanted[][] = []
  let [current, bytes] = [[] as TextWanted[], 0]
  for (const one of wanted) {
    if (current.length > 0 && (bytes + bytesOf(one) > AT_ONCE || current.length >= MESSAGES_AT_ONCE)) {
      turns.push(current)
      current = []
      bytes = 0
    }
    current.push(one)
    bytes += bytesOf(one)
  }
  return current.length > 0 ? [...turns, current] : turns
}

function bytesOf({ parts }: TextWanted): number {
  return parts.reduce((sum, { maxBytes }) => sum + maxBytes + AROUND, AROUND)
}
