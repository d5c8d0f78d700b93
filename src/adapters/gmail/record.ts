/**
 * What listings and rules need of a message, read from its own bytes.
 *
 * Gmail's own rendering of headers and parts (`format=metadata`, `full`) is not used: it decodes what it shows, so that an address in
 * it need not be the one that stands in the message, and it numbers parts in its own way. Everything comes from `format=raw`
 * and our own readers, as with every other mail source.
 */
import { Failure } from '../../core/failure.ts'
import type { Part, PartBytes, Traits } from '../../core/message.ts'
import { type HeaderField, headerExtent, isFull, parseHeader } from '../../core/mime/header.ts'
import { type LocatedPart, parseStructure } from '../../core/mime/structure.ts'
import type { PartWanted, TraitsWanted, WholeMessage } from '../../ports/mail-source.ts'

const MAX_HEADER_BYTES = 256 * 1024
const SHORT_HEADER_BYTES = 16 * 1024
/** As much of a body as listings ask for. */
const BODY_START_BYTES = 4 * 1024
/** What a part weighs in memory, roughly. */
const PART_WEIGHT = 1024

export interface Record {
  readonly size: number
  readonly header: readonly HeaderField[]
  readonly headerCut: boolean
  /** Where the body begins. */
  readonly bodyStart: number
  /** The first bytes of the body. */
  readonly beginning: Uint8Array
  readonly structure: LocatedPart
}

export function recordOf(bytes: Uint8Array): Record {
  const { bodyStart } = headerExtent(bytes)
  const fields = parseHeader(bytes.subarray(0, Math.min(bodyStart, MAX_HEADER_BYTES)))
  const isLong = bodyStart > MAX_HEADER_BYTES
  return {
    size: bytes.length,
    header: isLong ? fields.slice(0, -1) : fields,
    headerCut: isLong || isFull(fields),
    bodyStart,
    beginning: bytes.slice(bodyStart, bodyStart + BODY_START_BYTES),
    structure: parseStructure(bytes).root,
  }
}

export function weightOf({ bodyStart, beginning, structure }: Record): number {
  return 2 * Math.min(bodyStart, MAX_HEADER_BYTES) + beginning.length + PART_WEIGHT * countOf(structure)
}

function countOf(part: LocatedPart): number {
  return part.children.reduce((sum, child) => sum + countOf(child), 1)
}

/** Whether the record alone tells so much of the body. */
export function tellsStart({ beginning, bodyStart, size }: Record, bytes: number): boolean {
  return beginning.length >= Math.min(bytes, size - bodyStart)
}

export function structureOf({ structure }: Record): Part {
  return withoutPlaces(structure)
}

function withoutPlaces({
  headerStart: _header,
  start: _start,
  end: _end,
  outside: _outside,
  ...part
}: LocatedPart): Part {
  return { ...part, children: part.children.map(withoutPlaces) }
}

/** Only the fields asked for. */
export function fieldsOf(record: Record, wanted: TraitsWanted): Pick<Traits, 'header' | 'headerCut'> {
  const names = new Set(wanted.fields.map((name) => name.toLowerCase()))
  if (names.size === 0) return { header: [], headerCut: false }
  const header = record.header.filter(({ name }) => names.has(name.toLowerCase()))
  const length = header.reduce((sum, { name, value }) => sum + name.length + value.length, 0)
  if (wanted.shortHeadersOnly === true && length > SHORT_HEADER_BYTES) return { header: [], headerCut: true }
  return { header, headerCut: record.headerCut }
}

/** Parts that the message has not are left out. */
export function partsOf(bytes: Uint8Array, { structure }: Record, wanted: readonly PartWanted[]): PartBytes[] {
  const located = new Map([...walk(structure)].map((part) => [part.id, part]))
  return wanted.flatMap(({ id, maxBytes, lastFrom }) => {
    const part = located.get(id)
    if (part === undefined) return []
    const end = Math.min(part.end, part.start + maxBytes)
    const last = lastFrom === undefined ? undefined : bytes.slice(part.start + lastFrom, part.end)
    return [{ id, bytes: bytes.slice(part.start, end), complete: end === part.end, ...(last && { last }) }]
  })
}

export function* walk(part: LocatedPart): Generator<LocatedPart> {
  yield part
  for (const child of part.children) yield* walk(child)
}

export function wholeOf(message: WholeMessage, maxBytes: number): WholeMessage {
  const { uid, bytes } = message
  if (bytes.length <= maxBytes) return message
  throw new Failure('too_large', `the message with uid ${uid} has more than ${maxBytes} bytes`, {
    stage: 'fetch',
    details: { uid, max_bytes: maxBytes },
  })
}
