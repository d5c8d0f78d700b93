/** Changes to messages, each one transaction. */
import { Failure } from '../../core/failure.ts'
import type { DatabaseFile } from '../../ports/database-files.ts'
import type { Appended, MailboxAt, NewMessage, Placed } from '../../ports/mail-source.ts'
import type { Contents } from './contents.ts'
import { addFlags, hasFlag, removeFlags } from './flags.ts'
import type { Mailboxes } from './mailboxes.ts'
import type { Messages } from './messages.ts'

export interface WritingParts {
  readonly db: DatabaseFile
  readonly mailboxes: Mailboxes
  readonly contents: Contents
  readonly messages: Messages
  readonly now: () => number
}

/** What is wrong with one message, or with where it goes; all else is wrong with the file. */
const OF_ONE_MESSAGE: ReadonlySet<string> = new Set(['invalid_input', 'not_found', 'too_large', 'unsupported'])

export class Writing {
  readonly #parts: WritingParts

  constructor(parts: WritingParts) {
    this.#parts = parts
  }

  changeFlags(at: MailboxAt, uid: number, change: 'add' | 'remove', flags: readonly string[]): void {
    const { db, mailboxes, messages } = this.#parts
    const changed = change === 'add' ? addFlags : removeFlags
    db.write(() => {
      const mailbox = mailboxes.at(at)
      messages.setFlags(mailbox, uid, changed(messages.get(mailbox, uid).flags, flags))
    })
  }

  copy(at: MailboxAt, uid: number, to: string): Placed {
    const { db, mailboxes, messages } = this.#parts
    return db.write(() =>
      messages.add(mailboxes.destination(to), { ...messages.get(mailboxes.at(at), uid), key: null }),
    )
  }

  move(at: MailboxAt, uid: number, to: string): Placed {
    const { db, mailboxes, messages } = this.#parts
    return db.write(() => {
      const from = mailboxes.at(at)
      const message = messages.get(from, uid)
      const placed = messages.add(mailboxes.destination(to), message)
      messages.remove(from, message)
      return placed
    })
  }

  expunge(at: MailboxAt, uid: number): void {
    const { db, mailboxes, messages } = this.#parts
    db.write(() => {
      const mailbox = mailboxes.at(at)
      const message = messages.get(mailbox, uid)
      if (!hasFlag(message.flags, '\\Deleted')) {
        throw new Failure('conflict', 'the message is not marked \\Deleted, so it is not removed')
      }
      messages.remove(mailbox, message)
    })
  }

  append(to: string, { bytes, flags, received }: NewMessage): Placed {
    const { db, mailboxes, contents, messages, now } = this.#parts
    return db.write(() => {
      const mailbox = mailboxes.destination(to)
      const entry = { content: contents.keep(bytes), received: received ?? Math.floor(now() / 1000), flags, key: null }
      return messages.add(mailbox, entry)
    })
  }

  /** One transaction for all; a message that is refused leaves nothing behind in it. */
  appendEach(to: string, batch: readonly NewMessage[]): readonly Appended[] {
    return this.#parts.db.write(() => batch.map((message) => this.#tryAppend(to, message)))
  }

  /** Those that are there. */
  removeMany(at: MailboxAt, uids: readonly number[]): void {
    const { db, mailboxes, messages } = this.#parts
    db.write(() => {
      const mailbox = mailboxes.at(at)
      for (const message of messages.list(mailbox, [...new Set(uids)])) messages.remove(mailbox, message)
    })
  }

  #tryAppend(to: string, message: NewMessage): Appended {
    try {
      return { kind: 'done', placed: this.append(to, message) }
    } catch (error) {
      if (error instanceof Failure && OF_ONE_MESSAGE.has(error.code)) return { kind: 'refused', failure: error }
      throw error
    }
  }
}
