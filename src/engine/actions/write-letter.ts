/**
 * A letter of the caller's own, put together: with the message that it answers quoted, and with what it attaches.
 *
 * INVARIANT: what the caller wrote wrongly is told before anything is fetched for it. Nothing is attached but parts of
 * messages that the caller may read whole.
 */
import { messageMissing } from '../../core/absent.ts'
import type { AttachedPart, Letter } from '../../core/action.ts'
import { answerRecipients } from '../../core/compose/answer-recipients.ts'
import type { Attachment } from '../../core/compose/attachment.ts'
import { type Composed, composeMessage } from '../../core/compose/compose.ts'
import type { Quoted } from '../../core/compose/threading.ts'
import { Failure } from '../../core/failure.ts'
import type { Opened } from '../../core/message.ts'
import type { MessageRef } from '../../core/message-id.ts'
import { formatAddresses } from '../../core/mime/addresses.ts'
import type { Account } from '../accounts/accounts.ts'
import { type Reading, readersOf } from '../outbox/reading.ts'
import { takeable } from './own-message.ts'
import { readAttachment } from './read-attachment.ts'
import { readMessage } from './read-message.ts'
import type { Workshop } from './workshop.ts'

const QUOTED_CHARS = 50_000
/** All attachments of one letter together. */
const MOST_ATTACHED = 20 * 1024 * 1024

export interface Order {
  readonly letter: Letter
  readonly repliesTo: MessageRef | undefined
  /** Whether the message that it answers says to whom it goes. */
  readonly toItsSender: boolean
  readonly isDraft: boolean
}

export interface Written {
  readonly composed: Composed
  readonly original: Opened | undefined
  /** Who could read what the letter takes along anyway. */
  readonly taken: Reading['all']
}

export async function writeLetter(order: Order, account: Account, workshop: Workshop): Promise<Written> {
  const { letter, repliesTo, isDraft, toItsSender } = order
  if (account.address === undefined) throw nameless(account.id)
  const sheet = {
    from: account.address,
    date: Math.floor(workshop.clock.now() / 1000),
    uniqueName: crypto.randomUUID(),
    showBcc: isDraft,
  }
  const isAlone = repliesTo === undefined && !toItsSender && (letter.attachments ?? []).length === 0
  const alone = composeMessage({
    ...sheet,
    letter: toItsSender ? { ...letter, to: [account.address] } : letter,
    original: undefined,
  })
  if (isAlone) return { composed: alone, original: undefined, taken: [] }
  const answered = repliesTo && (await quoted(repliesTo, account, workshop))
  const attached = await attachedParts(letter.attachments ?? [], workshop)
  const to = toItsSender && answered ? answerRecipients(answered.opened.header, account.address).map(shown) : letter.to
  const composed = composeMessage({
    ...sheet,
    letter: { ...letter, to },
    original: answered?.quoted,
    attachments: attached.map(({ file }) => file),
  })
  const messages = [...(answered ? [{ from: account, opened: answered.opened }] : []), ...attached]
  const taken = messages.map(({ from, opened }) => ({ account: from.id, readers: readersOf(from, opened.header) }))
  return { composed, original: answered?.opened, taken }
}

function shown(address: { readonly name: string; readonly address: string }): string {
  return formatAddresses([address])
}

async function quoted(
  message: MessageRef,
  account: Account,
  workshop: Workshop,
): Promise<{ readonly opened: Opened; readonly quoted: Quoted }> {
  const { opened, level } = await takeable(message, account, 'BODY', workshop)
  const reading = { needs: 'BODY', depth: 'BODY', bodyChars: QUOTED_CHARS, html: false } as const
  const asked = { kind: 'read_message', message, ...reading, attachmentChars: undefined } as const
  const view = await readMessage(asked, unnoticed(workshop), level)
  const { header, received } = opened
  return { opened, quoted: { header, received, text: view.text ?? '', truncated: view.textTruncated } }
}

interface Attached {
  readonly from: Account
  readonly opened: Opened
  readonly file: Attachment
}

async function attachedParts(parts: readonly AttachedPart[], workshop: Workshop): Promise<readonly Attached[]> {
  const attached: Attached[] = []
  let room = MOST_ATTACHED
  for (const { message, part } of parts) {
    const from = workshop.accounts.find(message.account)
    if (from === undefined) throw messageMissing(message.uid)
    const { opened, level } = await takeable(message, from, 'FULL', workshop)
    const asked = { kind: 'read_attachment', message, part, inlineBytes: undefined } as const
    const { filename = 'attachment', type, bytes } = await readAttachment(asked, unnoticed(workshop), level)
    room -= bytes.length
    if (room < 0) throw tooMuch()
    attached.push({ from, opened, file: { filename, type, bytes } })
  }
  return attached
}

/** What goes into a letter is not shown to its writer. */
function unnoticed(workshop: Workshop): Workshop {
  return { ...workshop, reading: { message: () => undefined, unshown: () => undefined, all: [] } }
}

function tooMuch(): Failure {
  const what = `the attachments together have more than ${MOST_ATTACHED} bytes`
  return new Failure('too_large', what, { stage: 'attachment' })
}

function nameless(id: string): Failure {
  const what = `account "${id}" has no address to write from; set identity in accounts.yaml, or MAIL_IMAP_<ACCOUNT>_EMAIL`
  return new Failure('invalid_input', what, { stage: 'identity' })
}
