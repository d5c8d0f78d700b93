/**
 * IMAP over a bare socket: what an answer costs that nobody reads.
 *
 * INVARIANT: an answer is over when its tagged line has come; everything before that is counted and thrown away.
 */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

const LAST_LINE = 1000

export interface RawAnswer {
  readonly bytes: number
  /** The beginning of what came, for short answers. */
  readonly start: string
}

export class RawImap {
  readonly #socket: Socket
  #tag = 0
  #take: (chunk: Buffer) => void = () => undefined
  #fail: (error: Error) => void = () => undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the server closed the connection')))
  }

  static async open(port: number, secure = false): Promise<RawImap> {
    const raw = new RawImap(secure ? connectTls(port, '127.0.0.1') : connect(port, '127.0.0.1'))
    await raw.#until((tail) => tail.startsWith('* OK') && tail.endsWith('\r\n'))
    return raw
  }

  /** `text` has one character for each byte. Rejects unless the answer is OK. */
  async command(text: string): Promise<RawAnswer> {
    this.#tag += 1
    const tag = `r${this.#tag}`
    const answered = this.#until((tail) => {
      const line = tail.slice(tail.lastIndexOf('\r\n', tail.length - 3) + 2)
      return tail.endsWith('\r\n') && (line.startsWith(`${tag} `) || tail.startsWith(`${tag} `))
    })
    this.#socket.write(`${tag} ${text}\r\n`, 'latin1')
    const { tail, ...answer } = await answered
    if (!tail.includes(`${tag} OK`)) throw new Error(`the server refused: ${tail.slice(-200)}`)
    return answer
  }

  close(): void {
    this.#fail = () => undefined
    this.#socket.destroy()
  }

  #until(isOver: (tail: string) => boolean): Promise<RawAnswer & { readonly tail: string }> {
    return new Promise((resolve, reject) => {
      let [bytes, start] = [0, '']
      let last: Buffer = Buffer.alloc(0)
      this.#fail = reject
      this.#take = (chunk) => {
        bytes += chunk.length
        if (start.length < LAST_LINE) start += chunk.subarray(0, LAST_LINE).toString('latin1')
        last = chunk.length >= LAST_LINE ? chunk : Buffer.concat([last.subarray(-LAST_LINE), chunk])
        if (last.at(-1) !== 10) return
        const tail = last.subarray(-LAST_LINE).toString('latin1')
        if (isOver(tail)) resolve({ bytes, start, tail })
      }
    })
  }
}
