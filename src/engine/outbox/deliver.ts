/**
 * Sends a letter that is claimed.
 *
 * INVARIANT: what goes out is what was queued, byte for byte, to whom it was approved for. Whatever happens, the letter ends as
 * sent, as certainly not sent, or as one that a person has to look at; what may have left is never sent again.
 */
import { Failure } from '../../core/failure.ts'
import { parseHeader } from '../../core/mime/header.ts'
import { threadIdOf } from '../../core/mirror/thread.ts'
import { approvalFile, type OutboxEntry } from '../../core/outbox/entry.ts'
import { canonicalSending, recipientsOf } from '../../core/outbox/sending.ts'
import type { Issue } from '../../core/results.ts'
import type { SendEnding } from '../../core/send-ending.ts'
import type { Delivered, OutgoingMail } from '../../ports/mail-sender.ts'
import type { Account } from '../accounts/accounts.ts'
import type { OutboxParts } from './parts.ts'
import { fileCopy, filedCopy } from './sent-copy.ts'

export const BACK_OFF_MS = [1000, 2000]
/** Longer than any server takes that is worth waiting for. */
const SENDING_MS = 90_000
const FILING_MS = 20_000
/** A person could not mend these, and the same letter will meet them again. */
const FOR_GOOD = new Set(['rejected', 'too_large', 'invalid_input', 'unsupported'])

interface AtHand {
  /** Whether anything may lie in the vault of it. */
  readonly isShown?: boolean
  /** What was just queued, where it need not be read again. */
  readonly bytes?: Uint8Array
}

export async function deliver(
  entry: OutboxEntry,
  account: Account,
  parts: OutboxParts,
  signal: AbortSignal,
  { isShown = true, bytes: queued }: AtHand = {},
): Promise<SendEnding> {
  let bytes: Uint8Array
  let delivered: Delivered
  try {
    bytes = queued ?? (await parts.store.bytes(entry.id))
    delivered = await attempt(entry, account, mailOf(entry, bytes, parts), parts, signal)
  } catch (error) {
    return notDelivered(entry, account, error, parts)
  }
  const ours = account.filesSent !== true
  const { id: providerId, thread: providerThread, refused } = delivered
  const names = { ...(providerId && { providerId }), ...(providerThread && { providerThread }) }
  const at = parts.clock.now()
  const sent = await parts.store
    .record(entry.id, { kind: 'deliver', at, refused, filed: !ours, told: true, ...names })
    .catch((cause: unknown) => {
      const what = 'it was sent, but that could not be written down; do not send it again'
      throw new Failure('outcome_unknown', what, { cause, stage: 'outbox' })
    })
  const issues = ours ? await filed(sent, account, bytes, parts) : []
  if (isShown) await parts.vault.move(sent, 'Done', approvalFile(sent)).catch((err: unknown) => notMoved(err, parts))
  const threadId = providerThread ?? threadIdOf(parseHeader(bytes))
  return { kind: 'sent', messageId: providerId ?? entry.messageId, threadId, refused, issues }
}

/** What was queued is what is sent, or nothing is. */
function mailOf(entry: OutboxEntry, bytes: Uint8Array, { digest }: OutboxParts): OutgoingMail {
  const { sending } = entry
  if (digest(bytes) !== entry.bytesDigest || digest(canonicalSending(sending)) !== entry.digest) {
    throw new Failure('invalid_input', 'the letter is not the one that was approved; nothing was sent', {
      stage: 'outbox',
    })
  }
  const mail = { from: sending.from.address, recipients: recipientsOf(sending), bytes }
  return sending.thread === undefined ? mail : { ...mail, thread: sending.thread.id }
}

