/**
 * Another version of an outgoing message, made by the person who looks at it: as plain text, or without what recipients would not see.
 *
 * INVARIANT: a version is a send request of its own, with its own digest, that names the one it replaces. It is approved like any
 * other, and then sent by the first process that may. In the same step the message that it replaces, and every other version of
 * that one, is rejected.
 */
import type { Attachment } from '../../core/compose/attachment.ts'
import { type Composed, composeMessage } from '../../core/compose/compose.ts'
import type { StrictAddress } from '../../core/compose/strict-address.ts'
import { Failure } from '../../core/failure.ts'
import { formatAddresses } from '../../core/mime/addresses.ts'
import { attachmentsOf } from '../../core/mime/bodies.ts'
import { parseStructure } from '../../core/mime/structure.ts'
import { decodeTransfer } from '../../core/mime/transfer.ts'
import { type OutboxEntry, WAITING_MS } from '../../core/outbox/entry.ts'
import { visibleIn } from '../../core/outbox/html-review.ts'
import { canonicalSending, recipientsOf, type Sending, type Version } from '../../core/outbox/sending.ts'
import { sendingOf } from '../../core/outbox/sending-of.ts'
import { checkWire } from '../../core/outbox/wire-check.ts'
import { cleanLine, cleanText } from '../../core/text/plain.ts'
import { deliver } from './deliver.ts'
import { type OutboxParts, SEND_LIMIT } from './parts.ts'

export async function versionOf(
  entry: OutboxEntry,
  how: Version['how'],
  by: string,
  parts: OutboxParts,
  signal: AbortSignal,
): Promise<{ readonly entry: OutboxEntry; readonly bytes: Uint8Array }> {
  const { sending } = entry
  const composed = composedOf(sending, await wordsOf(sending, how, parts, signal), await filesOf(entry, parts), parts)
  const { caller, account, thread } = sending
  const made = sendingOf(composed, { caller, account, thread: thread?.id }, parts.digest)
  const version: Sending = { ...made, version: { of: sending.version?.of ?? entry.id, by, how } }
  const { bytes, messageId } = composed
  checkWire(bytes, { from: version.from.address, recipients: recipientsOf(version) })
  const now = parts.clock.now()
  return {
    bytes,
    entry: {
      id: parts.newId(),
      digest: parts.digest(canonicalSending(version)),
      sending: version,
      messageId,
      bytesDigest: parts.digest(bytes),
      marks: entry.marks,
      created: now,
      expires: now + WAITING_MS,
      state: { kind: 'waiting' },
    },
  }
}

/** Sends versions that are approved. One that cannot be sent now stays approved, and is tried again. */
export async function sendVersions(parts: OutboxParts): Promise<void> {
  if (parts.devMode) return
  const approved = await parts.store.list({ kinds: ['approved'], most: Number.MAX_SAFE_INTEGER })
  for (const entry of approved.filter(({ sending }) => sending.version !== undefined)) {
    await sendVersion(entry, parts).catch((err: unknown) => {
      parts.log.warn({ err, id: entry.id }, 'a message that a person has approved was not sent')
    })
  }
}

/** An approved version, where this process may send. Throws what the server refused it for. */
export async function sendVersion(entry: OutboxEntry, parts: OutboxParts): Promise<void> {
  const { store, clock, accounts, limit = SEND_LIMIT } = parts
  const account = accounts.current.find(entry.sending.account)
  if (parts.devMode || account?.sender === undefined) return
  const claim = await store.claim(entry.id, clock.now(), limit)
  if (claim.kind === 'claimed') await deliver(claim.entry, account, parts, new AbortController().signal)
}

interface Words {
  readonly text: string
  readonly html: string | undefined
}

async function wordsOf(
  { text, html }: Sending,
  how: Version['how'],
  { review, safeHtml }: OutboxParts,
  signal: AbortSignal,
): Promise<Words> {
  const plain = cleanText(text).text
  if (html === undefined) return { text: plain, html: undefined }
  if (how === 'plain_text') {
    return { text: plain.trim() === '' ? visibleIn(await review(html, signal)) : plain, html: undefined }
  }
  const safe = await safeHtml(html, signal)
  return { text: cleanText(visibleIn(await review(safe, signal))).text, html: safe }
}

/** The files as they are in the message that was queued, proven by their digests. */
async function filesOf({ id, sending }: OutboxEntry, { store, digest }: OutboxParts): Promise<readonly Attachment[]> {
  if (sending.attachments.length === 0) return []
  const bytes = await store.bytes(id)
  const parts = attachmentsOf(parseStructure(bytes).root).map(({ start, end, encoding }) =>
    decodeTransfer(bytes.subarray(start, end), encoding),
  )
  return sending.attachments.map(({ filename, type, digest: known }, at) => {
    const content = parts[at]
    if (content !== undefined && digest(content) === known) return { filename, type, bytes: content }
    throw new Failure('unreadable', 'the attachments of this message cannot be read again; reject it instead', {
      stage: 'outbox',
    })
  })
}

function composedOf(sending: Sending, words: Words, attachments: readonly Attachment[], parts: OutboxParts): Composed {
  const { from, to, cc, bcc, subject, thread } = sending
  return composeMessage({
    letter: {
      to: to.map(written),
      cc: cc.map(written),
      bcc: bcc.map(written),
      subject: cleanLine(subject).text,
      body: words.text,
      ...(words.html !== undefined && { html: words.html }),
    },
    from: written(from),
    date: Math.floor(parts.clock.now() / 1000),
    uniqueName: crypto.randomUUID(),
    original: undefined,
    ...(thread && { thread }),
    attachments,
  })
}

function written(address: StrictAddress): string {
  return formatAddresses([address])
}
