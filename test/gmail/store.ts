/**
 * One account as Gmail keeps it: messages that have labels, and labels that look like mailboxes.
 *
 * INVARIANT: a message in Trash or Spam is in no other mailbox; any other message is in All Mail and under each of its
 * labels. `\Flagged` and the label `\Starred` are one thing, as are `\Draft` the flag and `\Draft` the label.
 */
import { EventEmitter } from 'node:events'
import { Mailbox } from './mailbox.ts'
import { threadOf } from './mime.ts'
import {
  DRAFT,
  INBOX,
  type Language,
  mailboxNames,
  type Place,
  type Prefix,
  SPAM,
  SPECIAL,
  STARRED,
  systemLabel,
  TRASH,
} from './names.ts'

export interface Message {
  readonly msgid: bigint
  readonly thrid: bigint
  readonly raw: Buffer
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received: number
  /** Without those that are labels or belong to a mailbox. */
  readonly flags: Set<string>
  /** System labels with their backslash, people's own as they are shown. */
  readonly labels: Set<string>
  modseq: number
}

export interface NewMessage {
  readonly raw: string | Uint8Array
  readonly labels?: readonly string[]
  readonly flags?: readonly string[]
  readonly received?: number
}

/** What the account's settings call "when a message is expunged from the last visible IMAP folder". */
export type LastExpunge = 'archive' | 'trash' | 'delete'

export interface StoreOptions {
  readonly language?: Language
  readonly prefix?: Prefix
  /** Gmail's own default is to expunge at once what is flagged `\Deleted`. */
  readonly autoExpunge?: boolean
  readonly lastExpunge?: LastExpunge
  /** Places that the account does not show over IMAP. */
  readonly hidden?: readonly Place[]
}

/** A real one, so that it does not fit into a double. */
const FIRST_MSGID = 1_278_455_344_230_334_865n
const LABEL_FLAGS: Readonly<Record<string, string>> = { '\\Flagged': STARRED, '\\Draft': DRAFT }

export class GmailStore {
  names: Readonly<Record<Place, string>>
  readonly prefix: Prefix
  readonly changes = new EventEmitter()
  readonly autoExpunge: boolean
  readonly #lastExpunge: LastExpunge
  readonly #messages = new Map<bigint, Message>()
  readonly #mailboxes = new Map<string, Mailbox>()
  #uidvalidity = 1
  #msgid = FIRST_MSGID
  modseq = 1000

  constructor({ language = 'en', prefix = '[Gmail]', autoExpunge = true, lastExpunge, hidden = [] }: StoreOptions) {
    this.names = mailboxNames(language, prefix)
    this.prefix = prefix
    this.autoExpunge = autoExpunge
    this.#lastExpunge = lastExpunge ?? 'archive'
    this.changes.setMaxListeners(0)
    this.#addMailbox('INBOX', undefined, INBOX)
    for (const place of Object.keys(SPECIAL) as Place[]) {
      if (!hidden.includes(place)) this.#addMailbox(this.names[place], place, SPECIAL[place].label)
    }
  }

