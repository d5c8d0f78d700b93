/**
 * A message of a caller's own, ready to be stored as a draft or sent.
 *
 * INVARIANT: whatever the strings hold, the message has exactly the header fields named here, exactly the recipients, texts
 * and attachments that were given, and no body that can reach into them. Lines end in CRLF and are short; all of it is
 * ASCII. The same sheet gives the same bytes. Those that nobody else is told of stand only in what is never sent.
 */
import type { Letter } from '../action.ts'
import { Failure } from '../failure.ts'
import { decodeUnstructured, firstField } from '../mime/header.ts'
import { cleanLine } from '../text/plain.ts'
import { type Attachment, attachmentEntity, safeAttachment } from './attachment.ts'
import { type Entity, multipart } from './entity.ts'
import { addressField, field, mailDate, textField } from './header-lines.ts'
import { type StrictAddress, strictAddress } from './strict-address.ts'
import { answerSubject, type Quoted, quotation, threadOf } from './threading.ts'
import { encodeBody } from './transfer-encoding.ts'
import { type Written, writtenOf } from './written.ts'

export interface Sheet {
  readonly letter: Letter
  /** The writer's own address. */
  readonly from: string
  /** When it is written, in seconds since 1970. */
  readonly date: number
  /** Unique, without its angle brackets: what stands before the `@`. */
  readonly uniqueName: string
  /** The message that it answers. */
  readonly original: Quoted | undefined
  /** The thread that it belongs to, where what it answers is quoted in it already. */
  readonly thread?: { readonly inReplyTo: string | undefined; readonly references: readonly string[] }
  /** What the letter attaches, fetched. */
  readonly attachments?: readonly Attachment[]
  /** Whether a Bcc field is written: in a draft, for whoever sends it; never in what goes out. */
  readonly showBcc?: boolean
}

export interface Composed {
  readonly bytes: Uint8Array
  readonly from: StrictAddress
  readonly to: readonly StrictAddress[]
  readonly cc: readonly StrictAddress[]
  readonly bcc: readonly StrictAddress[]
  readonly subject: string
  /** With its angle brackets. */
  readonly messageId: string
  /** All of the text that is read at the other end, the quotation included; lines end in `\n`, the last one in nothing. */
  readonly text: string
  /** All of the HTML version, where there is one. */
  readonly html: string | undefined
  /** Under the names and types that they travel with. */
  readonly attachments: readonly Attachment[]
  readonly inReplyTo: string | undefined
  readonly references: readonly string[]
}

const NO_THREAD = { inReplyTo: undefined, references: [] }
const MOST_SUBJECT = 998
const UNIQUE = /^[A-Za-z0-9.-]{8,100}$/
const BROKEN_LINES = /[\p{Cc}\p{Cs}\u2028\u2029]/u

export function composeMessage(sheet: Sheet): Composed {
  const { letter, date, uniqueName, original } = sheet
  if (!UNIQUE.test(uniqueName)) throw new Error('a message needs a unique name of plain letters')
  const from = strictAddress(sheet.from, "the account's address")
  const [to, cc, bcc] = [people(letter.to, 'to'), people(letter.cc, 'cc'), people(letter.bcc ?? [], 'bcc')]
  if (to.length === 0) throw new Failure('invalid_input', 'to must name at least one address')
  const subject = subjectOf(letter.subject, original)
  const { inReplyTo, references } = original ? threadOf(original.header) : (sheet.thread ?? NO_THREAD)
  const written = writtenOf(letter, original && quotation(original))
  const attachments = (sheet.attachments ?? []).map(safeAttachment)
  const messageId = `<${uniqueName}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`
  const { fields, body } = contentOf(written, attachments, uniqueName)
  const lines = [
    addressField('From', [from]),
    addressField('To', to),
    ...(cc.length > 0 ? [addressField('Cc', cc)] : []),
    ...(bcc.length > 0 && sheet.showBcc === true ? [addressField('Bcc', bcc)] : []),
    textField('Subject', subject),
    field('Date', [mailDate(date)]),
    field('Message-ID', [messageId]),
    ...(inReplyTo === undefined ? [] : [field('In-Reply-To', [inReplyTo])]),
    ...(references.length === 0 ? [] : [field('References', references)]),
    'MIME-Version: 1.0',
    ...fields,
    '',
    body,
  ]
  const bytes = new TextEncoder().encode(lines.join('\r\n'))
  const { text, html } = written
  return { bytes, from, to, cc, bcc, subject, messageId, text, html, attachments, inReplyTo, references }
}

function people(list: readonly string[], what: string): StrictAddress[] {
  return list.map((text, at) => strictAddress(text, `${what}[${at}]`))
}

function contentOf({ flowed, html }: Written, attachments: readonly Attachment[], uniqueName: string): Entity {
  const plain = textEntity('Content-Type: text/plain; charset=utf-8; format=flowed', flowed)
  const read =
    html === undefined
      ? plain
      : multipart(
          'alternative',
          [plain, textEntity('Content-Type: text/html; charset=utf-8', html.split('\n'))],
          uniqueName,
        )
  return attachments.length === 0 ? read : multipart('mixed', [read, ...attachments.map(attachmentEntity)], uniqueName)
}

function textEntity(contentType: string, lines: readonly string[]): Entity {
  const { encoding, text } = encodeBody([...lines, ''])
  return { fields: [contentType, `Content-Transfer-Encoding: ${encoding}`], body: text }
}

function subjectOf(written: string, original: Quoted | undefined): string {
  if (BROKEN_LINES.test(written)) {
    throw new Failure('invalid_input', 'subject must be one line without control characters')
  }
  if (written.length > MOST_SUBJECT) {
    throw new Failure('invalid_input', `subject must have at most ${MOST_SUBJECT} characters`)
  }
  const given = written.trim()
  if (original === undefined) return given
  if (given !== '') return answerSubject(given)
  const theirs = decodeUnstructured(firstField(original.header, 'subject') ?? '')
  return answerSubject(cleanLine(theirs).text.slice(0, MOST_SUBJECT).toWellFormed())
}
