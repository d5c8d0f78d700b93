/**
 * A message taken apart: which parts it has, and where in its bytes each one is.
 *
 * INVARIANT: one pass over the lines, linear in the size of the message whatever its boundaries; never throws; nothing is
 * copied or decoded but headers. A message that was cut off gives the parts that are there.
 */
import { decodeGuessed, withLineFeeds } from './bytes.ts'
import { decodeUnstructured, firstField, type HeaderField, oneLine, parseFields } from './header.ts'
import { parseContentType, parseDisposition } from './parameters.ts'
import type { Part } from './part.ts'

/** Multiparts and messages inside each other; what is deeper is one part of unknown data. */
export const MAX_DEPTH = 50
/** What comes after that many parts is left out. */
export const MAX_PARTS = 1_000
/** RFC 2046 allows 70; a longer one than this separates nothing. */
export const MAX_BOUNDARY = 200

/** A part and where it is. A message inside the message has one child: its own root. */
export interface LocatedPart extends Part {
  readonly headerStart: number
  /** Where its body begins and ends, still transfer-encoded. */
  readonly start: number
  readonly end: number
  readonly children: readonly LocatedPart[]
  /** Bytes before the first and after the last boundary: no mail program shows them. */
  readonly outside: readonly Range[]
}

export interface Range {
  readonly start: number
  readonly end: number
}

export interface ParsedMessage {
  readonly header: readonly HeaderField[]
  readonly root: LocatedPart
  /** False when there are more parts than we look at. */
  readonly complete: boolean
}

export function parseStructure(bytes: Uint8Array): ParsedMessage {
  const reader = new StructureReader(withLineFeeds(bytes))
  const { part, header } = reader.read('text/plain', rootNumbering)
  return { header, root: part, complete: reader.complete }
}

/** How a message numbers itself: by what it is (RFC 3501, 6.4.5). */
interface Numbering {
  readonly multipart: string
  readonly single: string
  readonly children: string
}

const rootNumbering: Numbering = { multipart: '', single: '1', children: '' }

/** The message inside part `id`: its body is `id.1`, or the parts of its body are; `id.TEXT` is all of them. */
function embedded(id: string): Numbering {
  return { multipart: `${id}.TEXT`, single: `${id}.1`, children: `${id}.` }
}

function child(prefix: string, index: number): Numbering {
  const id = `${prefix}${index}`
  return { multipart: id, single: id, children: `${id}.` }
}

interface Delimiter {
  readonly boundary: string
  readonly closes: boolean
  /** Where the line before it ends, which is where a part ends. */
  readonly before: number
}

type Description = Pick<
  Part,
  'type' | 'parameters' | 'disposition' | 'filename' | 'contentId' | 'description' | 'encoding'
>

const LF = 0x0a
const CR = 0x0d
const HYPHEN = 0x2d
const IDENTITY = new Set(['7bit', '8bit', 'binary'])

