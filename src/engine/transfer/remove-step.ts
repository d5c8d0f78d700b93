/**
 * Removes the originals of messages whose copies are safe.
 *
 * INVARIANT: only uids whose mailbox still has the uidvalidity they were seen under, and that still have the size or the
 * bytes they had, and whose copy is there; an original that is gone already is gone. Nothing else is ever expunged.
 */
import { Failure } from '../../core/failure.ts'
import type { TransferEvent } from '../../core/transfer/machine.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import { inTurns, sizeOf } from './batches.ts'
import { contentHash, isContent, knownHashes } from './content-hash.ts'
import { LARGEST_CARRIED, refetched } from './fetch-step.ts'
import type { StepCase, TransferStep } from './passage.ts'

export const removeStep: TransferStep = async (about) => {
  const { source, batch, signal } = about
  const [first] = batch
  if (first === undefined) return new Map()
  const at = { mailbox: first.source.mailbox, uidvalidity: first.source.uidvalidity }
  const events = new Map<string, TransferEvent>()
  const uids = batch.map((transfer) => transfer.source.uid)
  const there = new Map(
    (await source.source.traits(at, uids, { fields: [], structure: false }, signal)).map((one) => [one.uid, one]),
  )
  const [present, doubtful]: [Transfer[], Transfer[]] = [[], []]
  for (const transfer of batch) {
    const traits = there.get(transfer.source.uid)
    if (traits === undefined) events.set(transfer.txId, { kind: 'deleted', how: 'yes' })
    else if (traits.size === transfer.content?.size) present.push(transfer)
    else doubtful.push(transfer)
  }
  for (const transfer of doubtful) {
    if (await isSame(transfer, about)) present.push(transfer)
    else events.set(transfer.txId, { kind: 'escalated', error: 'source_delete_failed' })
  }
  const { safe, lost } = await withCopies(present, about)
  for (const { txId } of lost) events.set(txId, { kind: 'escalated', error: 'source_delete_failed' })
  if (safe.length === 0) return events
  const how = source.google === undefined ? await expunge(safe, about) : await discard(safe, about)
  for (const { txId } of safe) events.set(txId, { kind: 'deleted', how })
  return events
}

/** Between the try that read a copy back and this one anything may have happened to it: then it is read once more. */
async function withCopies(
  present: readonly Transfer[],
  about: StepCase,
): Promise<{ readonly safe: readonly Transfer[]; readonly lost: readonly Transfer[] }> {
  const safe = new Set(present.filter(({ txId }) => about.proven.has(txId)))
  const doubtful = Map.groupBy(
    present.filter((transfer) => !safe.has(transfer)),
    ({ targetUidvalidity }) => targetUidvalidity,
  )
  for (const [uidvalidity, transfers] of doubtful) {
    for (const turn of inTurns(transfers, sizeOf)) {
      const hashes = await hashesAt(turn, uidvalidity, about)
      for (const transfer of turn) if (await isCopy(hashes.get(transfer.targetUid), transfer, about)) safe.add(transfer)
    }
  }
  return { safe: [...safe], lost: present.filter((transfer) => !safe.has(transfer)) }
}

/** A hash of an older journal may be that of other line ends: then the copy is compared with the original itself. */
async function isCopy(hashes: readonly string[] = [], transfer: Transfer, about: StepCase): Promise<boolean> {
  if (hashes.length === 0) return false
  if (transfer.content !== undefined && hashes.includes(transfer.content.hash)) return true
  const original = await refetched(transfer, about)
  return original !== undefined && hashes.includes(contentHash(original, about.digest))
}

/** None where the mailbox is gone, or is another one by now. */
async function hashesAt(
  [first, ...more]: readonly Transfer[],
  uidvalidity: number | undefined,
  { destination, digest, signal }: StepCase,
): Promise<ReadonlyMap<number | undefined, readonly string[]>> {
  if (first === undefined || uidvalidity === undefined) return new Map()
  const at = { mailbox: first.destination.mailbox, uidvalidity }
  const uids = [first, ...more].flatMap(({ targetUid }) => targetUid ?? [])
  try {
    const copies = await destination.source.rawMany(at, uids, LARGEST_CARRIED, signal)
    return new Map(copies.map(({ uid, bytes }) => [uid, knownHashes(bytes, digest)]))
  } catch (error) {
    if (error instanceof Failure && (error.code === 'conflict' || error.code === 'not_found')) return new Map()
    throw error
  }
}

/** Some servers only guess at sizes. */
async function isSame({ source: from, content }: Transfer, { source, digest, signal }: StepCase): Promise<boolean> {
  const [found] = await source.source.rawMany(from, [from.uid], LARGEST_CARRIED, signal)
  return found !== undefined && isContent(found.bytes, content, digest)
}

async function expunge(
  [first, ...more]: readonly Transfer[],
  { source, signal }: StepCase,
): Promise<'yes' | 'flagged'> {
  if (first === undefined) return 'yes'
  const at = { mailbox: first.source.mailbox, uidvalidity: first.source.uidvalidity }
  const removed = await source.source.removeMany(
    at,
    [first, ...more].map((transfer) => transfer.source.uid),
    signal,
  )
  return removed === 'expunged' ? 'yes' : 'flagged'
}

/** At Google, taking a label away would leave the message in All Mail. */
async function discard(transfers: readonly Transfer[], { source, signal }: StepCase): Promise<'yes'> {
  const trash = (await source.source.mailboxes(signal)).find(({ role }) => role === 'trash')
  for (const { source: from } of transfers) {
    if (trash === undefined || trash.name === from.mailbox) await source.source.removeMany(from, [from.uid], signal)
    else await source.google?.swapLabel(from, from.uid, trash.name, signal)
  }
  return 'yes'
}
