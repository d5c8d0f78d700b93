/**
 * Structured fields: a value and its parameters (RFC 2045, RFC 2231, and encoded words in quoted strings, which no
 * standard allows and many programs write).
 *
 * INVARIANT: linear in the size of the input, never throws. Every decoded value is one line.
 */
import { decodeCharset } from './charset.ts'
import { oneLine } from './header.ts'
import { hexValue } from './transfer.ts'
import { decodeWords } from './words.ts'

/** What lies beyond is not looked at. */
export const MAX_PARAMETERS = 500
export const MAX_FIELD_LENGTH = 64 * 1024

export interface ContentType {
  /** Lower case, `text/plain`. */
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
}

export interface Disposition {
  /** Lower case: `attachment`, `inline` or what else is written there. */
  readonly disposition: string
  readonly parameters: Readonly<Record<string, string>>
}

const TYPE = /^([\w!#$%&'*+.^`{|}~-]{1,127})\s*\/\s*([\w!#$%&'*+.^`{|}~-]{1,127})(?:\s+(.*))?$/s

/** A type that cannot be read is text where it says so or says nothing, else unknown data. */
export function parseContentType(value: string): ContentType {
  const [first, ...rest] = splitAtSemicolons(value.slice(0, MAX_FIELD_LENGTH))
  const written = first?.name.trim() ?? ''
  const [, kind = '', subtype = '', more = ''] = TYPE.exec(written) ?? []
  // `text/plain charset=utf-8`: the semicolon was forgotten.
  const parameters = parametersOf(
    first && more !== '' && first.value !== '' ? [{ ...first, name: more }, ...rest] : rest,
  )
  if (kind !== '') return { type: `${kind}/${subtype}`.toLowerCase(), parameters }
  return { type: /^(text\b|$)/i.test(written) ? 'text/plain' : 'application/octet-stream', parameters }
}

export function parseDisposition(value: string): Disposition {
  const [first, ...rest] = splitAtSemicolons(value.slice(0, MAX_FIELD_LENGTH))
  return { disposition: oneLine(first?.name ?? '').toLowerCase(), parameters: parametersOf(rest) }
}

/** What stands between two semicolons: `name=value`, or a name alone. */
interface Piece {
  readonly name: string
  readonly value: string
}

/** Names in lower case; the first of a name counts. */
function parametersOf(pieces: readonly Piece[]): Readonly<Record<string, string>> {
  const entries = new Map<string, string>()
  for (const piece of pieces) {
    if (entries.size >= MAX_PARAMETERS) break
    const name = piece.name.trim().toLowerCase()
    if (name !== '' && !entries.has(name)) entries.set(name, withoutComment(name, piece.value))
  }
  return decodeParameters(Object.fromEntries(entries))
}

/** A comment after a value is dropped, but many programs write file names such as `report (1).pdf` without quotes. */
function withoutComment(name: string, value: string): string {
  if (/^(file)?name\b/.test(name)) return value
  const comment = value.search(/\s\(/)
  return comment === -1 ? value : value.slice(0, comment).trimEnd()
}

/** Comments before a value are dropped, quoted strings unquoted, blanks kept only inside a value. */
function splitAtSemicolons(text: string): Piece[] {
  const pieces: Piece[] = []
  let draft = new PieceDraft()
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') {
      const quoted = readQuoted(text, at)
      draft.addQuoted(quoted.text)
      at = quoted.end
    } else if (character === '(' && !draft.inValue) at = skipComment(text, at)
    else if (character === ';') {
      pieces.push(draft.finish())
      draft = new PieceDraft()
    } else draft.add(character)
  }
  pieces.push(draft.finish())
  return pieces
}

class PieceDraft {
  inValue = false
  readonly #name: string[] = []
  readonly #value: string[] = []
  /** How much of the value is more than blanks at its end. */
  #solid = 0

  add(character: string): void {
    if (!this.inValue && character === '=') this.inValue = true
    else if (!this.inValue) this.#name.push(character)
    else if (character.trim() !== '') this.addQuoted(character)
    else if (this.#value.length > 0) this.#value.push(character)
  }

  addQuoted(text: string): void {
    if (!this.inValue) this.#name.push(text)
    else this.#solid = this.#value.push(text)
  }

  finish(): Piece {
    return { name: this.#name.join(''), value: this.#value.slice(0, this.#solid).join('') }
  }
}

/** `end` is the place of the closing quote; an unfinished string goes to the end of the text. */
function readQuoted(text: string, start: number): { text: string; end: number } {
  const characters: string[] = []
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') return { text: characters.join(''), end: at }
    if (character === '\\' && at + 1 < text.length) at++
    characters.push(text.charAt(at))
  }
  return { text: characters.join(''), end: text.length }
}

/** The place of the comment's closing parenthesis, or the end of the text. */
function skipComment(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') at++
    else if (character === '(') depth++
    else if (character === ')' && --depth === 0) return at
  }
  return text.length
}

const SECTION = /^([^*]*)\*(?:(\d{1,3})(\*)?)?$/

interface Section {
  readonly index: number
  readonly extended: boolean
  readonly text: string
}

/**
 * Parameters that were split already: continuations joined, percent and word encodings decoded. `name*` counts before
 * `name`, as RFC 2231 wants for readers that know both.
 */
export function decodeParameters(entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const plain = new Map<string, string>()
  const sections = new Map<string, Section[]>()
  for (const [written, value] of Object.entries(entries).slice(0, MAX_PARAMETERS)) {
    const name = written.trim().toLowerCase()
    const match = SECTION.exec(name)
    if (match === null) plain.set(name, decodePlain(name, value.slice(0, MAX_FIELD_LENGTH)))
    else {
      const [, base = '', index, star] = match
      const extended = index === undefined || star !== undefined
      const list = sections.get(base) ?? []
      list.push({ index: Number(index ?? 0), extended, text: value.slice(0, MAX_FIELD_LENGTH) })
      sections.set(base, list)
    }
  }
  for (const [name, list] of sections) plain.set(name, joinSections(list))
  return Object.fromEntries(plain)
}

/** A boundary is compared with bytes, so nothing in it is decoded. */
function decodePlain(name: string, value: string): string {
  return oneLine(name === 'boundary' ? value : decodeWords(value))
}

const utf8 = new TextEncoder()

function joinSections(list: readonly Section[]): string {
  const sections = list.toSorted((a, b) => a.index - b.index)
  if (!sections.some(({ extended }) => extended)) return oneLine(decodeWords(sections.map(({ text }) => text).join('')))
  const [first] = sections
  const charset = first?.extended ? /^([^']{0,64})'[^']{0,64}'/.exec(first.text) : null
  const bytes = sections.flatMap(({ text, extended }, at) => {
    const content = at === 0 && charset ? text.slice(charset[0].length) : text
    return extended ? percentDecoded(content) : [...utf8.encode(content)]
  })
  return oneLine(decodeCharset(Uint8Array.from(bytes), charset?.[1]))
}

function percentDecoded(text: string): number[] {
  const bytes: number[] = []
  let at = 0
  while (at < text.length) {
    const high = text.charCodeAt(at) === 0x25 ? hexValue(text.charCodeAt(at + 1)) : -1
    const low = high < 0 ? -1 : hexValue(text.charCodeAt(at + 2))
    const character = low >= 0 ? '%XX' : String.fromCodePoint(text.codePointAt(at) ?? 0xfffd)
    if (low >= 0) bytes.push(high * 16 + low)
    else bytes.push(...utf8.encode(character))
    at += character.length
  }
  return bytes
}
