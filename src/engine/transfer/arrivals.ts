/**
 * Finds out whether messages that were sent without an answer have arrived.
 *
 * INVARIANT: only bytes prove it: a Message-ID, a size or a subject is anybody's to choose. One arrival proves one transfer,
 * and none that another transfer has proved before.
 */
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { Placed } from '../../ports/mail-source.ts'
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

/** The same, but where one may be about to arrive, everything is looked for again once the server must be done with it. */
export async function findSettled(
  transfers: readonly Transfer[],
  about: StepCase,
): Promise<ReadonlyMap<string, Placed>> {
  const arrived = await findArrived(transfers, about)
  const ms = unsettledFor(transfers, about)
  if (arrived.size === transfers.length || ms === 0) return arrived
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

/** Where each of them is that is there. */
export async function findArrived(
  transfers: readonly Transfer[],
  about: StepCase,
): Promise<ReadonlyMap<string, Placed>> {
  const [first] = transfers
  if (first === undefined) return new Map()
  const { destination, signal } = about
  const { mailbox } = first.destination
  const found = await destination.source.find(
    mailbox,
    { criteria: {}, take: MOST_LOOKED_AT, most: MOST_LOOKED_AT },
    signal,
  )
  const at = { mailbox, uidvalidity: found.uidvalidity }
  const taken = await about.journal.arrivedIn(first.destination, found.uidvalidity)
  const since = Math.min(...transfers.map((transfer) => firstUid(transfer, found.uidvalidity)))
  const candidates = found.uids.filter((uid) => uid >= since && !taken.has(uid))
  const sizes = new Set(transfers.map(({ content }) => content?.size))
  const traits = await destination.source.traits(at, candidates, { fields: [], structure: false }, signal)
  const byAge = traits.toSorted((a, b) => a.uid - b.uid)
  const alike = byAge.filter(({ size }) => sizes.has(size))
  // Some servers only guess at sizes. What was sent came soon after the fence.
  const others = byAge.filter(({ size }) => !sizes.has(size) && size <= LARGEST_CARRIED).slice(0, MOST_READ_ANYWAY)
  return match(
    transfers,
    [...alike, ...others].map(({ uid }) => uid),
    at,
    about,
  )
}

/** Where the mailbox was made anew since, every message of it may be the one. */
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
      const alikes = waiting.get(digest(bytes)) ?? []
      const index = alikes.findIndex((transfer) => uid >= firstUid(transfer, at.uidvalidity))
      for (const { txId } of index < 0 ? [] : alikes.splice(index, 1))
        arrived.set(txId, { uid, uidvalidity: at.uidvalidity })
    }
  }
  return arrived
}
