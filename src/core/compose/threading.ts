/** What makes a message the answer to another: its header fields, its subject, and the quotation. */
import { parseAddresses } from '../mime/addresses.ts'
import { parseDate } from '../mime/date.ts'
import { allFields, firstField, type HeaderField } from '../mime/header.ts'
import { cleanLine } from '../text/plain.ts'
import { flow, flowQuoted, plainLines, quotedLines } from './flow.ts'
import { mailDate } from './header-lines.ts'

export interface Thread {
  readonly inReplyTo: string | undefined
  /** Oldest first, the one that is answered last. */
  readonly references: readonly string[]
}

/** An id that can be written again as it stands. */
const MESSAGE_ID = /<[!-;=?-~]{1,900}>/g
/** A chain of hostile length keeps its beginning and its end. */
const MOST_CHAIN = 60_000

/** RFC 5322, 3.6.4: the chain of the original, and the original. */
export function threadOf(original: readonly HeaderField[]): Thread {
  const [own] = idsIn(firstField(original, 'message-id'))
  const references = allFields(original, 'references').flatMap(idsIn)
  const parents = allFields(original, 'in-reply-to').flatMap(idsIn)
  const chain = references.length > 0 ? references : parents.length === 1 ? parents : []
  if (own === undefined) return { inReplyTo: undefined, references: bounded(chain) }
  return { inReplyTo: own, references: bounded([...chain.filter((id) => id !== own), own]) }
}

function idsIn(value: string | undefined): string[] {
  return value?.match(MESSAGE_ID) ?? []
}

function bounded(chain: readonly string[]): readonly string[] {
  const [first, ...rest] = [...new Set(chain)]
  if (first === undefined) return []
  const kept: string[] = []
  let room = MOST_CHAIN - first.length
  for (const id of rest.toReversed()) {
    room -= id.length + 1
    if (room < 0) break
    kept.push(id)
  }
  return [first, ...kept.reverse()]
}

const ANSWER_MARKS = /^(?:re(?:\[\d{1,3}\])?\s*:\s*)+/i

/** `Re:` once, however often it stood there. */
export function answerSubject(subject: string): string {
  return `Re: ${subject.trim().replace(ANSWER_MARKS, '')}`.trim()
}

export interface Quoted {
  readonly header: readonly HeaderField[]
  /** When it was received, where it does not say when it was sent; seconds since 1970. */
  readonly received: number
  /** Its visible text. */
  readonly text: string
  readonly truncated: boolean
}

const MOST_NAME = 200

/** A quotation, once for each way of writing it. */
export interface Quotation {
  /** Format=flowed. */
  readonly flowed: readonly string[]
  /** As a reader gets it. */
  readonly plain: readonly string[]
  readonly html: readonly string[]
}

/** Nothing where there is nothing to quote. */
export function quotation({ header, received, text, truncated }: Quoted): Quotation | undefined {
  if (text.trim() === '') return undefined
  const date = firstField(header, 'date')
  const sent = (date === undefined ? undefined : parseDate(date)) ?? received * 1000
  const [writer] = parseAddresses(firstField(header, 'from') ?? '')
  const who = cleanLine(writer?.name || writer?.address || 'somebody').text.slice(0, MOST_NAME)
  const said = `On ${mailDate(Math.floor(sent / 1000)).replace(/:\d\d \+0000$/, ' UTC')}, ${who} wrote:`.toWellFormed()
  const theirs = text.toWellFormed().trimEnd()
  const rest = truncated ? ['> [...]'] : []
  const saying = plainLines(said)
  return {
    flowed: ['', ...flow(saying), ...flowQuoted(theirs), ...rest],
    plain: ['', ...saying, ...quotedLines(theirs), ...rest],
    html: htmlQuotation(said, truncated ? `${theirs}\n[...]` : theirs),
  }
}

function htmlQuotation(said: string, text: string): string[] {
  const quoted = `<blockquote type="cite" style="white-space: pre-wrap">${htmlText(text)}</blockquote>`
  return [`<p>${htmlText(said)}</p>`, ...quoted.split('\n')]
}

function htmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
