/** What a message can be found by, as text: its header and the words of its text parts, decoded. Bounded, whatever the message. */
import { decodeUnstructured, type HeaderField } from '../../../core/mime/header.ts'
import type { LocatedPart } from '../../../core/mime/structure.ts'
import { decodeText } from '../../../core/mime/text-charset.ts'
import { decodeTransfer } from '../../../core/mime/transfer.ts'
import { type Record, walk } from '../record.ts'
import { foldText, type TextWanted } from './plan.ts'

/** Encoded bytes looked at of one part, and characters of one message. */
const MAX_PART_BYTES = 2 * 1024 * 1024
const MAX_CHARS = 4 * 1024 * 1024

export function holdsTexts(wanted: readonly TextWanted[], record: Record, bytes: Uint8Array): boolean {
  return wanted.every(({ field, contains }) => {
    const text = field === 'text' ? wholeText(record, bytes) : fieldText(record.header, field)
    return foldText(text).includes(contains)
  })
}

function fieldText(header: readonly HeaderField[], name: string): string {
  return header
    .flatMap((field) => (field.name.toLowerCase() === name ? [decodeUnstructured(field.value)] : []))
    .join(' ')
}

function wholeText({ header, structure }: Record, bytes: Uint8Array): string {
  const texts = header.map(({ name, value }) => `${name}: ${decodeUnstructured(value)}`)
  let left = MAX_CHARS
  for (const part of walk(structure)) {
    const text = partText(bytes, part).slice(0, Math.max(0, left))
    left -= text.length
    texts.push(text)
  }
  return texts.join('\n')
}

function partText(bytes: Uint8Array, part: LocatedPart): string {
  const name = part.filename === undefined ? '' : `${part.filename}\n`
  if (!part.type.startsWith('text/') || part.children.length > 0) return name
  const end = Math.min(part.end, part.start + MAX_PART_BYTES)
  const decoded = decodeTransfer(bytes.subarray(part.start, end), part.encoding)
  const kind = { type: part.type, charset: part.parameters['charset'] }
  const text = decodeText(decoded, kind, { partial: end < part.end })
  return name + (part.type === 'text/html' ? text.replaceAll(/<[^<>]*>/g, ' ') : text)
}
