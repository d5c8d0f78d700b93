/** Takes what an IMAP client sends apart: the line that begins a command, literals, and lines that go on behind them. */

export type Unit =
  | {
      readonly kind: 'start'
      readonly bytes: Buffer
      readonly tag: string
      readonly name: string
      /** Whether a literal follows, and whether the client waits to be invited. */
      readonly literal: 'invited' | 'at once' | undefined
    }
  | { readonly kind: 'literal'; readonly bytes: Buffer }
  | { readonly kind: 'rest'; readonly bytes: Buffer }

const LITERAL = /\{(\d+)(\+?)\}\r\n$/

export class CommandReader {
  #buffer = Buffer.alloc(0)
  #literal: number | undefined
  #inside = false
  /** The one that is being read. */
  command = ''

  /** A client that was refused does not send what it announced. */
  skipLiteral(): void {
    this.#literal = undefined
    this.#inside = false
  }

  *read(chunk: Buffer): Iterable<Unit> {
    this.#buffer = Buffer.concat([this.#buffer, chunk])
    for (let unit = this.#next(); unit !== undefined; unit = this.#next()) yield unit
  }

  #next(): Unit | undefined {
    if (this.#literal !== undefined) {
      const bytes = this.#take(this.#literal)
      if (bytes !== undefined) this.#literal = undefined
      return bytes && { kind: 'literal', bytes }
    }
    const end = this.#buffer.indexOf('\r\n')
    const bytes = end < 0 ? undefined : this.#take(end + 2)
    if (bytes === undefined) return undefined
    const text = bytes.toString('latin1')
    const literal = LITERAL.exec(text)
    const goesOn = this.#inside
    this.#inside = literal !== null
    this.#literal = literal === null ? undefined : Number(literal[1])
    // The answer to a challenge of AUTHENTICATE has no tag.
    if (goesOn || !text.includes(' ')) return { kind: 'rest', bytes }
    const [tag = '', first = '', second = ''] = text.trimEnd().split(' ')
    this.command = first.toUpperCase() === 'UID' ? `UID ${second.toUpperCase()}` : first.toUpperCase()
    const how = literal === null ? undefined : literal[2] === '+' ? 'at once' : 'invited'
    return { kind: 'start', bytes, tag, name: this.command, literal: how }
  }

  #take(length: number): Buffer | undefined {
    if (this.#buffer.length < length) return undefined
    const taken = this.#buffer.subarray(0, length)
    this.#buffer = this.#buffer.subarray(length)
    return taken
  }
}
