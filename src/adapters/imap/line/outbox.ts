/**
 * What is to be sent of an exchange's commands.
 *
 * INVARIANT: in order, and never more than the socket asks for: bytes that it has not taken yet are still ours, so that
 * a command that has not begun has surely not left. Where the server must be waited for, nothing goes past that place.
 */
import type { Socket } from 'node:net'
import type { Piece } from '../wire/command.ts'
import { encode, type LiteralManner } from '../wire/encode.ts'

/** A long literal leaves in pieces: what the socket holds at once, it may hold encrypted a second time. */
const MOST_AT_ONCE = 262_144

export interface TaggedCommand {
  readonly tag: string
  readonly pieces: readonly Piece[]
}

interface Parcel {
  readonly tag: string
  readonly bytes: Uint8Array
  /** Whether the server must say `+` before the next one. */
  readonly waits: boolean
  /** Whether the command ends with it. */
  readonly last: boolean
}

/** What an exchange has to send. */
export interface Sending {
  readonly empty: boolean
  /** Whether any byte of the command may have left. */
  begun(tag: string): boolean
  /** Whether all of it has been handed to the socket. */
  left(tag: string): boolean
  /** Sends up to the next place where the server, or the socket, must be waited for. Called again when it drained. */
  send(): void
  /** The server said `+`. False where nobody waited for it. */
  invited(): boolean
  /** The command was answered: what is left of it must not leave. */
  refused(tag: string): void
}

export class Outbox implements Sending {
  readonly #socket: Socket
  readonly #parcels: readonly Parcel[]
  readonly #begun = new Set<string>()
  readonly #left = new Set<string>()
  #next = 0
  /** The command whose literal the server has been asked to take. */
  #waiting: string | undefined

  constructor(socket: Socket, commands: readonly TaggedCommand[], manner: LiteralManner) {
    this.#socket = socket
    this.#parcels = commands.flatMap((command) => parcelsOf(command, manner))
  }

  get empty(): boolean {
    return this.#next >= this.#parcels.length
  }

  begun(tag: string): boolean {
    return this.#begun.has(tag)
  }

  left(tag: string): boolean {
    return this.#left.has(tag)
  }

  send(): void {
    this.#socket.cork()
    while (this.#waiting === undefined && this.#socket.writable && !this.#socket.writableNeedDrain) {
      const parcel = this.#parcels[this.#next]
      if (parcel === undefined) break
      this.#next += 1
      this.#write(parcel)
    }
    this.#socket.uncork()
  }

  invited(): boolean {
    if (this.#waiting === undefined) return false
    this.#waiting = undefined
    this.send()
    return true
  }

  /** A command refused before its literal was sent is over: the rest of it must not leave. */
  refused(tag: string): void {
    if (this.#waiting !== tag) return
    while (this.#parcels[this.#next]?.tag === tag) this.#next += 1
    this.#waiting = undefined
    this.send()
  }

  #write({ tag, bytes, waits, last }: Parcel): void {
    this.#begun.add(tag)
    if (last) this.#left.add(tag)
    if (waits) this.#waiting = tag
    this.#socket.write(bytes)
  }
}

function parcelsOf({ tag, pieces }: TaggedCommand, manner: LiteralManner): Parcel[] {
  const bursts = encode(tag, pieces, manner)
  const parcels = bursts.flatMap(({ parts, waits }) => {
    const cut = parts.flatMap(inSlices)
    return cut.map((bytes, index) => ({ tag, bytes, waits: waits && index === cut.length - 1, last: false }))
  })
  return parcels.map((parcel, index) => ({ ...parcel, last: index === parcels.length - 1 }))
}

function inSlices(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / MOST_AT_ONCE) }, (_, index) =>
    bytes.subarray(index * MOST_AT_ONCE, (index + 1) * MOST_AT_ONCE),
  )
}
