/**
 * One connection to a mail server, its steps as promises. The library speaks the protocol.
 *
 * INVARIANT: every step ends: with its result, with what the library said went wrong, or with why we left. One that failed in
 * any way is not used again.
 */
import type { Socket } from 'node:net'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { abortFailure, type Hide } from './failures.ts'

export class Session {
  readonly #connection: SMTPConnection
  readonly #socket: Socket
  #leave: (reason: Error) => void = () => undefined
  #dead = false
  /** Masks what the account has logged in with. */
  hide: Hide = (text) => text
  /** Called when the connection ends while nobody uses it. */
  onEnd: () => void = () => undefined

  constructor(connection: SMTPConnection, socket: Socket) {
    this.#connection = connection
    this.#socket = socket
    // Without a listener the library's complaint would end the process.
    connection.on('error', (error: Error) => this.#ended(error))
    // By itself it says nothing on what was under way: whoever knows more speaks first.
    connection.on('end', () => setImmediate(() => this.#ended(new Error('the connection was closed'))))
  }

  get dead(): boolean {
    return this.#dead
  }

  /** The library's connection, for steps that are run at once. */
  get connection(): SMTPConnection {
    return this.#connection
  }

  /** One step. Where `signal` aborts, the connection is gone. */
  run<Result>(
    signal: AbortSignal,
    start: (done: (error: unknown, result?: Result) => void) => void,
  ): Promise<Result | undefined> {
    return new Promise<Result | undefined>((resolve, reject) => {
      if (this.#dead) {
        reject(new Error('the connection was closed'))
        return
      }
      const onAbort = (): void => this.destroy(abortFailure(signal))
      const settle = (): void => {
        signal.removeEventListener('abort', onAbort)
        this.#leave = () => undefined
      }
      this.#leave = (reason) => {
        settle()
        reject(reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) {
        onAbort()
        return
      }
      start((error, result) => {
        if (error) this.destroy(error as Error)
        else if (!this.#dead) {
          settle()
          resolve(result)
        }
      })
    })
  }

  /** At once, with nothing more sent; whatever is under way fails so. */
  destroy(reason: Error): void {
    this.#ended(reason)
    this.#connection.close()
    this.#socket.destroy()
  }

  /** In good order, when nothing is under way. */
  quit(): void {
    this.onEnd = () => undefined
    this.#dead = true
    this.#connection.quit()
    this.#connection.close()
  }

  #ended(reason: Error): void {
    if (this.#dead) return
    this.#dead = true
    this.#leave(reason)
    this.onEnd()
  }
}
