/**
 * Cuts the bytes of stdin into messages, and frames answers the way the client frames its requests.
 *
 * INVARIANT: how the bytes were chunked never matters; at most one message and one chunk are held at a time; whatever
 * arrives, the reader goes on with the next message. The framing is chosen by the first bytes and stays.
 */
export type Framing = 'lines' | 'content-length'

export type Frame =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'bad_header' }

export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
const MAX_HEADER_BYTES = 4096
const HEADER_START = 'content-'
const LENGTH = /content-length:[ \t]*([0-9]{1,15})[ \t]*$/i
const NEWLINE = 0x0a

export function frame(text: string, framing: Framing): string {
  return framing === 'lines' ? `${text}\n` : `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

export class FrameReader {
  #framing: Framing | undefined
  /** What has arrived and is not yet a message. */
  #pending: Buffer[] = []
  #size = 0
  /** Content-Length framing: the body's length, once its header was read. */
  #expected: number | undefined
  /** The rest of something too large is being thrown away: up to the next line break, or so many bytes. */
  #skipping: 'line' | number | undefined
  readonly #maxBytes: number

  constructor(maxBytes = MAX_MESSAGE_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Lines until the client's first bytes say otherwise. */
  get framing(): Framing {
    return this.#framing ?? 'lines'
  }

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = []
    let rest: Buffer | undefined = this.#framing === undefined ? this.#detect(chunk) : chunk
    while (rest !== undefined && rest.length > 0) {
      rest = this.#framing === 'lines' ? this.#line(rest, frames) : this.#block(rest, frames)
    }
    return frames
  }

  /** Whitespace and a byte order mark may come first. Gives back what there is to read once the framing is known. */
  #detect(chunk: Buffer): Buffer | undefined {
    this.#keep(chunk)
    const bytes = this.#take()
    const start = bytes
      .subarray(0, bytes.length)
      .toString('latin1')
      .search(/[^\s\u00ef\u00bb\u00bf]/)
    const content = start < 0 ? bytes.subarray(bytes.length) : bytes.subarray(start)
    const opening = content.subarray(0, HEADER_START.length).toString('latin1').toLowerCase()
    if (opening.length < HEADER_START.length && HEADER_START.startsWith(opening)) {
      this.#keep(content)
      return undefined
    }
    this.#framing = opening === HEADER_START ? 'content-length' : 'lines'
    return content
  }

  #line(bytes: Buffer, frames: Frame[]): Buffer | undefined {
    const end = bytes.indexOf(NEWLINE)
    const piece = end < 0 ? bytes : bytes.subarray(0, end)
    const rest = end < 0 ? undefined : bytes.subarray(end + 1)
    if (this.#skipping === undefined && this.#size + piece.length > this.#maxBytes) {
      this.#take()
      this.#skipping = 'line'
      frames.push({ kind: 'too_large' })
    }
    if (this.#skipping === undefined) this.#keep(piece)
    if (end < 0) return undefined
    const text = this.#take().toString('utf8').trim()
    if (text !== '') frames.push({ kind: 'message', text })
    this.#skipping = undefined
    return rest
  }

  #block(bytes: Buffer, frames: Frame[]): Buffer | undefined {
    if (typeof this.#skipping === 'number') return this.#skip(bytes, this.#skipping)
    if (this.#expected === undefined) return this.#header(bytes, frames)
    const missing = this.#expected - this.#size
    this.#keep(bytes.subarray(0, missing))
    if (bytes.length < missing) return undefined
    this.#expected = undefined
    frames.push({ kind: 'message', text: this.#take().toString('utf8') })
    return bytes.subarray(missing)
  }

  #skip(bytes: Buffer, count: number): Buffer | undefined {
    this.#skipping = bytes.length < count ? count - bytes.length : undefined
    return bytes.length < count ? undefined : bytes.subarray(count)
  }

  #header(bytes: Buffer, frames: Frame[]): Buffer | undefined {
    this.#keep(bytes)
    const all = this.#take()
    const head = all.subarray(0, MAX_HEADER_BYTES).toString('latin1')
    const end = /\r?\n\r?\n/.exec(head)
    if (end === null) return this.#unfinishedHeader(all, frames)
    const rest = all.subarray(end.index + end[0].length)
    const length = contentLength(head.slice(0, end.index))
    if (length === undefined) frames.push({ kind: 'bad_header' })
    else if (length > this.#maxBytes) this.#refuseBody(length, frames)
    else this.#expected = length
    return length === 0 ? this.#emptyBody(rest, frames) : rest
  }

  #unfinishedHeader(all: Buffer, frames: Frame[]): Buffer | undefined {
    if (all.length < MAX_HEADER_BYTES) {
      this.#keep(all)
      return undefined
    }
    // No header is that long: drop what we have, but not the beginning of one that may stand at the end.
    frames.push({ kind: 'bad_header' })
    return all.subarray(MAX_HEADER_BYTES)
  }

  #refuseBody(length: number, frames: Frame[]): void {
    frames.push({ kind: 'too_large' })
    this.#skipping = length
  }

  #emptyBody(rest: Buffer, frames: Frame[]): Buffer {
    this.#expected = undefined
    frames.push({ kind: 'message', text: '' })
    return rest
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#pending.push(bytes)
    this.#size += bytes.length
  }

  #take(): Buffer {
    const [only] = this.#pending
    const all = this.#pending.length === 1 && only !== undefined ? only : Buffer.concat(this.#pending, this.#size)
    this.#pending = []
    this.#size = 0
    return all
  }
}

/** The last one named wins, also behind the rest of a body whose length was wrong: that is how we find our way back. */
function contentLength(header: string): number | undefined {
  const lengths = header.split(/\r?\n/).map((line) => LENGTH.exec(line)?.[1])
  const last = lengths.findLast((digits) => digits !== undefined)
  return last === undefined ? undefined : Number(last)
}
