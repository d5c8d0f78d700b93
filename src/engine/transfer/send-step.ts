/**
 * Sends the messages that are not at their destination yet, and reads back what is there.
 *
 * INVARIANT: one that was sent before, with no answer, is looked for first: by its bytes, among what has arrived since.
 * Nothing is staged whose bytes were not read back and found the same.
 */
import { Failure } from '../../core/failure.ts'
import type { TransferEvent } from '../../core/transfer/machine.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { Appended, NewMessage, Placed } from '../../ports/mail-source.ts'
import { findArrived, findSettled } from './arrivals.ts'
import { LARGEST_CARRIED, refetched } from './fetch-step.ts'
import type { StepCase, TransferStep } from './passage.ts'
import { targetError, targetRefusal } from './transfer-error.ts'

export const sendStep: TransferStep = async (about) => {
  const events = new Map<string, TransferEvent>()
  const before = about.batch.filter(({ txId }) => !about.fresh.has(txId))
  const arrived = await findSettled(before, about)
  for (const [txId, placed] of arrived) events.set(txId, staged(placed))
  const missing = about.batch.filter(({ txId }) => !arrived.has(txId))
  const sent = await send(missing, about, events)
  await afterwards(sent, events, () => readBack(sent, about, events))
  return events
}

function staged({ uid, uidvalidity }: Placed): TransferEvent {
  return { kind: 'staged', targetUid: uid, uidvalidity }
}

interface Sent {
  readonly transfer: Transfer
  readonly uid: number
  readonly uidvalidity: number
}

async function send(
  missing: readonly Transfer[],
  about: StepCase,
  events: Map<string, TransferEvent>,
): Promise<readonly Sent[]> {
  const ready: Ready[] = []
  for (const transfer of missing) {
    const bytes = await bytesOf(transfer, about)
    const { content } = transfer
    if (bytes === undefined || content === undefined) events.set(transfer.txId, unavailable(transfer, about))
    else ready.push({ transfer, message: { bytes, flags: content.flags, received: content.received } })
  }
  const [first] = ready
  if (first === undefined) return []
  const endings = await appended(first.transfer.destination.mailbox, ready, about)
  const unplaced: Transfer[] = []
  const sent: Sent[] = []
  for (const [index, { transfer }] of ready.entries()) {
    const ending = endings[index]
    if (ending === undefined) continue
    if (ending.kind !== 'done') events.set(transfer.txId, notDone(ending))
    else if (ending.placed === undefined) unplaced.push(transfer)
    else sent.push({ transfer, ...ending.placed })
  }
  const sentOnly = unplaced.map((transfer) => ({ transfer }))
  await afterwards(sentOnly, events, () => settleUnplaced(unplaced, about, events))
  return sent
}

interface Ready {
  readonly transfer: Transfer
  readonly message: NewMessage
}

/** Notes of each whether the server may still be busy with it: only where it has not answered. */
async function appended(mailbox: string, ready: readonly Ready[], about: StepCase): Promise<readonly Appended[]> {
  const { destination, signal, clock, settledAt, settleMs } = about
  const settle = ({ transfer: { txId } }: Ready, isUnknown: boolean): void =>
    void settledAt.set(txId, clock.now() + (isUnknown ? settleMs : 0))
  for (const one of ready) settle(one, false)
  const messages = ready.map(({ message }) => message)
  try {
    const endings = await destination.source.appendEach(mailbox, messages, signal)
    for (const [index, one] of ready.entries()) settle(one, endings[index]?.kind === 'unknown')
    return endings
  } catch (error) {
    for (const one of ready) settle(one, !(error instanceof Failure) || error.code === 'outcome_unknown')
    throw error
  }
}

async function bytesOf(transfer: Transfer, about: StepCase): Promise<Uint8Array | undefined> {
  const { txId } = transfer
  const bytes = about.held.get(txId)
  about.held.delete(txId)
  return bytes ?? (await about.spool.read(txId)) ?? refetched(transfer, about)
}

/** They are at their destination by now: whatever fails here, they are looked for again, and never given up. */
async function afterwards(
  sent: readonly Pick<Sent, 'transfer'>[],
  events: Map<string, TransferEvent>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    if (sent.length > 0) await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    for (const { transfer } of sent) events.set(transfer.txId, { kind: 'failed', error: targetError(error) })
  }
}

/** Where it may have been sent before, nobody knows where it is now. */
function unavailable({ txId }: Transfer, { fresh }: StepCase): TransferEvent {
  return { kind: fresh.has(txId) ? 'refused' : 'escalated', error: 'fetch_failed' }
}

function notDone({ kind, failure }: Exclude<Appended, { kind: 'done' }>): TransferEvent {
  return kind === 'unknown' ? { kind: 'failed', error: targetError(failure) } : targetRefusal(failure)
}

/** A server that does not tell where it put a message is asked for it by its bytes. */
async function settleUnplaced(
  transfers: readonly Transfer[],
  about: StepCase,
  events: Map<string, TransferEvent>,
): Promise<void> {
  const arrived = await findArrived(transfers, about)
  for (const { txId } of transfers) {
    const placed = arrived.get(txId)
    const lost: TransferEvent = { kind: 'escalated', error: 'target_append_failed' }
    events.set(txId, placed === undefined ? lost : staged(placed))
  }
}

async function readBack(sent: readonly Sent[], about: StepCase, events: Map<string, TransferEvent>): Promise<void> {
  const [first] = sent
  if (first === undefined) return
  const at = { mailbox: first.transfer.destination.mailbox, uidvalidity: first.uidvalidity }
  const copies = await about.destination.source.rawMany(
    at,
    sent.map(({ uid }) => uid),
    LARGEST_CARRIED,
    about.signal,
  )
  const hashes = new Map(copies.map(({ uid, bytes }) => [uid, about.digest(bytes)]))
  for (const { transfer, uid } of sent) {
    const isSame = hashes.get(uid) === transfer.content?.hash
    const changed: TransferEvent = { kind: 'escalated', error: 'target_append_failed' }
    events.set(transfer.txId, isSame ? staged({ uid, uidvalidity: at.uidvalidity }) : changed)
  }
}
