/**
 * Messages of the file as the mail-source port shows them.
 *
 * INVARIANT: only reads. No more of a message is loaded than was asked for, but for its structure, which is found once
 * and remembered while it is likely to be asked for again.
 */
import type { Opened, Part, PartBytes, Summary, Traits } from '../../core/message.ts'
import { isFull, parseHeader } from '../../core/mime/header.ts'
import { type LocatedPart, parseStructure } from '../../core/mime/structure.ts'
import type { PartWanted, RawMessage, TraitsWanted } from '../../ports/mail-source.ts'
import type { Contents } from './contents.ts'
import type { StoredMessage } from './messages.ts'

const MAX_HEADER_BYTES = 256 * 1024
const REMEMBERED = 64
const NO_HEADER = { header: [], headerCut: false }

export class Reading {
  readonly #contents: Contents
  readonly #structures = new Map<number, LocatedPart>()

  constructor(contents: Contents) {
    this.#contents = contents
  }

  summary(message: StoredMessage, bodyStartBytes: number): Summary {
    const { uid, received, size, flags, content, bodyStart } = message
    const start = bodyStartBytes > 0 ? this.#contents.slice(content, bodyStart, bodyStartBytes) : undefined
    return { uid, received, size, flags, header: this.#header(message).header, bodyStart: start }
  }

  traits(message: StoredMessage, { fields, structure }: TraitsWanted): Traits {
    const { uid, received, size, flags } = message
    const names = new Set(fields.map((name) => name.toLowerCase()))
    const { header: all, headerCut } = names.size === 0 ? NO_HEADER : this.#header(message)
    const header = all.filter(({ name }) => names.has(name.toLowerCase()))
    const root = structure ? withoutPlaces(this.#structure(message)) : undefined
    return { uid, received, size, flags, header, headerCut, structure: root }
  }

  opened(message: StoredMessage, uidvalidity: number): Opened {
    const { uid, received, size, flags } = message
    return {
      uidvalidity,
      uid,
      received,
      size,
      flags,
      ...this.#header(message),
      structure: withoutPlaces(this.#structure(message)),
    }
  }

  /** Parts that the message has not are left out. */
  parts(message: StoredMessage, wanted: readonly PartWanted[]): PartBytes[] {
    const located = new Map([...walk(this.#structure(message))].map((part) => [part.id, part]))
    return wanted.flatMap(({ id, maxBytes }) => {
      const part = located.get(id)
      if (part === undefined) return []
      const length = part.end - part.start
      const bytes = this.#contents.slice(message.content, part.start, Math.min(length, maxBytes))
      return [{ id, bytes, complete: bytes.length === length }]
    })
  }

  raw({ content, size }: StoredMessage, maxBytes: number): RawMessage {
    return { size, bytes: this.#contents.slice(content, 0, Math.min(size, maxBytes)) }
  }

  /** Beyond its bound a header is cut at a whole field. */
  #header({ content, bodyStart }: StoredMessage): Pick<Opened, 'header' | 'headerCut'> {
    const bytes = this.#contents.slice(content, 0, Math.min(bodyStart, MAX_HEADER_BYTES))
    const fields = parseHeader(bytes)
    const isLong = bodyStart > MAX_HEADER_BYTES
    return { header: isLong ? fields.slice(0, -1) : fields, headerCut: isLong || isFull(fields) }
  }

  #structure({ content, size }: StoredMessage): LocatedPart {
    const structure = this.#structures.get(content) ?? parseStructure(this.#contents.slice(content, 0, size)).root
    // Set anew each time, so that the first of the map is the one not asked for the longest.
    this.#structures.delete(content)
    this.#structures.set(content, structure)
    if (this.#structures.size > REMEMBERED) this.#structures.delete(this.#structures.keys().next().value ?? content)
    return structure
  }
}

function* walk(part: LocatedPart): Generator<LocatedPart> {
  yield part
  for (const child of part.children) yield* walk(child)
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
