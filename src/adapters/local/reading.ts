/**
 * Messages of the file as the mail-source port shows them.
 *
 * INVARIANT: only reads. No more of a message is loaded than was asked for, but for its structure, which is found once
 * and remembered while it is likely to be asked for again.
 */
import { Failure } from '../../core/failure.ts'
import type { Opened, Part, PartBytes, Summary, Traits } from '../../core/message.ts'
import { isFull, parseHeader } from '../../core/mime/header.ts'
import { type LocatedPart, parseStructure } from '../../core/mime/structure.ts'
import type { PartWanted, RawMessage, TraitsWanted, WholeMessage } from '../../ports/mail-source.ts'
import type { Contents } from './contents.ts'
import type { StoredMessage } from './messages.ts'

const MAX_HEADER_BYTES = 256 * 1024
const REMEMBERED = 64
const SHORT_HEADER_BYTES = 16 * 1024

type HeaderRead = Pick<Opened, 'header' | 'headerCut'>
const NO_HEADER: HeaderRead = { header: [], headerCut: false }
const TOO_LONG: HeaderRead = { header: [], headerCut: true }

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

  traits(message: StoredMessage, wanted: TraitsWanted): Traits {
    const { uid, received, size, flags } = message
    const root = wanted.structure ? withoutPlaces(this.#structure(message)) : undefined
    return { uid, received, size, flags, ...this.#fields(message, wanted), structure: root }
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
    return wanted.flatMap(({ id, maxBytes, lastFrom }) => {
      const part = located.get(id)
      if (part === undefined) return []
      const length = part.end - part.start
      const bytes = this.#contents.slice(message.content, part.start, Math.min(length, maxBytes))
      const last = lastFrom === undefined ? undefined : { from: part.start + lastFrom, length: length - lastFrom }
      return [
        {
          ...{ id, bytes, complete: bytes.length === length },
          ...(last && { last: this.#contents.slice(message.content, last.from, last.length) }),
        },
      ]
    })
  }

  raw({ content, size }: StoredMessage, maxBytes: number): RawMessage {
    return { size, bytes: this.#contents.slice(content, 0, Math.min(size, maxBytes)) }
  }

  whole(message: StoredMessage, maxBytes: number): WholeMessage {
    const { uid, size, flags, received, content } = message
    if (size > maxBytes) {
      throw new Failure('too_large', `the message with uid ${uid} has more than ${maxBytes} bytes`, {
        stage: 'fetch',
        details: { uid, max_bytes: maxBytes },
      })
    }
    return { uid, bytes: this.#contents.slice(content, 0, size), flags, received }
  }

  /** Beyond its bound a header is cut at a whole field. */
  #fields(message: StoredMessage, { fields, shortHeadersOnly = false }: TraitsWanted): HeaderRead {
    const names = new Set(fields.map((name) => name.toLowerCase()))
    if (names.size === 0) return NO_HEADER
    const { header: all, headerCut } = this.#header(message)
    const header = all.filter(({ name }) => names.has(name.toLowerCase()))
    if (!shortHeadersOnly || message.bodyStart <= SHORT_HEADER_BYTES) return { header, headerCut }
    const length = header.reduce((sum, { name, value }) => sum + name.length + value.length, 0)
    // A short text that was cut out of a long one keeps all of that alive: only a copy stands for itself.
    return length > SHORT_HEADER_BYTES ? TOO_LONG : { header: JSON.parse(JSON.stringify(header)), headerCut }
  }

  #header({ content, bodyStart }: StoredMessage): HeaderRead {
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
