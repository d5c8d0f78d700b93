/**
 * The way into the file, for every call.
 *
 * INVARIANT: an account has its INBOX before anything is done in it. What one look shows is of one moment.
 */
import type { DatabaseFile } from '../../ports/database-files.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import { throwIfAborted } from './failures.ts'
import type { Mailboxes, MailboxRow } from './mailboxes.ts'
import type { Messages, StoredMessage } from './messages.ts'

export interface EntranceParts {
  readonly db: DatabaseFile
  readonly mailboxes: Mailboxes
  readonly messages: Messages
}

type Look<T> = (message: StoredMessage, mailbox: MailboxRow) => T

export class Entrance {
  readonly #parts: EntranceParts
  #isReady = false

  constructor(parts: EntranceParts) {
    this.#parts = parts
  }

  enter<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
    const { db, mailboxes } = this.#parts
    return db.patiently(() => {
      throwIfAborted(signal)
      if (!this.#isReady) mailboxes.create('INBOX', undefined)
      this.#isReady = true
      return work()
    })
  }

  look<T>(at: MailboxAt, uid: number, signal: AbortSignal, work: Look<T>): Promise<T> {
    const { db, mailboxes, messages } = this.#parts
    return this.enter(signal, () =>
      db.read(() => {
        const mailbox = mailboxes.seenAt(at)
        return work(messages.get(mailbox, uid), mailbox)
      }),
    )
  }

  /** Those that are there, in the order asked for. */
  lookAtMany<T>(at: MailboxAt, uids: readonly number[], signal: AbortSignal, work: Look<T>): Promise<T[]> {
    const { db, mailboxes, messages } = this.#parts
    return this.enter(signal, () =>
      db.read(() => {
        const mailbox = mailboxes.seenAt(at)
        return messages.list(mailbox, uids).map((message) => work(message, mailbox))
      }),
    )
  }
}
