/**
 * The messages of the file's mailboxes: looked up, filed, changed and removed.
 *
 * INVARIANT: `seen` is 1 exactly when the flags hold `\Seen`. What writes is called inside a write transaction.
 */
import { messageMissing } from '../../core/absent.ts'
import type { DatabaseFile } from '../../ports/database-files.ts'
import type { Placed } from '../../ports/mail-source.ts'
import type { Contents } from './contents.ts'
import { hasFlag, readFlags, writeFlags } from './flags.ts'
import type { Mailboxes, MailboxRow } from './mailboxes.ts'

export interface StoredMessage {
  readonly uid: number
  readonly received: number
  readonly flags: readonly string[]
  readonly size: number
  readonly content: number
  readonly bodyStart: number
  readonly key: string | null
}

export interface Entry {
  readonly content: number
  readonly received: number
  readonly flags: readonly string[]
  readonly key: string | null
}

interface Row extends Omit<StoredMessage, 'flags'> {
  readonly flags: string
}

const COLUMNS = 'm.uid, m.received, m.flags, m.content, m.key, c.size, c.body_start as bodyStart'
const FROM = 'from message m join content c on c.id = m.content'

export class Messages {
  readonly #db: DatabaseFile
  readonly #mailboxes: Mailboxes
  readonly #contents: Contents

  constructor(db: DatabaseFile, mailboxes: Mailboxes, contents: Contents) {
    this.#db = db
    this.#mailboxes = mailboxes
    this.#contents = contents
  }

  get(mailbox: MailboxRow, uid: number): StoredMessage {
    const row = this.#db.get<Row>(`select ${COLUMNS} ${FROM} where m.mailbox = ? and m.uid = ?`, mailbox.id, uid)
    if (row === undefined) throw messageMissing(uid)
    return readRow(row)
  }

  /** Those that are there, in the order asked for. */
  list(mailbox: MailboxRow, uids: readonly number[]): StoredMessage[] {
    const rows = this.#db.all<Row>(
      `select ${COLUMNS} ${FROM} where m.mailbox = ? and m.uid in (select value from json_each(?))`,
      mailbox.id,
      JSON.stringify(uids),
    )
    const byUid = new Map(rows.map((row) => [row.uid, row]))
    return uids.flatMap((uid) => byUid.get(uid) ?? []).map(readRow)
  }

  holdsKey(mailbox: MailboxRow, key: string): boolean {
    return this.#db.get('select 1 from message where mailbox = ? and key = ? limit 1', mailbox.id, key) !== undefined
  }

  add(mailbox: MailboxRow, { content, received, flags, key }: Entry): Placed {
    const uid = this.#mailboxes.takeUid(mailbox)
    this.#db.run(
      'insert into message (mailbox, uid, received, flags, seen, content, key) values (?, ?, ?, ?, ?, ?, ?)',
      mailbox.id,
      uid,
      received,
      writeFlags(flags),
      seen(flags),
      content,
      key,
    )
    return { uid, uidvalidity: mailbox.uidvalidity }
  }

  setFlags(mailbox: MailboxRow, uid: number, flags: readonly string[]): void {
    this.#db.run(
      'update message set flags = ?, seen = ? where mailbox = ? and uid = ?',
      writeFlags(flags),
      seen(flags),
      mailbox.id,
      uid,
    )
  }

  remove(mailbox: MailboxRow, { uid, content }: StoredMessage): void {
    this.#db.run('delete from message where mailbox = ? and uid = ?', mailbox.id, uid)
    this.#contents.release(content)
  }
}

function readRow(row: Row): StoredMessage {
  return { ...row, flags: readFlags(row.flags) }
}

function seen(flags: readonly string[]): number {
  return hasFlag(flags, '\\Seen') ? 1 : 0
}
