/**
 * What a message can be found by: its header and the words of its text parts, decoded and folded.
 *
 * INVARIANT: bounded, whatever the message; made once, when a message is stored.
 */
import { MOST_ENCODED_TEXT, MOST_SEARCHED_CHARS } from '../../core/content.ts'
import { decodeUnstructured, type HeaderField, headerExtent, parseHeader } from '../../core/mime/header.ts'
import { type LocatedPart, parseStructure } from '../../core/mime/structure.ts'
import { decodeText } from '../../core/mime/text-charset.ts'
import { decodeTransfer } from '../../core/mime/transfer.ts'
import { fold } from './fold.ts'
import { stripTags } from './strip-tags.ts'

/** Characters of search text kept of one message and of one of its parts, and how many of them a header may take. */
const MAX_CHARS = 4 * MOST_SEARCHED_CHARS
const MAX_PART_CHARS = MOST_SEARCHED_CHARS
const MAX_HEADER_CHARS = 64 * 1024

export interface SearchTexts {
  readonly bodyStart: number
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly all: string
  /** There are more words than those in `all`. */
  readonly isCut: boolean
}

export function searchTexts(bytes: Uint8Array): SearchTexts {
  const { header, root } = parseStructure(bytes)
  return {
    bodyStart: headerExtent(bytes).bodyStart,
    from: fieldText(header, 'from'),
    to: fieldText(header, 'to'),
    subject: fieldText(header, 'subject'),
    ...allText(bytes, header, root),
  }
}

function allText(
  bytes: Uint8Array,
  header: readonly HeaderField[],
  root: LocatedPart,
): Pick<SearchTexts, 'all' | 'isCut'> {
  const texts = [headerText(header)]
  let left = MAX_CHARS - (texts[0]?.length ?? 0)
  let isCut = false
  for (const part of walk(root)) {
    const whole = left <= 0 ? '' : fold(partText(bytes, part))
    const text = whole.slice(0, Math.min(left, MAX_PART_CHARS))
    isCut ||= left <= 0 || text.length < whole.length || (isText(part) && part.size > MOST_ENCODED_TEXT)
    if (left <= 0) break
    texts.push(text)
    left -= text.length + 1
  }
  // A line feed never stands in folded text, so nothing can match across two parts.
  return { all: texts.join('\n').toWellFormed(), isCut }
}

/** Decoded fields of that name. An address list is also found without the quotes around its names. */
function fieldText(header: readonly HeaderField[], name: string): string {
  const values = header
    .filter((field) => field.name.toLowerCase() === name)
    .map((field) => decodeUnstructured(field.value))
  return fold(values.flatMap(withoutQuotes).join(' ')).slice(0, MAX_HEADER_CHARS).toWellFormed()
}

function headerText(header: readonly HeaderField[]): string {
  const lines: string[] = []
  let left = MAX_HEADER_CHARS
  for (const { name, value } of header) {
    if (left <= 0) break
    const line = fold(`${name}: ${withoutQuotes(decodeUnstructured(value)).join(' ')}`).slice(0, left)
    lines.push(line)
    left -= line.length + 1
  }
  return lines.join('\n')
}

function withoutQuotes(value: string): string[] {
  return value.includes('"') ? [value, value.replaceAll(/["\\]/g, '')] : [value]
}

function* walk(part: LocatedPart): Generator<LocatedPart> {
  yield part
  for (const child of part.children) yield* walk(child)
}

function partText(bytes: Uint8Array, part: LocatedPart): string {
  const name = part.filename === undefined ? '' : `${part.filename}\n`
  if (part.type === 'message/rfc822') return name + headerText(parseHeader(bytes.subarray(part.start, part.end)))
  if (!isText(part)) return name
  const end = Math.min(part.end, part.start + MOST_ENCODED_TEXT)
  const decoded = decodeTransfer(bytes.subarray(part.start, end), part.encoding)
  const kind = { type: part.type, charset: part.parameters['charset'] }
  const text = decodeText(decoded, kind, { partial: end < part.end })
  return name + (part.type === 'text/html' ? stripTags(text) : text)
}

function isText({ type, children }: LocatedPart): boolean {
  return type.startsWith('text/') && children.length === 0
}