/** Once begun it goes on, whether or not its caller still waits: one that is broken off may have arrived. */
async function attempt(
  entry: OutboxEntry,
  { sender }: Account,
  mail: OutgoingMail,
  { backOffMs = BACK_OFF_MS, log }: OutboxParts,
  signal: AbortSignal,
): Promise<Delivered> {
  if (sender === undefined) throw new Failure('unsupported', 'the account cannot send', { stage: 'outbox' })
  for (let tries = 0; ; tries++) {
    try {
      return await bounded(SENDING_MS, (limit) => sender.send(mail, limit))
    } catch (error) {
      const wait = backOffMs[tries]
      const again = error instanceof Failure && error.code === 'unavailable' && wait !== undefined && !signal.aborted
      if (!again) throw error
      log.info({ id: entry.id, err: error }, 'a letter was not taken and is tried again')
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
}

async function notDelivered(
  entry: OutboxEntry,
  account: Account,
  error: unknown,
  parts: OutboxParts,
): Promise<SendEnding> {
  const { store, vault, clock, log } = parts
  const at = clock.now()
  const file = approvalFile(entry)
  if (!(error instanceof Failure) || error.code === 'outcome_unknown') {
    log.error({ id: entry.id, err: error }, 'nobody knows whether a letter was sent')
    const lost = await store.record(entry.id, { kind: 'lose', at })
    await vault.move(lost, 'Needs_Operator', file).catch((err: unknown) => notMoved(err, parts))
    return reconciled(lost, account, parts, { told: true })
  }
  if (FOR_GOOD.has(error.code)) {
    const failed = await store.record(entry.id, { kind: 'fail', at, reason: error.code })
    await vault.move(failed, 'Done', file).catch((err: unknown) => notMoved(err, parts))
  } else {
    await store.record(entry.id, { kind: 'give_back', reason: error.code })
    if (file !== undefined) await vault.putBack(file, entry.id).catch((err: unknown) => notMoved(err, parts))
  }
  throw error
}

/** Where the provider keeps a copy of whatever it takes, a copy is proof. That there is none proves nothing. */
export async function reconciled(
  entry: OutboxEntry,
  account: Account,
  parts: OutboxParts,
  { told }: { readonly told: boolean },
): Promise<SendEnding> {
  const lost: SendEnding = { kind: 'needs_operator', id: entry.id }
  if (account.filesSent !== true) return lost
  const look = (limit: AbortSignal) => filedCopy(account, entry.messageId, limit)
  const copy = await bounded(FILING_MS, look).catch(() => undefined)
  if (copy === undefined) return lost
  const { message: providerId, thread: providerThread } = copy.native ?? {}
  const names = { ...(providerId && { providerId }), ...(providerThread && { providerThread }) }
  const sent = await parts.store.record(entry.id, {
    kind: 'settle',
    at: parts.clock.now(),
    wasSent: true,
    told,
    ...names,
  })
  await parts.vault.move(sent, 'Done', approvalFile(sent)).catch((err: unknown) => notMoved(err, parts))
  const threadId = providerThread ?? entry.sending.thread?.id
  return { kind: 'sent', messageId: providerId ?? entry.messageId, threadId, refused: [], issues: [] }
}

/** A letter that is sent is sent, whether or not a copy of it can be kept. */
export async function filed(
  entry: OutboxEntry,
  account: Account,
  bytes: Uint8Array,
  { store, log, clock }: Pick<OutboxParts, 'store' | 'log' | 'clock'>,
): Promise<readonly Issue[]> {
  try {
    await bounded(FILING_MS, (limit) => fileCopy(account, entry.messageId, bytes, clock.now(), limit))
    await store.record(entry.id, { kind: 'file' })
    return []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    log.warn({ id: entry.id, err: error }, 'no copy of a letter could be kept among what was sent')
    const message = 'it was sent, but no copy could be put into the Sent folder'
    return [{ code: error.code, stage: 'sent_copy', message, retryable: false }]
  }
}

async function bounded<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const late = (): void => stop.abort(new Failure('timeout', `it took longer than ${ms / 1000} s`))
  const timer = setTimeout(late, ms)
  try {
    return await work(stop.signal)
  } finally {
    clearTimeout(timer)
  }
}

/** The vault only shows what the store knows: that a file could not be moved changes nothing. */
function notMoved(err: unknown, { log }: Pick<OutboxParts, 'log'>): void {
  log.warn({ err }, 'a file of the vault could not be moved')
}
