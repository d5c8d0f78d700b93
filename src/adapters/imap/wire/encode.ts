/**
 * Turns the pieces of a command into bytes, cut where the server must be waited for.
 *
 * INVARIANT: a text is quoted only where nothing in it needs escaping, and is a literal everywhere else.
 */
import type { Piece } from './command.ts'

/** How the server takes literals: LITERAL+, LITERAL- (short ones only), or one at a time after asking. */
export type LiteralManner = 'plus' | 'minus' | 'synchronising'

/** Bytes that leave one behind the other; `waits` where the server must say `+` before the next ones. */
export interface Burst {
  /** A literal is a part of its own: the very bytes that were given, not a copy. */
  readonly parts: readonly Uint8Array[]
  readonly waits: boolean
}

const QUOTABLE = /^[ !#-[\]-~]*$/
const MAX_QUOTED = 199
const MAX_MINUS_LITERAL = 4096

export function encode(tag: string, pieces: readonly Piece[], manner: LiteralManner): Burst[] {
  const writer = new CommandWriter(manner)
  writer.write(`${tag} `)
  writer.writeAll(pieces)
  writer.write('\r\n')
  return writer.finish()
}

class CommandWriter {
  readonly #manner: LiteralManner
  readonly #bursts: Burst[] = []
  #parts: Uint8Array[] = []
  #line = ''

  constructor(manner: LiteralManner) {
    this.#manner = manner
  }

  write(text: string): void {
    this.#line += text
  }

  writeAll(pieces: readonly Piece[]): void {
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) this.write(' ')
      this.#writePiece(piece)
    }
  }

  finish(): Burst[] {
    this.#endLine()
    this.#flush(false)
    return this.#bursts
  }

  #writePiece(piece: Piece): void {
    if (isList(piece)) {
      this.write('(')
      this.writeAll(piece)
      this.write(')')
    } else if (piece.kind === 'bare') this.write(piece.wire)
    else if (piece.kind === 'text') this.#writeText(piece.bytes)
    else this.#writeLiteral(piece.bytes)
  }

  #writeText(bytes: Uint8Array): void {
    const text = bytes.length > MAX_QUOTED ? '"' : Buffer.from(bytes).toString('latin1')
    if (QUOTABLE.test(text)) this.write(`"${text}"`)
    else this.#writeLiteral(bytes)
  }

  #writeLiteral(bytes: Uint8Array): void {
    const waits = this.#manner === 'synchronising' || (this.#manner === 'minus' && bytes.length > MAX_MINUS_LITERAL)
    this.write(`{${bytes.length}${waits ? '' : '+'}}\r\n`)
    this.#endLine()
    if (waits) this.#flush(true)
    this.#parts.push(bytes)
  }

  #flush(waits: boolean): void {
    this.#bursts.push({ parts: this.#parts, waits })
    this.#parts = []
  }

  #endLine(): void {
    this.#parts.push(Buffer.from(this.#line, 'latin1'))
    this.#line = ''
  }
}

function isList(piece: Piece): piece is readonly Piece[] {
  return Array.isArray(piece)
}
