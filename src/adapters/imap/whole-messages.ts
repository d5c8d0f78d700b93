/**
 * Reads many whole messages.
 *
 * INVARIANT: one round trip, opening the mailbox included; nothing sets `\Seen`; of no message does more than a byte
 * beyond `maxBytes` cross the wire, and a message that has that byte is given to nobody.
 */
import { Failure } from '../../core/failure.ts'
import type { WholeMessage } from '../../ports/mail-source.ts'
import { fetched, flagsOf, type Items, mustBeDone, readFetch, receivedOf, sectionOf } from './fetch.ts'
import type { ExchangeLimits, Taker } from './line/dialogue.ts'
import type { Session } from './line/session.ts'
import { mustBeAt, type RawMailboxAt } from './place.ts'
import { uidSets } from './sequence-set.ts'
import { keywords, type Piece, peek, uidSet } from './wire/command.ts'

/** Flags, dates and words of the protocol, for one message. */
const AROUND = 65_536
const OVERHEAD = 4_000_000

export async function wholeMessages(
  session: Session,
  at: RawMailboxAt,
  uids: readonly number[],
  maxBytes: number,
  signal: AbortSignal,
): Promise<readonly WholeMessage[]> {
  if (uids.length === 0) return []
  const gathering = new Gathering(uids, maxBytes)
  // The size that a server tells may be a guess; whether there is a byte more is not.
  const items = [...keywords('UID', 'FLAGS', 'INTERNALDATE'), peek('', maxBytes + 1)]
  const commands = uidSets(uids).map((set): Piece[] => [...keywords('UID', 'FETCH'), uidSet(set), items])
  const limits = limitsFor(uids.length, maxBytes)
  const opening = { command: 'EXAMINE' } as const
  const { selected, exchange } = await session.runIn(at.rawName, opening, commands, signal, limits, gathering.take)
  mustBeAt(at, selected)
  mustBeDone('fetch', exchange.answers)
  // What did not come in one answer was held, and is put together here.
  for (const [uid, found] of fetched(exchange)) gathering.add(uid, found)
  if (gathering.tooLarge !== undefined) throw tooLarge(gathering.tooLarge, maxBytes)
  return uids.flatMap((uid) => gathering.found.get(uid) ?? [])
}

class Gathering {
  readonly found = new Map<number, WholeMessage>()
  readonly #asked: ReadonlySet<number>
  readonly #maxBytes: number
  /** Once there is one, nothing is kept any more. */
  tooLarge: number | undefined

  constructor(uids: readonly number[], maxBytes: number) {
    this.#asked = new Set(uids)
    this.#maxBytes = maxBytes
  }

  readonly take: Taker = (response) => {
    const message = response.name === 'FETCH' ? readFetch(response) : undefined
    return message !== undefined && this.add(message.uid, message.items)
  }

  /** Whether that was all that was asked of the message, or need not be kept. */
  add(uid: number, items: Items): boolean {
    if (this.tooLarge !== undefined || !this.#asked.has(uid) || this.found.has(uid)) return true
    const [bytes, flags, received] = [sectionOf(items, ''), flagsOf(items), receivedOf(items)]
    if (bytes !== undefined && bytes.length > this.#maxBytes) {
      this.tooLarge = uid
      this.found.clear()
      return true
    }
    if (bytes === undefined || flags === undefined || received === undefined) return false
    this.found.set(uid, { uid, bytes, flags, received })
    return true
  }
}

function limitsFor(messages: number, maxBytes: number): ExchangeLimits {
  const literal = Math.max(maxBytes + 1, AROUND)
  return { literal, response: literal + OVERHEAD, exchange: messages * (literal + AROUND) + OVERHEAD }
}

function tooLarge(uid: number, maxBytes: number): Failure {
  const message = `the message with uid ${uid} has more than ${maxBytes} bytes`
  return new Failure('too_large', message, { stage: 'fetch', details: { uid, max_bytes: maxBytes } })
}
