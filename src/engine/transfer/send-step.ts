/**
 * Sends the messages that are not at their destination yet, and reads back what is there.
 *
 * INVARIANT: one that was sent before, with no answer, is looked for first, among what has arrived since: by its content,
 * which proves it, then by what is like it, which leaves the decision to a person. What a server has acknowledged is never
 * sent again. Nothing is staged whose content was not read back and found the same.
 */
import { Failure } from '../../core/failure.ts'
import { withCrlf } from '../../core/transfer/line-ends.ts'
import type { TransferEvent } from '../../core/transfer/machine.ts'
import type { Content, Transfer, UnprovenCopy } from '../../core/transfer/transfer.ts'
import type { Appended, NewMessage, Placed } from '../../ports/mail-source.ts'
import { findArrived, findSettled, findSimilar, type Look } from './arrivals.ts'
import { contentHash } from './content-hash.ts'
import { LARGEST_CARRIED, refetched } from './fetch-step.ts'
import type { StepCase, TransferStep } from './passage.ts'
import { targetRefusal, targetTrouble } from './transfer-error.ts'

export const sendStep: TransferStep = async (about) => {
  const events = new Map<string, TransferEvent>()
  const before = about.batch.filter(({ txId }) => !about.fresh.has(txId))
  const look = await findSettled(before, about)
  for (const [txId, placed] of look.arrived) events.set(txId, staged(placed))
  const ready: Ready[] = []
  for (const transfer of about.batch.filter(({ txId }) => !look.arrived.has(txId))) {
    const prepared = await prepare(transfer, look, about)
    if ('kind' in prepared) events.set(transfer.txId, prepared)
    else ready.push(prepared)
  }
  const sent = await send(ready, about, events)
  await afterwards(sent, events, () => readBack(sent, about, events))
  return events
}

function staged({ uid, uidvalidity }: Placed): TransferEvent {
  return { kind: 'staged', targetUid: uid, uidvalidity }
}

/** Something is at the destination, and only a person can tell what. */
function inDoubt(unproven: UnprovenCopy): TransferEvent {
  return { kind: 'escalated', error: 'target_append_failed', unproven }
}

/** A message that is known not to be at its destination, with its content in the form of today. */
interface Ready {
  readonly transfer: Transfer & { readonly content: Content }
  readonly message: NewMessage
}

interface Sent {
  readonly transfer: Transfer
  readonly placed: Placed | undefined
}

interface Located extends Sent {
  readonly placed: Placed
}

/** The message to send, or what was found out instead. */
async function prepare(transfer: Transfer, look: Look, about: StepCase): Promise<Ready | TransferEvent> {
  if (transfer.unproven?.kind === 'acknowledged') return inDoubt(transfer.unproven)
  const found = await bytesOf(transfer, about)
  if (found === undefined || transfer.content === undefined) return unavailable(transfer, about)
  const bytes = withCrlf(found)
  const content = { ...transfer.content, hash: contentHash(bytes, about.digest), size: bytes.length }
  const message = { bytes, flags: content.flags, received: content.received }
  const ready = { transfer: { ...transfer, content }, message }
  if (about.fresh.has(transfer.txId)) return ready
  // A journal of an earlier version knows it by a hash that another form of its line ends does not have.
  const isOlder = content.hash !== transfer.content.hash
  const placed = isOlder ? (await findArrived([ready.transfer], about)).arrived.get(transfer.txId) : undefined
  if (placed !== undefined) return staged(placed)
  const similar = findSimilar(transfer, bytes, look)
  return similar === undefined ? ready : inDoubt({ kind: 'similar', placed: similar })
}

async function send(
  ready: readonly Ready[],
  about: StepCase,
  events: Map<string, TransferEvent>,
): Promise<readonly Located[]> {
  const [first] = ready
  if (first === undefined) return []
  const endings = await appended(first.transfer.destination.mailbox, ready, about)
  const unplaced: Sent[] = []
  const sent: Located[] = []
  for (const [index, { transfer }] of ready.entries()) {
    const ending = endings[index]
    if (ending === undefined) continue
    if (ending.kind !== 'done') events.set(transfer.txId, notDone(ending))
    else if (ending.placed === undefined) unplaced.push({ transfer, placed: undefined })
    else sent.push({ transfer, placed: ending.placed })
  }
  await afterwards(unplaced, events, () => settleUnplaced(unplaced, about, events))
  return sent
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

/** They are at their destination by now: whatever fails here, they are looked for again, and never sent again or given up. */
async function afterwards(
  sent: readonly Sent[],
  events: Map<string, TransferEvent>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    if (sent.length > 0) await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const trouble = targetTrouble(error)
    for (const one of sent)
      events.set(one.transfer.txId, { kind: 'failed', ...trouble, unproven: acknowledged(one.placed) })
  }
}

function acknowledged(placed: Placed | undefined): UnprovenCopy {
  return { kind: 'acknowledged', placed: placed && { uid: placed.uid, uidvalidity: placed.uidvalidity } }
}

/** Where it may have been sent before, nobody knows where it is now. */
function unavailable({ txId }: Transfer, { fresh }: StepCase): TransferEvent {
  return { kind: fresh.has(txId) ? 'refused' : 'escalated', error: 'fetch_failed' }
}

function notDone({ kind, failure }: Exclude<Appended, { kind: 'done' }>): TransferEvent {
  return kind === 'unknown' ? { kind: 'failed', ...targetTrouble(failure) } : targetRefusal(failure)
}

/** A server that does not tell where it put a message is asked for it by its content. */
async function settleUnplaced(
  sent: readonly Sent[],
  about: StepCase,
  events: Map<string, TransferEvent>,
): Promise<void> {
  const transfers = sent.map(({ transfer }) => transfer)
  const { arrived } = await findArrived(transfers, about)
  for (const { txId } of transfers) {
    const placed = arrived.get(txId)
    events.set(txId, placed === undefined ? inDoubt(acknowledged(undefined)) : staged(placed))
  }
}

async function readBack(sent: readonly Located[], about: StepCase, events: Map<string, TransferEvent>): Promise<void> {
  const [first] = sent
  if (first === undefined) return
  const { uidvalidity } = first.placed
  const copies = await about.destination.source.rawMany(
    { mailbox: first.transfer.destination.mailbox, uidvalidity },
    sent.map(({ placed }) => placed.uid),
    LARGEST_CARRIED,
    about.signal,
  )
  const hashes = new Map(copies.map(({ uid, bytes }) => [uid, contentHash(bytes, about.digest)]))
  for (const { transfer, placed } of sent) {
    const isSame = hashes.get(placed.uid) === transfer.content?.hash
    events.set(transfer.txId, isSame ? staged({ ...placed, uidvalidity }) : inDoubt(acknowledged(placed)))
  }
}
