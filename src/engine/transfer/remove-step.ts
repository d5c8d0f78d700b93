/**
 * Removes the originals of messages whose copies are safe.
 *
 * INVARIANT: only uids whose mailbox still has the uidvalidity they were seen under, and that still have the size or the
 * bytes they had; an original that is gone already is gone. Nothing else is ever expunged.
 */
import type { TransferEvent } from '../../core/transfer/machine.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import { LARGEST_CARRIED } from './fetch-step.ts'
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
  if (present.length === 0) return events
  const how = source.google === undefined ? await expunge(present, about) : await discard(present, about)
  for (const { txId } of present) events.set(txId, { kind: 'deleted', how })
  return events
}

/** Some servers only guess at sizes. */
async function isSame({ source: from, content }: Transfer, { source, digest, signal }: StepCase): Promise<boolean> {
  const [found] = await source.source.rawMany(from, [from.uid], LARGEST_CARRIED, signal)
  return found !== undefined && digest(found.bytes) === content?.hash
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
