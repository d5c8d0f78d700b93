/**
 * Header fields, as they stand in a message.
 *
 * INVARIANT: linear in the size of the input, never throws, whatever the bytes.
 */
import { asciiText, bytesOfText, decodeGuessed, decodeUtf8, trimBlanks, withLineFeeds } from './bytes.ts'
import { decodeWords } from './words.ts'

/** One field. `value` is unfolded raw text: 8-bit bytes read as UTF-8 where valid, else as they suggest; not yet decoded. */
export interface HeaderField {
  readonly name: string
  readonly value: string
}

export const MAX_HEADER_FIELDS = 10_000
/** What lies beyond is not looked at: the last whole field before it is the last one given. */
export const MAX_HEADER_BYTES = 1024 * 1024

const LF = 0x0a
const CR = 0x0d

/** Whether so many fields were found that there may be more. */
export function isFull(fields: readonly HeaderField[]): boolean {
  return fields.length >= MAX_HEADER_FIELDS
}

/** Where the header block ends, and where the body after its blank line begins. */
export function headerExtent(raw: Uint8Array): { end: number; bodyStart: number } {
  const bytes = withLineFeeds(raw)
  let line = 0
  while (line < bytes.length) {
    if (bytes[line] === LF) return { end: line, bodyStart: line + 1 }
    if (bytes[line] === CR && bytes[line + 1] === LF) return { end: line, bodyStart: line + 2 }
    const feed = bytes.indexOf(LF, line)
    if (feed === -1) break
    line = feed + 1
  }
  return { end: bytes.length, bodyStart: bytes.length }
}

/** The fields of a raw header block, in order; stops at the blank line. Names are as written, values unfolded. */
export function parseHeader(bytes: Uint8Array): HeaderField[] {
  return parseFields(withLineFeeds(bytes))
}

/** The same for a part of a message, whose lines end as those of the message do. */
export function parseFields(bytes: Uint8Array): HeaderField[] {
  const block = bytes.subarray(0, headerExtent(bytes).end)
  const [shown, cut] = block.length > MAX_HEADER_BYTES ? [block.subarray(0, MAX_HEADER_BYTES), true] : [block, false]
  // A cut may fall inside a character; only its last, dropped field can hold the broken one.
  const text = decodeUtf8(shown)
  const fields = text === undefined ? splitFields(asciiText(shown), recode) : splitFields(text, asWritten)
  if (cut && fields.length < MAX_HEADER_FIELDS) fields.pop()
  return fields
}

/** The first field of that name, whatever its case. */
export function firstField(fields: readonly HeaderField[], name: string): string | undefined {
  const wanted = name.toLowerCase()
  return fields.find((field) => isNamed(field, wanted))?.value
}

/** Every field of that name, whatever its case, in order. */
export function allFields(fields: readonly HeaderField[], name: string): string[] {
  const wanted = name.toLowerCase()
  return fields.filter((field) => isNamed(field, wanted)).map((field) => field.value)
}

function isNamed(field: HeaderField, lowerCaseName: string): boolean {
  return field.name.length === lowerCaseName.length && field.name.toLowerCase() === lowerCaseName
}

/** A field's value for people: encoded words decoded, one line, line breaks and control characters as spaces. */
export function decodeUnstructured(value: string): string {
  return oneLine(decodeWords(value))
}

/** Line breaks and control characters become spaces; none at the ends, and one space where a line was broken. */
export function oneLine(text: string): string {
  return PLAIN.test(text) ? text.trim() : text.replace(BROKEN_LINE, ' ').replace(CONTROL, ' ').trim()
}

const PLAIN = /^[ -~]*$/
// A run begins at its line break, never at the white space before it: so no white space is scanned twice.
const BROKEN_LINE = /[\r\n\u0085\u2028\u2029][\r\n\u0085\u2028\u2029 \t]*/g
const CONTROL = /\p{Cc}/gu

type Reading = (text: string) => string
const asWritten: Reading = (text) => text
const recode: Reading = (text) => decodeGuessed(bytesOfText(text))

function splitFields(text: string, read: Reading): HeaderField[] {
  const fields: HeaderField[] = []
  let lines: string[] = []
  const close = (): void => {
    const field = lines.length > 0 ? readField(lines, read) : undefined
    if (field) fields.push(field)
    lines = []
  }
  let at = text.startsWith('\uFEFF') ? 1 : text.startsWith('\u00EF\u00BB\u00BF') ? 3 : 0
  while (at < text.length && fields.length < MAX_HEADER_FIELDS) {
    const feed = text.indexOf('\n', at)
    const end = feed === -1 ? text.length : feed
    const line = text.slice(at, end > at && text[end - 1] === '\r' ? end - 1 : end)
    if (!isContinuation(line)) close()
    lines.push(line)
    at = end + 1
  }
  if (fields.length < MAX_HEADER_FIELDS) close()
  return fields
}

function isContinuation(line: string): boolean {
  return line.startsWith(' ') || line.startsWith('\t')
}

/** Undefined for lines that hold no field, such as the `From ` line of a mailbox file. */
function readField([first = '', ...more]: readonly string[], read: Reading): HeaderField | undefined {
  const colon = first.indexOf(':')
  if (colon < 1 || isContinuation(first)) return undefined
  const name = trimBlanks(first.slice(0, colon))
  if (name.includes(' ') || name.includes('\t')) return undefined
  const start = first.slice(colon + 1)
  return { name: read(name), value: read(more.length === 0 ? trimBlanks(start) : unfold([start, ...more])) }
}

/** Lines joined by one space where each was broken. */
function unfold(lines: readonly string[]): string {
  return lines
    .map(trimBlanks)
    .filter((line) => line !== '')
    .join(' ')
}
