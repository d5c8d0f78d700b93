/**
 * A label as a mailbox: which messages are under it, by uid.
 *
 * INVARIANT: a uid is never given twice; a message that leaves and comes back gets a new one.
 */
import type { Place } from './names.ts'

export class Mailbox {
  name: string
  /** Which of Gmail's own mailboxes it is; undefined for INBOX and for people's labels. */
  readonly place: Place | undefined
  /** What X-GM-LABELS calls it; undefined for All Mail, which is no label. */
  readonly label: string | undefined
  readonly uidvalidity: number
  uidNext = 1
  readonly #uids = new Map<bigint, number>()
  /** `\Deleted` belongs to a mailbox; all other flags belong to the message, under whatever label. */
  readonly deleted = new Set<bigint>()

  constructor(name: string, place: Place | undefined, label: string | undefined, uidvalidity: number) {
    this.name = name
    this.place = place
    this.label = label
    this.uidvalidity = uidvalidity
  }

  uidOf(msgid: bigint): number | undefined {
    return this.#uids.get(msgid)
  }

  /** Ascending by uid. */
  contents(): readonly { readonly uid: number; readonly msgid: bigint }[] {
    return [...this.#uids].map(([msgid, uid]) => ({ uid, msgid }))
  }

  put(msgid: bigint): void {
    if (this.#uids.has(msgid)) return
    this.#uids.set(msgid, this.uidNext)
    this.uidNext += 1
  }

  take(msgid: bigint): void {
    this.#uids.delete(msgid)
    this.deleted.delete(msgid)
  }
}
