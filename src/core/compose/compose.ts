/**
 * A plain text message of a caller's own, ready to be stored as a draft.
 *
 * INVARIANT: whatever the strings hold, the message has exactly the header fields named here, exactly the recipients that
 * were given, and a body that cannot reach into them. Lines end in CRLF and are short; all of it is ASCII.
 */
import type { Letter } from '../action.ts'
import { Failure } from '../failure.ts'
import { decodeUnstructured, firstField } from '../mime/header.ts'
import { cleanLine } from '../text/plain.ts'
import { flow } from './flow.ts'
import { addressField, field, mailDate, textField } from './header-lines.ts'
import { type StrictAddress, strictAddress } from './strict-address.ts'
import { answerSubject, type Quoted, quotation, threadOf } from './threading.ts'
import { encodeBody } from './transfer-encoding.ts'

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
}

export interface Composed {
  readonly bytes: Uint8Array
  readonly to: readonly StrictAddress[]
  readonly cc: readonly StrictAddress[]
  readonly subject: string
}

const MOST_SUBJECT = 998
const UNIQUE = /^[A-Za-z0-9.-]{8,100}$/
const BROKEN_LINES = /[\p{Cc}\p{Cs}\u2028\u2029]/u

export function composeMessage({ letter, from, date, uniqueName, original }: Sheet): Composed {
  if (!UNIQUE.test(uniqueName)) throw new Error('a message needs a unique name of plain letters')
  const sender = strictAddress(from, "the account's address")
  const to = letter.to.map((text, at) => strictAddress(text, `to[${at}]`))
  const cc = letter.cc.map((text, at) => strictAddress(text, `cc[${at}]`))
  if (to.length === 0) throw new Failure('invalid_input', 'to must name at least one address')
  const subject = subjectOf(letter.subject, original)
  const thread = original && threadOf(original.header)
  const body = encodeBody([...flow(bodyOf(letter.body)), ...(original ? quotation(original) : []), ''])
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1)
  const lines = [
    addressField('From', [sender]),
    addressField('To', to),
    ...(cc.length > 0 ? [addressField('Cc', cc)] : []),
    textField('Subject', subject),
    field('Date', [mailDate(date)]),
    field('Message-ID', [`<${uniqueName}@${domain}>`]),
    ...(thread?.inReplyTo === undefined ? [] : [field('In-Reply-To', [thread.inReplyTo])]),
    ...(thread === undefined || thread.references.length === 0 ? [] : [field('References', thread.references)]),
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8; format=flowed',
    `Content-Transfer-Encoding: ${body.encoding}`,
    '',
    body.text,
  ]
  return { bytes: new TextEncoder().encode(lines.join('\r\n')), to, cc, subject }
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

/** Line breaks of every kind become one; NUL and half characters are no text. */
function bodyOf(written: string): string {
  if (written.includes('\0') || !written.isWellFormed()) {
    throw new Failure('invalid_input', 'body must be text without NUL characters')
  }
  const lines = written.replace(/\r\n?/g, '\n')
  // By hand: a pattern for the end of a text is tried anew at every blank line of it.
  let end = lines.length
  while (lines.charAt(end - 1) === '\n') end -= 1
  return lines.slice(0, end)
}
