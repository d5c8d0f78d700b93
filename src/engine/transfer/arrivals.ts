/**
 * Finds out whether messages that were sent without an answer have arrived.
 *
 * INVARIANT: only content proves it: a Message-ID, a size or a subject is anybody's to choose. One arrival proves one transfer,
 * and none that another transfer has proved before.
 */
import type { Traits } from '../../core/message.ts'
import { firstField, type HeaderField, parseHeader } from '../../core/mime/header.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { Placed } from '../../ports/mail-source.ts'
import { knownHashes } from './content-hash.ts'
import { LARGEST_CARRIED } from './fetch-step.ts'
import type { StepCase } from './passage.ts'

/**
 * So long a server may still be busy with what a connection that is gone has sent. IMAP has no way to ask.
 */
export const SETTLE_MS = 5000

const MOST_LOOKED_AT = 1_000_000
/** Of messages that do not have the size of any that is looked for. */
const MOST_READ_ANYWAY = 100
/** Read back in one go. */
const AT_ONCE = 20

export interface Look {
  /** Where each of them is that is there. */
  readonly arrived: ReadonlyMap<string, Placed>
  readonly uidvalidity: number
  /** What else is there since the first fence and is no other transfer's copy, with the fields of `FIELDS`. */
  readonly others: readonly Traits[]
}

/** The same as `findArrived`, but where one may be about to arrive, all are looked for again once the server must be done with it. */
export async function findSettled(transfers: readonly Transfer[], about: StepCase): Promise<Look> {
  const look = await findArrived(transfers, about)
  const ms = unsettledFor(transfers, about)
  if (look.arrived.size === transfers.length || ms === 0) return look
  await pause(ms, about.signal)
  return findArrived(transfers, about)
}

/** How long the server may still be busy with any of them. */
function unsettledFor(transfers: readonly Transfer[], { settledAt, settleMs, clock }: StepCase): number {
  const now = clock.now()
  for (const { txId } of transfers) if (!settledAt.has(txId)) settledAt.set(txId, now + settleMs)
  return Math.max(0, ...transfers.map(({ txId }) => (settledAt.get(txId) ?? now) - now))
}

/** Ends early where the work has to stop; whatever comes next finds that out. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, signal.aborted ? 0 : ms)
    signal.addEventListener('abort', end)
  })
}

export async function findArrived(transfers: readonly Transfer[], about: StepCase): Promise<Look> {
  const [first] = transfers
  if (first === undefined) return { arrived: new Map(), uidvalidity: 0, others: [] }
  const { destination, signal } = about
  const { mailbox } = first.destination
  const found = await destination.source.find(
    mailbox,
    { criteria: {}, take: MOST_LOOKED_AT, most: MOST_LOOKED_AT },
    signal,
  )
  const { uidvalidity } = found
  const at = { mailbox, uidvalidity }
  const taken = await about.journal.arrivedIn(first.destination, uidvalidity)
  const since = Math.min(...transfers.map((transfer) => firstUid(transfer, uidvalidity)))
  const candidates = found.uids.filter((uid) => uid >= since && !taken.has(uid))
  const sizes = new Set(transfers.map(({ content }) => content?.size))
  const traits = await destination.source.traits(at, candidates, { fields: FIELDS, structure: false }, signal)
  const byAge = traits.toSorted((a, b) => a.uid - b.uid)
  const alike = byAge.filter(({ size }) => sizes.has(size))
  // Some servers only guess at sizes. What was sent came soon after the fence.
  const unlike = byAge.filter(({ size }) => !sizes.has(size) && size <= LARGEST_CARRIED).slice(0, MOST_READ_ANYWAY)
  const uids = [...alike, ...unlike].map(({ uid }) => uid)
  const arrived = await match(transfers, uids, at, about)
  const proven = new Set([...arrived.values()].map(({ uid }) => uid))
  return { arrived, uidvalidity, others: byAge.filter(({ uid }) => !proven.has(uid)) }
}

/** Where the mailbox was recreated since, every message of it may be the one. */
function firstUid({ fence }: Transfer, uidvalidity: number): number {
  return fence?.uidvalidity === uidvalidity ? fence.uidNext : 1
}

async function match(
  transfers: readonly Transfer[],
  candidates: readonly number[],
  at: { readonly mailbox: string; readonly uidvalidity: number },
  { destination, digest, signal }: StepCase,
): Promise<ReadonlyMap<string, Placed>> {
  const waiting = Map.groupBy(transfers, ({ content }) => content?.hash)
  const arrived = new Map<string, Placed>()
  for (let from = 0; from < candidates.length && arrived.size < transfers.length; from += AT_ONCE) {
    const some = candidates.slice(from, from + AT_ONCE)
    for (const { uid, bytes } of await destination.source.rawMany(at, some, LARGEST_CARRIED, signal)) {
      const alikes = knownHashes(bytes, digest).flatMap((hash) => waiting.get(hash) ?? [])
      const first = alikes.find((one) => !arrived.has(one.txId) && uid >= firstUid(one, at.uidvalidity))
      if (first !== undefined) arrived.set(first.txId, { uid, uidvalidity: at.uidvalidity })
    }
  }
  return arrived
}

const FIELDS = ['Message-ID', 'Date', 'From', 'Subject']

/**
 * A message that may be the copy of this one, stored otherwise than it was sent. Being like it proves nothing, so it is
 * never taken for the copy; but while it is there, the message is not sent again.
 */
export function findSimilar(transfer: Transfer, bytes: Uint8Array, { uidvalidity, others }: Look): Placed | undefined {
  const since = firstUid(transfer, uidvalidity)
  const header = parseHeader(bytes)
  const found = others.find((one) => one.uid >= since && isSimilar(one, header, transfer.content?.received))
  return found && { uid: found.uid, uidvalidity }
}

/** The same date of arrival, which is sent along with a message; the same Message-ID; or all else that the header says. */
function isSimilar(
  { received, header: theirs }: Traits,
  ours: readonly HeaderField[],
  sentDate: number | undefined,
): boolean {
  if (received === sentDate) return true
  const given = FIELDS.filter((name) => firstField(ours, name) !== undefined)
  const same = given.filter((name) => spaced(firstField(ours, name)) === spaced(firstField(theirs, name)))
  return same.includes('Message-ID') || (given.length > 0 && same.length === given.length)
}

/** Servers fold fields as they like. */
function spaced(value = ''): string {
  return value.replace(/\s+/g, ' ').trim()
}
