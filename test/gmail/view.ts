/**
 * A mailbox as one connection sees it: message numbers stay as they are until the client has been told of a change.
 */
import type { Mailbox } from './mailbox.ts'
import type { GmailStore, Message } from './store.ts'
import { inSet } from './syntax.ts'

export interface Seen {
  readonly number: number
  readonly uid: number
  readonly message: Message
}

export class View {
  readonly mailbox: Mailbox
  readonly writable: boolean
  readonly #store: GmailStore
  #uids: readonly number[]
  #modseq: number

  constructor(store: GmailStore, mailbox: Mailbox, writable: boolean) {
    this.#store = store
    this.mailbox = mailbox
    this.writable = writable
    this.#uids = mailbox.contents().map(({ uid }) => uid)
    this.#modseq = store.modseq
  }

  get size(): number {
    return this.#uids.length
  }

  /** Those of the messages that are still there. */
  messages(): readonly Seen[] {
    const byUid = new Map(this.mailbox.contents().map(({ uid, msgid }) => [uid, msgid]))
    return this.#uids.flatMap((uid, index) => {
      const message = this.#store.message(byUid.get(uid) ?? 0n)
      return message === undefined ? [] : [{ number: index + 1, uid, message }]
    })
  }

  /** `set` counts uids or message numbers. */
  inSet(set: string, byUid: boolean): readonly Seen[] {
    const wanted = inSet(set, byUid ? (this.#uids.at(-1) ?? 0) : this.#uids.length)
    return this.messages().filter(({ uid, number }) => wanted(byUid ? uid : number))
  }

  flags({ message }: Seen): string {
    return `(${this.#store.flagsOf(message, this.mailbox).join(' ')})`
  }

  /** What has changed since the client was last told, as untagged answers. */
  update(): string {
    const now = this.mailbox.contents().map(({ uid }) => uid)
    const there = new Set(now)
    const gone = this.#uids.flatMap((uid, index) => (there.has(uid) ? [] : [index + 1])).reverse()
    const known = this.#uids.filter((uid) => there.has(uid))
    const more = now.length > known.length
    const since = this.#modseq
    this.#modseq = this.#store.modseq
    this.#uids = known
    const changed = this.messages().filter(({ message }) => message.modseq > since)
    this.#uids = now
    return [
      ...gone.map((number) => `* ${number} EXPUNGE\r\n`),
      ...(more ? [`* ${now.length} EXISTS\r\n`] : []),
      ...changed.map((seen) => `* ${seen.number} FETCH (UID ${seen.uid} FLAGS ${this.flags(seen)})\r\n`),
    ].join('')
  }

  /** The client has just been told of these itself. */
  told(): void {
    this.#modseq = this.#store.modseq
  }
}
