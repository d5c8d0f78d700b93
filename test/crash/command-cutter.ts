/** Cuts what an IMAP client sends into lines and literals, and tells where a command begins and ends. */

export interface Piece {
  readonly kind: 'line' | 'literal'
  readonly bytes: Uint8Array
  /** The first piece of its command. */
  readonly begins: boolean
  /** The last one. */
  readonly ends: boolean
  /** The first of what has come of a literal. */
  readonly isFirst: boolean
}

export class CommandCutter {
  #unread: Buffer = Buffer.alloc(0)
  #literalLeft = 0
  #literalBegun = false
  #inside = false

  /** A literal comes in as many pieces as it arrives in; a line comes whole. */
  cut(chunk: Buffer): readonly Piece[] {
    this.#unread = Buffer.concat([this.#unread, chunk])
    const pieces: Piece[] = []
    for (let piece = this.#next(); piece !== undefined; piece = this.#next()) pieces.push(piece)
    return pieces
  }

  #next(): Piece | undefined {
    if (this.#unread.length === 0) return undefined
    if (this.#literalLeft > 0) return this.#literal()
    const end = this.#unread.indexOf('\r\n')
    if (end < 0) return undefined
    const bytes = this.#take(end + 2)
    const announced = /\{(\d+)\+?\}\r\n$/.exec(bytes.toString('latin1'))?.[1]
    const begins = !this.#inside
    this.#literalLeft = Number(announced ?? 0)
    this.#literalBegun = false
    this.#inside = announced !== undefined
    return { kind: 'line', bytes, begins, ends: announced === undefined, isFirst: false }
  }

  #literal(): Piece {
    const bytes = this.#take(Math.min(this.#unread.length, this.#literalLeft))
    const isFirst = !this.#literalBegun
    this.#literalBegun = true
    this.#literalLeft -= bytes.length
    return { kind: 'literal', bytes, begins: false, ends: false, isFirst }
  }

  #take(length: number): Buffer {
    const taken = this.#unread.subarray(0, length)
    this.#unread = this.#unread.subarray(length)
    return taken
  }
}
