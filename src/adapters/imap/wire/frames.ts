/**
 * Cuts the server's byte stream into whole answers: a line, or lines joined by literals.
 *
 * INVARIANT: however the bytes are chunked, the frames are the same; nothing beyond the limits in force is ever held;
 * the only thing thrown is the protocol failure.
 */
import { Overlong } from '../failures.ts'

export interface Frame {
  /** Text between the literals, one character for each byte, line ends and literal markers gone. */
  readonly segments: readonly string[]
  /** `literals[i]` stands between `segments[i]` and `segments[i + 1]`. */
  readonly literals: readonly Uint8Array[]
}

export interface Limits {
  /** The longest literal that was asked for. */
  readonly literal: number
  /** The longest whole answer, literals included. */
  readonly response: number
}

const LF = 0x0a
const CR = 0x0d
const MAX_LITERALS = 10_000
const LITERAL_MARK = /~?\{([0-9]{1,10})\+?\}$/
const LONGEST_MARK = 14
// Human-readable text may end like a literal, and no literal may stand in it: `* OK done {5}`.
const HUMAN_TEXT = /^(?:\+|[^\s*+]+ |\* (?:OK|NO|BAD|BYE|PREAUTH)(?: |$))/i

export class FrameReader {
  readonly #limits: () => Limits
  #pieces: Uint8Array[] = []
  #frameBytes = 0
  #segments: string[] = []
  #literals: Uint8Array[] = []
  #literalLeft: number | undefined

  constructor(limits: () => Limits) {
    this.#limits = limits
  }

  /** Hands over each frame as soon as it is whole, so that what follows it cannot spoil it. */
  push(chunk: Uint8Array, deliver: (frame: Frame) => void): void {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    let at = 0
    while (at < bytes.length) {
      at = this.#literalLeft === undefined ? this.#readLine(bytes, at, deliver) : this.#readLiteral(bytes, at)
    }
  }

  #readLine(chunk: Buffer, at: number, deliver: (frame: Frame) => void): number {
    const feed = chunk.indexOf(LF, at)
    const end = feed === -1 ? chunk.length : feed
    this.#count(end - at)
    if (feed === -1) {
      this.#pieces.push(chunk.subarray(at))
      return end
    }
    // Most lines come in one piece, and are many: no view is made of one.
    if (this.#pieces.length === 0) this.#endLine(lineIn(chunk, at, end), deliver)
    else {
      const line = this.#joined(chunk.subarray(at, end))
      this.#endLine(lineIn(line, 0, line.length), deliver)
    }
    return feed + 1
  }

  #endLine(text: string, deliver: (frame: Frame) => void): void {
    const literal = this.#literalAfter(text)
    if (literal === undefined) {
      this.#segments.push(text)
      const frame = { segments: this.#segments, literals: this.#literals }
      this.#frameBytes = 0
      this.#segments = []
      this.#literals = []
      deliver(frame)
      return
    }
    this.#segments.push(text.slice(0, literal.mark))
    this.#literalLeft = literal.size
    if (literal.size === 0) this.#endLiteral(this.#joined())
  }

  #literalAfter(text: string): { mark: number; size: number } | undefined {
    if (!text.endsWith('}') || HUMAN_TEXT.test(this.#segments[0] ?? text)) return undefined
    const from = Math.max(0, text.length - LONGEST_MARK)
    const match = LITERAL_MARK.exec(text.slice(from))
    if (match === null) return undefined
    const size = Number(match[1])
    if (size > this.#limits().literal) throw new Overlong('a literal longer than what was asked for')
    return { mark: from + match.index, size }
  }

  #readLiteral(chunk: Buffer, at: number): number {
    const left = this.#literalLeft ?? 0
    const end = Math.min(chunk.length, at + left)
    this.#count(end - at)
    this.#literalLeft = left - (end - at)
    if (this.#literalLeft > 0) this.#pieces.push(chunk.subarray(at, end))
    else if (this.#pieces.length > 0) this.#endLiteral(this.#joined(chunk.subarray(at, end)))
    else this.#endLiteral(copied(chunk, at, end))
    return end
  }

  #endLiteral(literal: Uint8Array): void {
    this.#literals.push(literal)
    this.#literalLeft = undefined
  }

  #count(bytes: number): void {
    this.#frameBytes += bytes
    // Markers and line ends are not counted, so the number of literals has a bound of its own.
    if (this.#frameBytes > this.#limits().response || this.#literals.length > MAX_LITERALS) {
      throw new Overlong('an answer longer than any that was asked for')
    }
  }

  /** Copies: what is handed out must not keep a whole network chunk alive. */
  #joined(...last: readonly Uint8Array[]): Buffer {
    const all = Buffer.concat([...this.#pieces, ...last])
    this.#pieces = []
    return all
  }
}

/** Without the end of the line. */
function lineIn(bytes: Buffer, from: number, end: number): string {
  return bytes.toString('latin1', from, end > from && bytes[end - 1] === CR ? end - 1 : end)
}

function copied(bytes: Buffer, from: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(end - from)
  bytes.copy(copy, 0, from, end)
  return copy
}