  mailboxes(): readonly Mailbox[] {
    return [...this.#mailboxes.values()]
  }

  mailbox(name: string): Mailbox | undefined {
    return this.#mailboxes.get(/^inbox$/i.test(name) ? 'INBOX' : name)
  }

  messages(): readonly Message[] {
    return [...this.#messages.values()]
  }

  message(msgid: bigint): Message | undefined {
    return this.#messages.get(msgid)
  }

  /** Labels differ by more than their case. */
  createLabel(name: string): Mailbox | undefined {
    const taken = this.mailboxes().some((mailbox) => mailbox.name.toLowerCase() === name.toLowerCase())
    return taken ? undefined : this.#addMailbox(name, undefined, name)
  }

  deleteLabel(mailbox: Mailbox): void {
    this.#mailboxes.delete(mailbox.name)
    for (const message of this.messages()) if (message.labels.delete(mailbox.label ?? '')) this.#changed(message)
  }

  renameLabel(mailbox: Mailbox, name: string): void {
    const renamed = this.createLabel(name)
    if (renamed === undefined) throw new Error('that label is there already')
    for (const message of this.messages()) {
      if (message.labels.has(mailbox.label ?? '')) this.addLabel(message, name)
    }
    this.deleteLabel(mailbox)
  }

  /** Gmail's own mailboxes get other names and stay what they are. */
  changeLanguage(language: Language): void {
    this.names = mailboxNames(language, this.prefix)
    for (const mailbox of this.mailboxes()) {
      if (mailbox.place === undefined) continue
      this.#mailboxes.delete(mailbox.name)
      mailbox.name = this.names[mailbox.place]
      this.#mailboxes.set(mailbox.name, mailbox)
    }
  }

  /** A new message, whatever else is there. Labels that are not there are made. */
  add({ raw, labels = [INBOX], flags = [], received }: NewMessage): Message {
    this.#msgid += 1n + (this.#msgid % 7n)
    const bytes = Buffer.from(raw)
    const msgid = this.#msgid
    const message: Message = {
      msgid,
      thrid: threadOf(bytes, this.messages()) ?? msgid,
      raw: bytes,
      received: received ?? Math.floor(Date.now() / 1000),
      flags: new Set(),
      labels: new Set(),
      modseq: 0,
    }
    this.#messages.set(msgid, message)
    for (const flag of flags) if (flag !== '\\Deleted') this.#setFlag(message, flag, true)
    for (const label of labels) this.#put(message, label)
    this.#changed(message)
    return message
  }

  /** The same bytes again are the same message, under one label more. */
  append(message: NewMessage, label: string | undefined): Message {
    const bytes = Buffer.from(message.raw)
    const same = this.messages().find((known) => !isAway(known) && known.raw.equals(bytes))
    if (same === undefined) return this.add({ ...message, labels: label === undefined ? [] : [label] })
    if (label !== undefined) this.addLabel(same, label)
    return same
  }

  flagsOf(message: Message, mailbox: Mailbox): readonly string[] {
    const kept = Object.entries(LABEL_FLAGS).flatMap(([flag, label]) => (message.labels.has(label) ? [flag] : []))
    const deleted = mailbox.deleted.has(message.msgid) ? ['\\Deleted'] : []
    return [...kept, ...deleted, ...message.flags]
  }

  changeFlag(message: Message, mailbox: Mailbox, flag: string, on: boolean): void {
    if (flag.toLowerCase() !== '\\deleted') this.#setFlag(message, flag, on)
    else if (on) mailbox.deleted.add(message.msgid)
    else mailbox.deleted.delete(message.msgid)
    this.#changed(message)
  }

  /** The selected mailbox's own label is not told. */
  labelsSeenFrom(message: Message, mailbox: Mailbox): readonly string[] {
    return [...message.labels].filter((label) => label !== mailbox.label)
  }

  /** What `+X-GM-LABELS` does. Nothing is made a draft by a label. */
  addLabel(message: Message, label: string): void {
    if (systemLabel(label) !== DRAFT) this.#put(message, label)
    this.#changed(message)
  }

  /** What `-X-GM-LABELS` does. */
  removeLabel(message: Message, label: string): void {
    const name = this.#labelName(label)
    if (name !== DRAFT) message.labels.delete(name)
    this.#changed(message)
  }

  /** What COPY does: one label more, and out of Trash or Spam. False where that cannot be. */
  copyTo(message: Message, target: Mailbox): boolean {
    if (target.place === 'drafts') return message.labels.has(DRAFT)
    if (target.place !== 'trash' && target.place !== 'spam')
      for (const away of [TRASH, SPAM]) message.labels.delete(away)
    if (target.label !== undefined) this.#put(message, target.label)
    this.#changed(message)
    return true
  }

  /** What MOVE does beyond COPY. */
  moveOut(message: Message, from: Mailbox): void {
    if (from.label !== undefined) message.labels.delete(from.label)
    this.#changed(message)
  }

  /** Out of Trash and Spam a message goes for good; out of All Mail it does not go at all. */
  expunge(message: Message, from: Mailbox): void {
    from.deleted.delete(message.msgid)
    if (from.label !== undefined) message.labels.delete(from.label)
    const away = from.place === 'trash' || from.place === 'spam'
    const last = message.labels.size === 0
    if (from.place === 'drafts' || (last && this.#lastExpunge === 'trash')) this.#put(message, TRASH)
    if (away || (last && this.#lastExpunge === 'delete')) this.destroy(message)
    else this.#changed(message)
  }

  destroy(message: Message): void {
    this.#messages.delete(message.msgid)
    for (const mailbox of this.mailboxes()) mailbox.take(message.msgid)
    this.#announce()
  }

  #put(message: Message, label: string): void {
    const name = this.#labelName(label)
    const away = name === TRASH || name === SPAM
    if (away) for (const old of message.labels) if (old !== STARRED) message.labels.delete(old)
    if (name === INBOX) for (const old of [TRASH, SPAM]) message.labels.delete(old)
    message.labels.add(name)
    if (systemLabel(name) === undefined && this.mailbox(name) === undefined) this.createLabel(name)
  }

  #labelName(label: string): string {
    const known = this.mailboxes().find((mailbox) => mailbox.label?.toLowerCase() === label.toLowerCase())
    return systemLabel(label) ?? known?.label ?? label
  }

  #setFlag(message: Message, flag: string, on: boolean): void {
    const known = ['\\Seen', '\\Answered', '\\Flagged', '\\Draft'].find(
      (own) => own.toLowerCase() === flag.toLowerCase(),
    )
    const label = known === undefined ? undefined : LABEL_FLAGS[known]
    const [where, name] = label === undefined ? [message.flags, known ?? flag] : [message.labels, label]
    if (on) where.add(name)
    else where.delete(name)
  }

  #changed(message: Message): void {
    this.modseq += 1
    message.modseq = this.modseq
    for (const mailbox of this.mailboxes()) {
      if (isIn(message, mailbox)) mailbox.put(message.msgid)
      else mailbox.take(message.msgid)
    }
    this.#announce()
  }

  #announce(): void {
    this.changes.emit('change')
  }

  #addMailbox(name: string, place: Place | undefined, label: string | undefined): Mailbox {
    this.#uidvalidity += 1
    const mailbox = new Mailbox(name, place, label, this.#uidvalidity)
    this.#mailboxes.set(name, mailbox)
    for (const message of this.messages()) if (isIn(message, mailbox)) mailbox.put(message.msgid)
    return mailbox
  }
}

function isAway({ labels }: Message): boolean {
  return labels.has(TRASH) || labels.has(SPAM)
}

function isIn(message: Message, { place, label }: Mailbox): boolean {
  if (place === 'trash') return message.labels.has(TRASH)
  if (place === 'spam') return message.labels.has(SPAM)
  return !isAway(message) && (label === undefined || message.labels.has(label))
}
