/**
 * The accounts a running server knows, and the mail behind each.
 *
 * INVARIANT: a call sees one book of accounts from its beginning to its end. When the book is replaced, the accounts
 * that left it are closed once the last call that could use them is over.
 */
import { absentAccount } from '../../core/absent.ts'
import { Failure } from '../../core/failure.ts'
import type { MirrorDepth } from '../../core/mirror/state.ts'
import type { DescribedAccount } from '../../core/policy-description.ts'
import type { AccountSummary } from '../../core/results.ts'
import type { Standing } from '../../ports/access.ts'
import type { GoogleMail } from '../../ports/google-mail.ts'
import type { MailSender } from '../../ports/mail-sender.ts'
import type { MailSource } from '../../ports/mail-source.ts'
import type { MirroredFolder, MirrorReading } from '../../ports/mirror-store.ts'
import type { NativeIds } from '../../ports/native-ids.ts'

export interface Account extends Omit<AccountSummary, 'state'> {
  readonly source: MailSource
  /** What its owner is written to at, where known. */
  readonly address?: string
  /** Where some of it is kept on this machine. */
  readonly mirror?: Mirror
  /** Where its folders are Google's labels. */
  readonly google?: GoogleMail
  /** Where letters can leave from it. */
  readonly sender?: MailSender
  /** Why its sending server let it send nothing the last time, in this process; absent while all is well. */
  sendingProblem?(): string | undefined
  /** Whether its provider keeps a copy of what leaves by itself. */
  readonly filesSent?: boolean
  /** Where its provider has names of its own for messages. */
  readonly native?: NativeIds
  /** The name under which its server reports who a sender is. */
  readonly authservId?: string
  readonly tokenCache?: DescribedAccount['tokenCache']
  /** Absent where a password is all there is: then it is always active and may write. */
  standing?(): Promise<Standing>
  /** The connections to its server at this moment, where there ever was one; asking opens none. Absent without a server. */
  connections?(): Connections | undefined
}

export interface Connections {
  readonly open: number
  /** Those of them that a call is using. */
  readonly busy: number
  /** Beside them: those that wait for new mail. */
  readonly watching: number
}

/** What is kept of an account, brought up to date before it is asked. */
export interface Mirror {
  /** Those of the folders that can be answered from here, as the server has them at this moment. */
  fresh(mailboxes: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, FreshFolder>>
  readonly store: MirrorReading
  /** How much of it is to be kept. */
  readonly depth?: MirrorDepth
  /** How far the sync has come that is under way in this process. */
  progress?(): MirrorProgress | undefined
}

export interface MirrorProgress {
  readonly mailbox: string
  readonly done: number
  readonly total: number
  readonly perSecond?: number
}

export interface FreshFolder extends MirroredFolder {
  /** Where the server cannot be reached: when the folder was last seen to be so, ISO 8601. */
  readonly asOf?: string
}

export class AccountBook {
  readonly #byId: ReadonlyMap<string, Account>

  constructor(accounts: readonly Account[]) {
    this.#byId = new Map(accounts.map((account) => [account.id, account]))
  }

  get(id: string): Account {
    const account = this.#byId.get(id)
    if (account !== undefined) return account
    throw new Failure('not_found', absentAccount(id))
  }

  /** Undefined where it is not, or no longer, configured. */
  find(id: string): Account | undefined {
    return this.#byId.get(id)
  }

  list(): readonly Account[] {
    return [...this.#byId.values()]
  }
}

interface Edition {
  readonly book: AccountBook
  readers: number
}

export class Accounts {
  #current: Edition
  /** Those that somebody may still read: the current one, and each that a call under way began with. */
  readonly #editions = new Set<Edition>()
  readonly #open = new Set<Account>()

  constructor(accounts: readonly Account[]) {
    this.#current = this.#publish(accounts)
  }

  get current(): AccountBook {
    return this.#current.book
  }

  /** Runs one call with the book of this moment. */
  async reading<T>(work: (book: AccountBook) => Promise<T>): Promise<T> {
    const edition = this.#current
    edition.readers += 1
    try {
      return await work(edition.book)
    } finally {
      edition.readers -= 1
      this.#drain()
    }
  }

  /** An account that is the same object in both books stays open. Returns the ids of those that are closed. */
  replace(accounts: readonly Account[]): readonly string[] {
    const before = this.#current.book.list()
    this.#current = this.#publish(accounts)
    this.#drain()
    const staying = new Set(accounts)
    return before.filter((account) => !staying.has(account)).map(({ id }) => id)
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open].map(closeAccount))
  }

  #publish(accounts: readonly Account[]): Edition {
    const edition = { book: new AccountBook(accounts), readers: 0 }
    this.#editions.add(edition)
    for (const account of accounts) this.#open.add(account)
    return edition
  }

  #drain(): void {
    if (this.#editions.size === 1) return
    for (const edition of this.#editions) {
      if (edition !== this.#current && edition.readers === 0) this.#editions.delete(edition)
    }
    const needed = new Set([...this.#editions].flatMap(({ book }) => book.list()))
    for (const account of this.#open) {
      if (needed.has(account)) continue
      this.#open.delete(account)
      void closeAccount(account).catch(() => undefined)
    }
  }
}

async function closeAccount({ source, sender }: Account): Promise<void> {
  await Promise.all([source.close(), sender?.close()])
}
