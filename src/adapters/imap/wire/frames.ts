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
const MAX_LITERALS = 10_000
const LITERAL_MARK = /~?\{([0-9]{1,10})\+?\}$/
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
    let at = 0
    while (at < chunk.length) {
      at = this.#literalLeft === undefined ? this.#readLine(chunk, at, deliver) : this.#readLiteral(chunk, at)
    }
  }

  #readLine(chunk: Uint8Array, at: number, deliver: (frame: Frame) => void): number {
    const feed = chunk.indexOf(LF, at)
    const piece = chunk.subarray(at, feed === -1 ? chunk.length : feed)
    this.#count(piece.length)
    if (feed === -1) {
      this.#pieces.push(piece)
      return chunk.length
    }
    // Most lines come in one piece.
    const line = this.#pieces.length === 0 ? piece : this.#joined(piece)
    this.#endLine(latin1(line), deliver)
    return feed + 1
  }

  #endLine(line: string, deliver: (frame: Frame) => void): void {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
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
    if (literal.size === 0) this.#endLiteral()
  }

  #literalAfter(text: string): { mark: number; size: number } | undefined {
    if (!text.endsWith('}') || HUMAN_TEXT.test(this.#segments[0] ?? text)) return undefined
    const match = LITERAL_MARK.exec(text)
    if (match === null) return undefined
    const size = Number(match[1])
    if (size > this.#limits().literal) throw new Overlong('a literal longer than what was asked for')
    return { mark: match.index, size }
  }

  #readLiteral(chunk: Uint8Array, at: number): number {
    const left = this.#literalLeft ?? 0
    const piece = chunk.subarray(at, at + left)
    this.#count(piece.length)
    this.#pieces.push(piece)
    this.#literalLeft = left - piece.length
    if (this.#literalLeft === 0) this.#endLiteral()
    return at + piece.length
  }

  #endLiteral(): void {
    this.#literals.push(this.#joined())
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
  #joined(...last: readonly Uint8Array[]): Uint8Array {
    const [first] = this.#pieces
    const whole = first !== undefined && this.#pieces.length === 1 && last.length === 0
    const all = whole ? Buffer.from(first) : Buffer.concat([...this.#pieces, ...last])
    this.#pieces = []
    return all
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
