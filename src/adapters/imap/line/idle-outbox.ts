/**
 * The sending side of IDLE (RFC 2177): one word to begin, and one to end when the time has come.
 *
 * INVARIANT: `DONE` leaves once, and only after the server has agreed to idle. While it idles its silence is no trouble.
 */
import type { Socket } from 'node:net'
import type { Sending } from './outbox.ts'

export class IdleOutbox implements Sending {
  readonly #socket: Socket
  readonly #tag: string
  readonly #until: AbortSignal
  readonly #silenceMs: number
  #stage: 'new' | 'asked' | 'idling' | 'done' = 'new'

  constructor(socket: Socket, tag: string, until: AbortSignal, silenceMs: number) {
    this.#socket = socket
    this.#tag = tag
    this.#until = until
    this.#silenceMs = silenceMs
  }

  get empty(): boolean {
    return this.#stage === 'done'
  }

  begun(): boolean {
    return this.#stage !== 'new'
  }

  left(): boolean {
    return this.#stage === 'done'
  }

  send(): void {
    if (this.#stage !== 'new') return
    this.#stage = 'asked'
    this.#socket.write(`${this.#tag} IDLE\r\n`)
  }

  invited(): boolean {
    if (this.#stage !== 'asked') return false
    this.#stage = 'idling'
    this.#socket.setTimeout(0)
    if (this.#until.aborted) this.#finish()
    else this.#until.addEventListener('abort', this.#finish, { once: true })
    return true
  }

  refused(): void {
    this.#until.removeEventListener('abort', this.#finish)
    this.#stage = 'done'
  }

  readonly #finish = (): void => {
    if (this.#stage !== 'idling') return
    this.#stage = 'done'
    this.#socket.setTimeout(this.#silenceMs)
    if (this.#socket.writable) this.#socket.write('DONE\r\n')
  }
}
