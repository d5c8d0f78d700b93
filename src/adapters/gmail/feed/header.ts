/**
 * Some fields of a header, byte by byte as they stand in the message.
 *
 * INVARIANT: reads fields where `parseHeader` does. What is longer than is ever read of a header is cut at a whole field, and said
 * to be cut.
 */
import { asciiText, trimBlanks } from '../../../core/mime/bytes.ts'

const MOST_BYTES = 256 * 1024
const LF = 0x0a
const CR = 0x0d

export interface ChosenFields {
  /** With the empty line that ends a header. */
  readonly header: Uint8Array
  readonly cut: boolean
}

/** `names` in lower case. */
export function chosenFields(block: Uint8Array, names: ReadonlySet<string>): ChosenFields {
  const chosen: Uint8Array[] = []
  let length = 0
  for (const field of fieldsIn(block)) {
    if (!names.has(nameOf(field))) continue
    length += field.length
    if (length > MOST_BYTES) return { header: ended(chosen), cut: true }
    chosen.push(field)
  }
  return { header: ended(chosen), cut: false }
}

/** A byte order mark is no part of the first name. */
function afterMark([first, second, third]: Uint8Array): number {
  return first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0
}

function* fieldsIn(block: Uint8Array): Generator<Uint8Array> {
  let start = afterMark(block)
  while (start < block.length) {
    let end = lineEnd(block, start)
    while (isContinuation(block[end])) end = lineEnd(block, end)
    yield block.subarray(start, end)
    start = end
  }
}

function lineEnd(block: Uint8Array, from: number): number {
  const feed = block.indexOf(LF, from)
  return feed === -1 ? block.length : feed + 1
}

function isContinuation(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09
}

function nameOf(field: Uint8Array): string {
  const colon = isContinuation(field[0]) ? -1 : field.indexOf(0x3a)
  return colon < 1 || colon > 200 ? '' : trimBlanks(asciiText(field.subarray(0, colon))).toLowerCase()
}

function ended(fields: readonly Uint8Array[]): Uint8Array {
  const last = fields.at(-1)?.at(-1) ?? LF
  // A message may end in the middle of its header.
  const missing = last === LF ? '' : last === CR ? '\n' : '\r\n'
  return new Uint8Array(Buffer.concat([...fields, Buffer.from(`${missing}\r\n`)]))
}