class StructureReader {
  complete = true
  readonly #bytes: Uint8Array
  readonly #open: string[] = []
  readonly #boundaries = new Set<string>()
  #at = 0
  #parts = 0
  /** The delimiter line that ended what was read last; undefined at the end of the message. */
  #delimiter: Delimiter | undefined

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  read(defaultType: string, numbering: Numbering, depth = 0): { part: LocatedPart; header: HeaderField[] } {
    this.#parts++
    const headerStart = this.#at
    const headerEnd = this.#skipHeader()
    const header = parseFields(this.#bytes.subarray(headerStart, headerEnd))
    const described = describe(header, defaultType)
    // The line break before a delimiter is part of it: where nothing at all stands between, it lies before the header.
    const start = this.#delimiter === undefined ? this.#at : Math.max(headerStart, headerEnd)
    const { type, children, outside } = this.#readBody(described, numbering, depth)
    const end = Math.max(start, this.#delimiter?.before ?? this.#bytes.length)
    const id = type.startsWith('multipart/') ? numbering.multipart : numbering.single
    return { part: { ...described, type, id, size: end - start, headerStart, start, end, children, outside }, header }
  }

  #readBody(
    described: Description,
    numbering: Numbering,
    depth: number,
  ): Pick<LocatedPart, 'type' | 'children' | 'outside'> {
    const { type, encoding } = described
    const isMessage = type === 'message/rfc822' && IDENTITY.has(encoding)
    const boundary = type.startsWith('multipart/') ? usableBoundary(described) : undefined
    if (this.#delimiter === undefined && depth < MAX_DEPTH && this.#parts < MAX_PARTS) {
      if (boundary !== undefined) return { type, ...this.#readMultipart(boundary, type, numbering.children, depth) }
      if (isMessage) {
        return { type, children: [this.read('text/plain', embedded(numbering.single), depth + 1).part], outside: [] }
      }
    }
    if (this.#delimiter === undefined) this.#skipBody()
    // Without a boundary there are no parts, and people are shown the text; too deep, nobody is shown anything.
    const leaf = !type.startsWith('multipart/')
      ? type
      : boundary === undefined
        ? 'text/plain'
        : 'application/octet-stream'
    return { type: leaf, children: [], outside: [] }
  }

  #readMultipart(
    boundary: string,
    type: string,
    prefix: string,
    depth: number,
  ): Pick<LocatedPart, 'children' | 'outside'> {
    const children: LocatedPart[] = []
    const isNew = !this.#boundaries.has(boundary)
    this.#boundaries.add(boundary)
    this.#open.push(boundary)
    const preamble = this.#skipOutside()
    while (this.#delimiter?.boundary === boundary && !this.#delimiter.closes) {
      if (this.#parts >= MAX_PARTS) {
        this.#giveUp()
        break
      }
      this.#delimiter = undefined
      const defaultType = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
      children.push(this.read(defaultType, child(prefix, children.length + 1), depth + 1).part)
    }
    this.#open.pop()
    if (isNew) this.#boundaries.delete(boundary)
    const closed = this.#delimiter?.boundary === boundary
    if (closed) this.#delimiter = undefined
    const epilogue = closed ? this.#skipOutside() : { start: 0, end: 0 }
    return { children, outside: [preamble, epilogue].filter(({ start, end }) => end > start) }
  }

  /** Beyond the last part that we look at, the rest belongs to nothing. */
  #giveUp(): void {
    this.complete = false
    this.#at = this.#bytes.length
    this.#delimiter = undefined
  }

  #skipOutside(): Range {
    const start = this.#at
    this.#skipBody()
    return { start, end: Math.max(start, this.#delimiter?.before ?? this.#at) }
  }

  /** To the blank line, and past it. A delimiter ends a header too. */
  #skipHeader(): number {
    while (this.#at < this.#bytes.length) {
      const line = this.#at
      if (this.#nextLine()) return this.#delimiter?.before ?? line
      if (isEmptyLine(this.#bytes, line)) return line
    }
    return this.#bytes.length
  }

  #skipBody(): void {
    const bytes = this.#bytes
    if (this.#open.length === 0) this.#at = bytes.length
    while (this.#at < bytes.length) {
      let line = this.#at
      while (bytes[line] === LF) line++
      this.#at = line
      if (this.#nextLine()) return
    }
  }

  /** Goes past a line. True where that line is a delimiter of a multipart that is open. */
  #nextLine(): boolean {
    const bytes = this.#bytes
    const line = this.#at
    const feed = bytes.indexOf(LF, line)
    this.#at = feed === -1 ? bytes.length : feed + 1
    if (bytes[line] !== HYPHEN || bytes[line + 1] !== HYPHEN || this.#open.length === 0) return false
    this.#delimiter = this.#delimiterAt(line, feed === -1 ? bytes.length : feed)
    return this.#delimiter !== undefined
  }

  #delimiterAt(line: number, lineEnd: number): Delimiter | undefined {
    const bytes = this.#bytes
    let end = lineEnd
    while (end > line && isTrailing(bytes[end - 1] ?? 0)) end--
    if (end - line > MAX_BOUNDARY * 4 + 4) return undefined
    const text = decodeGuessed(bytes.subarray(line + 2, end))
    const closes = !this.#boundaries.has(text) && text.endsWith('--')
    const boundary = closes ? text.slice(0, -2) : text
    if (!this.#boundaries.has(boundary)) return undefined
    return { boundary, closes, before: beforeLineBreak(bytes, line) }
  }
}

function isTrailing(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === CR
}

function isEmptyLine(bytes: Uint8Array, line: number): boolean {
  return bytes[line] === LF || (bytes[line] === CR && bytes[line + 1] === LF)
}

/** The line break before a delimiter belongs to the delimiter. */
function beforeLineBreak(bytes: Uint8Array, line: number): number {
  if (line === 0 || bytes[line - 1] !== LF) return line
  return line > 1 && bytes[line - 2] === CR ? line - 2 : line - 1
}

function usableBoundary({ parameters }: Description): string | undefined {
  const boundary = parameters['boundary']
  return boundary === undefined || boundary === '' || boundary.length > MAX_BOUNDARY ? undefined : boundary
}

function describe(header: readonly HeaderField[], defaultType: string): Description {
  const contentType = firstField(header, 'content-type')
  const { type, parameters } =
    contentType === undefined ? { type: defaultType, parameters: {} } : parseContentType(contentType)
  const written = firstField(header, 'content-disposition')
  const { disposition, parameters: extra } = parseDisposition(written ?? '')
  const encoding = /^[a-z0-9-]+/i.exec(firstField(header, 'content-transfer-encoding') ?? '')?.[0]
  return {
    type,
    parameters,
    disposition: disposition === '' ? undefined : disposition,
    filename: extra['filename'] ?? parameters['name'],
    contentId: contentIdOf(firstField(header, 'content-id')),
    description: descriptionOf(firstField(header, 'content-description')),
    encoding: encoding?.toLowerCase() ?? '7bit',
  }
}

function contentIdOf(value: string | undefined): string | undefined {
  return value === undefined ? undefined : oneLine(value).replace(/^<|>$/g, '') || undefined
}

function descriptionOf(value: string | undefined): string | undefined {
  return value === undefined ? undefined : decodeUnstructured(value)
}
