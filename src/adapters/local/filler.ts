/** Fills mailboxes in bulk: a batch and the bookmark behind it are one transaction. */
import type { Bookmark, Filed, Filing } from '../../ports/local-mailbox.ts'
import type { MailboxRow } from './mailboxes.ts'
import type { WritingParts } from './writing.ts'

export interface FillerParts extends WritingParts {
  readonly account: string
}

export class Filler {
  readonly #parts: FillerParts

  constructor(parts: FillerParts) {
    this.#parts = parts
  }

  appendMany(batch: readonly Filing[], bookmark: Bookmark | undefined): Filed {
    return this.#parts.db.write(() => {
      const known = new Map<string, MailboxRow>()
      const added = batch.map((filing) => this.#file(filing, known))
      if (bookmark !== undefined) this.#keepBookmark(bookmark)
      return { added }
    })
  }

  bookmark(source: string): string | undefined {
    const { db, account } = this.#parts
    return db.get<{ position: string }>(
      'select position from bookmark where account = ? and source = ?',
      account,
      source,
    )?.position
  }

  forgetBookmark(source: string): void {
    const { db, account } = this.#parts
    db.run('delete from bookmark where account = ? and source = ?', account, source)
  }

  #file({ mailbox: name, role, key, bytes, flags, received }: Filing, known: Map<string, MailboxRow>): boolean {
    const { mailboxes, messages, contents, now } = this.#parts
    const mailbox = known.get(name) ?? mailboxes.create(name, role)
    known.set(name, mailbox)
    if (key !== undefined && messages.holdsKey(mailbox, key)) return false
    const at = received ?? Math.floor(now() / 1000)
    messages.add(mailbox, { content: contents.keep(bytes), received: at, flags, key: key ?? null })
    return true
  }

  #keepBookmark({ source, position }: Bookmark): void {
    const { db, account } = this.#parts
    db.run(
      `insert into bookmark (account, source, position) values (?, ?, ?)
       on conflict (account, source) do update set position = excluded.position`,
      account,
      source,
      position,
    )
  }
}
