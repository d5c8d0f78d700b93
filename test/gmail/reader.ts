/** Reads a client's bytes: whole commands, and the lines that are no commands (DONE, the answers to a challenge). */
import type { Socket } from 'node:net'
import type { Command } from './syntax.ts'

const MAX_LITERAL_MINUS = 4096

export class Closed extends Error {}

export interface Refusal {
  /** Too large for a literal that the client asks leave for. */
  readonly mostBytes: number
  readonly answer: string
}

export class CommandReader {
  readonly #socket: Socket
  #buffer = Buffer.alloc(0)
  #ended = false
  #wake: () => void = () => undefined

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk])
      this.#wake()
    })
    socket.on('close', () => {
      this.#ended = true
      this.#wake()
    })
  }

  async line(): Promise<string> {
    let end = this.#buffer.indexOf('\r\n')
    while (end === -1) {
      await this.#more()
      end = this.#buffer.indexOf('\r\n')
    }
    return this.#take(end, 2).toString('latin1')
  }

  /** Undefined where the client was told not to send the rest. */
  async command({ mostBytes, answer }: Refusal): Promise<Command | undefined> {
    const segments: string[] = []
    const literals: Buffer[] = []
    for (;;) {
      const line = await this.line()
      const [mark, size = '', plus] = /\{([0-9]{1,12})(\+?)\}$/.exec(line) ?? []
      if (mark === undefined) return finish([...segments, line], literals)
      const waits = plus === ''
      const tooLarge = Number(size) > (waits ? mostBytes : MAX_LITERAL_MINUS)
      const [tag = '*'] = (segments[0] ?? line).split(' ')
      if (tooLarge && waits) {
        this.#socket.write(`${tag} ${answer}\r\n`)
        return undefined
      }
      if (waits) this.#socket.write('+ go ahead\r\n')
      const bytes = await this.#bytes(Number(size))
      if (tooLarge) {
        this.#socket.end(`* BYE [TOOBIG] a literal without waiting has at most ${MAX_LITERAL_MINUS} bytes\r\n`)
        throw new Closed()
      }
      segments.push(line.slice(0, -mark.length))
      literals.push(bytes)
    }
  }

  async #bytes(count: number): Promise<Buffer> {
    while (this.#buffer.length < count) await this.#more()
    return this.#take(count, 0)
  }

  #take(count: number, skip: number): Buffer {
    const taken = this.#buffer.subarray(0, count)
    this.#buffer = this.#buffer.subarray(count + skip)
    return taken
  }

  async #more(): Promise<void> {
    if (this.#ended) throw new Closed()
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    if (this.#ended && this.#buffer.length === 0) throw new Closed()
  }
}

function finish(segments: readonly string[], literals: readonly Buffer[]): Command {
  const [first = '', ...rest] = segments
  const [, tag = '', text = ''] = /^(\S+) ?(.*)$/s.exec(first) ?? []
  return { tag, segments: [text, ...rest], literals }
}
