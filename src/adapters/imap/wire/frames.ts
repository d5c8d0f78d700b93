/**
 * Cuts the server's byte stream into whole answers: a line, or lines joined by literals.
 *
 * INVARIANT: however the bytes are chunked, the frames are the same; nothing beyond the limits in force is ever held;
 * the only thing thrown is the protocol failure.
 */
import { protocolFailure } from '../failures.ts'

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
const LITERAL_MARK = /~?\{([0-9]{1,10})\+?\}$/
// Human-readable text may end like a literal, and no literal may stand in it: `* OK done {5}`.
const HUMAN_TEXT = /^(?:\+|[^\s*+]+ |\* (?:OK|NO|BAD|BYE|PREAUTH)(?: |$))/i

export class FrameReader {
  readonly #limits: () => Limits
  #pieces: Uint8Array[] = []
  #pieceBytes = 0
  #frameBytes = 0
  #segments: string[] = []
  #literals: Uint8Array[] = []
  #literalLeft: number | undefined

  constructor(limits: () => Limits) {
    this.#limits = limits
  }

  push(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = []
    let at = 0
    while (at < chunk.length) {
      at = this.#literalLeft === undefined ? this.#readLine(chunk, at, frames) : this.#readLiteral(chunk, at)
    }
    return frames
  }

  #readLine(chunk: Uint8Array, at: number, frames: Frame[]): number {
    const feed = chunk.indexOf(LF, at)
    this.#take(chunk.subarray(at, feed === -1 ? chunk.length : feed))
    if (feed === -1) return chunk.length
    this.#endLine(frames)
    return feed + 1
  }

  #endLine(frames: Frame[]): void {
    const line = Buffer.from(this.#joined().buffer).toString('latin1')
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    const literal = this.#literalAfter(text)
    if (literal === undefined) {
      frames.push({ segments: [...this.#segments, text], literals: this.#literals })
      this.#frameBytes = 0
      this.#segments = []
      this.#literals = []
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
    if (size > this.#limits().literal) throw protocolFailure('a literal longer than what was asked for')
    return { mark: match.index, size }
  }

  #readLiteral(chunk: Uint8Array, at: number): number {
    const left = this.#literalLeft ?? 0
    const end = Math.min(chunk.length, at + left)
    this.#take(chunk.subarray(at, end))
    this.#literalLeft = left - (end - at)
    if (this.#literalLeft === 0) this.#endLiteral()
    return end
  }

  #endLiteral(): void {
    this.#literals.push(this.#joined())
    this.#literalLeft = undefined
  }

  #take(piece: Uint8Array): void {
    this.#frameBytes += piece.length
    // Markers and line ends are not counted, so the number of literals has a bound of its own.
    if (this.#frameBytes > this.#limits().response || this.#literals.length > 10_000) {
      throw protocolFailure('an answer longer than any that was asked for')
    }
    if (piece.length > 0) this.#pieces.push(piece)
    this.#pieceBytes += piece.length
  }

  /** Copies: what is handed out must not keep a whole network chunk alive. */
  #joined(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.#pieceBytes)
    let at = 0
    for (const piece of this.#pieces) {
      all.set(piece, at)
      at += piece.length
    }
    this.#pieces = []
    this.#pieceBytes = 0
    return all
  }
}
