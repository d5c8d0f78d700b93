/**
 * The mailboxes of one account in the file.
 *
 * INVARIANT: no two mailboxes of a file ever have the same UIDVALIDITY, and no two messages of a mailbox the same uid.
 */
import { ABSENT_MAILBOX } from '../../core/absent.ts'
import { Failure } from '../../core/failure.ts'
import type { Mailbox } from '../../core/message.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import type { LocalDatabase } from './database.ts'
import { canonicalName, DELIMITER, namesAbove, properName } from './mailbox-name.ts'

export interface MailboxRow {
  readonly id: number
  readonly name: string
  readonly role: string | null
  readonly uidvalidity: number
  readonly uidnext: number
}

const MAX_UID = 0xffff_ffff

export class Mailboxes {
  readonly #db: LocalDatabase
  readonly #account: string
  readonly #now: () => number

  constructor(db: LocalDatabase, account: string, now: () => number) {
    this.#db = db
    this.#account = account
    this.#now = now
  }

  list(): Mailbox[] {
    const rows = this.#db.all<MailboxRow>('select * from mailbox where account = ? order by name', this.#account)
    const made = new Map(rows.map((row) => [row.name, row]))
    const names = new Set([...made.keys()].flatMap((name) => [...namesAbove(name), name]))
    return [...names].sort(inboxFirst).map((name) => ({
      name,
      delimiter: DELIMITER,
      role: made.get(name)?.role ?? undefined,
      selectable: made.has(name),
    }))
  }

  get(name: string): MailboxRow {
    const row = this.#find(canonicalName(name))
    if (row !== undefined) return row
    throw new Failure('not_found', ABSENT_MAILBOX)
  }

  /** Where a message goes to. */
  destination(name: string): MailboxRow {
    const row = this.#find(canonicalName(name))
    if (row !== undefined) return row
    throw new Failure('not_found', 'the destination mailbox does not exist')
  }

  /** The mailbox as it was when the uid was seen. */
  at({ mailbox, uidvalidity }: MailboxAt): MailboxRow {
    const row = this.get(mailbox)
    if (row.uidvalidity === uidvalidity) return row
    throw new Failure('conflict', 'the mailbox was made anew since this message id was given out', {
      details: { uidvalidity: row.uidvalidity },
    })
  }

  create(name: string, role: string | undefined): MailboxRow {
    const proper = properName(name)
    const present = this.#find(proper)
    if (present !== undefined && (role === undefined || present.role !== null)) return present
    return this.#db.write(() => this.#make(proper, role ?? null))
  }

  /** A uid that no message of this mailbox ever had. Only inside a write. */
  takeUid(mailbox: MailboxRow): number {
    const taken = this.#db.get<{ uid: number }>(
      'update mailbox set uidnext = uidnext + 1 where id = ? returning uidnext - 1 as uid',
      mailbox.id,
    )
    if (taken === undefined) throw new Error('a mailbox row vanished')
    if (taken.uid > MAX_UID) throw new Failure('unsupported', 'the mailbox has given out all its uids')
    return taken.uid
  }

  #make(name: string, role: string | null): MailboxRow {
    this.#db.run(
      `insert into mailbox (account, name, role, uidvalidity)
       values (?, ?, ?, max(?, (select coalesce(max(uidvalidity), 0) + 1 from mailbox)))
       on conflict (account, name) do update set role = coalesce(role, excluded.role)`,
      this.#account,
      name,
      role,
      Math.floor(this.#now() / 1000),
    )
    const made = this.#find(name)
    if (made === undefined) throw new Error('a mailbox row vanished')
    return made
  }

  #find(name: string): MailboxRow | undefined {
    return this.#db.get<MailboxRow>('select * from mailbox where account = ? and name = ?', this.#account, name)
  }
}

function inboxFirst(a: string, b: string): number {
  if (a === 'INBOX' || b === 'INBOX') return a === b ? 0 : a === 'INBOX' ? -1 : 1
  return a < b ? -1 : 1
}
