/**
 * The mailboxes of one account in the file.
 *
 * INVARIANT: no two mailboxes of a file ever have the same UIDVALIDITY, and no two messages of a mailbox the same uid.
 */
import { mailboxMissing } from '../../core/absent.ts'
import { Failure } from '../../core/failure.ts'
import type { Mailbox } from '../../core/message.ts'
import { ANY_UIDVALIDITY } from '../../core/message-id.ts'
import type { DatabaseFile } from '../../ports/database-files.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import { canonicalName, DELIMITER, fitsName, namesAbove, properName } from './mailbox-name.ts'

export interface MailboxRow {
  readonly id: number
  readonly name: string
  readonly role: string | null
  readonly uidvalidity: number
  readonly uidnext: number
}

const MAX_UID = 0xffff_ffff

export class Mailboxes {
  readonly #db: DatabaseFile
  readonly #account: string
  readonly #now: () => number

  constructor(db: DatabaseFile, account: string, now: () => number) {
    this.#db = db
    this.#account = account
    this.#now = now
  }

  list(): Mailbox[] {
    const rows = this.#db.all<MailboxRow>('select * from mailbox where account = ? order by name', this.#account)
    const made = new Map(rows.map((row) => [row.name, row]))
    const names = new Set([...made.keys()].flatMap((name) => [...namesAbove(name), name]))
    const parents = new Set([...names].flatMap(namesAbove))
    return [...names].sort(inboxFirst).map((name) => {
      const role = made.get(name)?.role ?? undefined
      const selectable = made.has(name)
      const attributes = attributesOf({ role, selectable, parent: parents.has(name) })
      return { name, delimiter: DELIMITER, role, selectable, attributes }
    })
  }

  /** How many messages it holds; undefined where it is not there. */
  count(name: string): number | undefined {
    const row = fitsName(name) ? this.#find(canonicalName(name)) : undefined
    if (row === undefined) return undefined
    return this.#db.get<{ total: number }>('select count(*) as total from message where mailbox = ?', row.id)?.total
  }

  get(name: string): MailboxRow {
    const row = this.#find(canonicalName(name))
    if (row !== undefined) return row
    throw mailboxMissing()
  }

  /** Where a message goes to. */
  destination(name: string): MailboxRow {
    const row = this.#find(canonicalName(name))
    if (row !== undefined) return row
    throw new Failure('not_found', 'the destination mailbox does not exist', { stage: 'append' })
  }

  /** The mailbox as it was when the uid was seen. */
  at({ mailbox, uidvalidity }: MailboxAt): MailboxRow {
    const row = this.get(mailbox)
    if (row.uidvalidity === uidvalidity) return row
    throw new Failure('conflict', 'the mailbox was made anew since this message id was given out', {
      details: { uidvalidity: row.uidvalidity },
    })
  }

  /** The same for whoever only looks: `ANY_UIDVALIDITY` is the one it has now. */
  seenAt(at: MailboxAt): MailboxRow {
    return at.uidvalidity === ANY_UIDVALIDITY ? this.get(at.mailbox) : this.at(at)
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

interface Standing {
  readonly role: string | undefined
  readonly selectable: boolean
  /** Whether others lie below it. */
  readonly parent: boolean
}

/** As an IMAP server writes them. */
function attributesOf({ role, selectable, parent }: Standing): string[] {
  return [
    ...(selectable ? [] : ['\\Noselect']),
    parent ? '\\HasChildren' : '\\HasNoChildren',
    ...(role === undefined ? [] : [`\\${role.charAt(0).toUpperCase()}${role.slice(1)}`]),
  ]
}

function inboxFirst(a: string, b: string): number {
  if (a === 'INBOX' || b === 'INBOX') return a === b ? 0 : a === 'INBOX' ? -1 : 1
  return a < b ? -1 : 1
}
