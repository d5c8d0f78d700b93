/**
 * A message on its way into a connection.
 *
 * INVARIANT: nothing of it leaves before the server has asked for it in so many words; until `ending` is true, the line that ends a
 * message has not been written, so that no server can have accepted it.
 */
import { Readable } from 'node:stream'

const CHUNK = 64 * 1024

export class MessageStream extends Readable {
  readonly #bytes: Uint8Array
  readonly #isInvited: () => boolean
  #at = 0
  #begun = false
  #ending = false

  /** `isInvited` is asked once, when the first bytes are wanted. */
  constructor(bytes: Uint8Array, isInvited: () => boolean) {
    super({ highWaterMark: CHUNK })
    this.#bytes = bytes
    this.#isInvited = isInvited
  }

  /** Some of it may have left. */
  get begun(): boolean {
    return this.#begun
  }

  /** All of it may have left, and the end with it. */
  get ending(): boolean {
    return this.#ending
  }

  override _read(): void {
    if (!this.#begun && !this.#isInvited()) {
      this.destroy(new Error('the server did not ask for the message'))
      return
    }
    this.#begun = true
    if (this.#at < this.#bytes.length) {
      const piece = this.#bytes.subarray(this.#at, this.#at + CHUNK)
      this.#at += piece.length
      this.push(piece)
      return
    }
    this.#ending = true
    this.push(null)
  }
}
