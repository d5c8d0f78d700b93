/**
 * One mailbox account, wherever it lives.
 *
 * Promises every adapter keeps:
 * - Reading never changes anything: `\Seen` stays as it was.
 * - A `mailbox` is the decoded name as `mailboxes` gave it. Strings reach the server as data, never as commands.
 * - A uid is only ever used together with the uidvalidity it was seen under; where the mailbox has another one by now
 *   the call throws `Failure('conflict')` before anything is done. A mailbox or uid that is not there is `not_found`.
 * - Calls may run at once, in any number; an adapter queues what its server cannot take.
 * - When `signal` aborts, the work stops at the source (the connection is given up if it must be) and the call rejects
 *   with `Failure('cancelled')` or `('timeout')`, whichever the signal's reason is.
 * - A read may be retried. A write that was sent and not answered is `outcome_unknown` and is never sent again.
 */
import type { Criteria, Position } from '../core/criteria.ts'
import type { Failure } from '../core/failure.ts'
import type { Mailbox, Opened, PartBytes, Summary, Traits } from '../core/message.ts'
import type { Query } from '../core/query/query.ts'
import type { SearchKey } from '../core/query/search-key.ts'

export interface MailSource {
  /** Connects and logs in anew if need be, and says what the server can do, upper case, as it announces it. */
  probe(signal: AbortSignal): Promise<readonly string[]>
  mailboxes(signal: AbortSignal): Promise<readonly Mailbox[]>
  /** What separates the levels of its mailbox names; undefined where names have none. Known after the first answer. */
  delimiter(signal: AbortSignal): Promise<string | undefined>
  /** How many messages each mailbox holds; undefined for one that is not there. One round trip for all. */
  counts(mailboxes: readonly string[], signal: AbortSignal): Promise<readonly (number | undefined)[]>
  find(mailbox: string, search: Search, signal: AbortSignal): Promise<Found>
  /** What rules look at, for the uids that are still there, in any number, in the order asked for. */
  traits(at: MailboxAt, uids: readonly number[], wanted: TraitsWanted, signal: AbortSignal): Promise<readonly Traits[]>
  /** What a listing shows, for the uids that are still there, in the order asked for. One round trip. */
  summaries(
    at: MailboxAt,
    uids: readonly number[],
    bodyStartBytes: number,
    signal: AbortSignal,
  ): Promise<readonly Summary[]>
  /** Header and structure; no body. Headers beyond 256 kB are cut at a whole field. */
  open(at: MailboxAt, uid: number, signal: AbortSignal): Promise<Opened>
  /** The beginnings of some parts, still transfer-encoded. Never more than asked for crosses the wire. */
  parts(at: MailboxAt, uid: number, wanted: readonly PartWanted[], signal: AbortSignal): Promise<readonly PartBytes[]>
  /** The first `maxBytes` of the message exactly as stored, and its true size. */
  raw(at: MailboxAt, uid: number, maxBytes: number, signal: AbortSignal): Promise<RawMessage>

  /** What writing needs to know of the server before it chooses how. */
  abilities(signal: AbortSignal): Promise<Abilities>
  /** One STORE. `\Deleted` is a flag like any other here; nothing is expunged. */
  changeFlags(
    at: MailboxAt,
    uid: number,
    change: 'add' | 'remove',
    flags: readonly string[],
    signal: AbortSignal,
  ): Promise<void>
  flags(at: MailboxAt, uid: number, signal: AbortSignal): Promise<readonly string[]>
  /** Copies inside the account. The new place is known only where the server tells it (COPYUID). */
  copy(at: MailboxAt, uid: number, to: string, signal: AbortSignal): Promise<Placed | undefined>
  /** Moves inside the account in one atomic step. Only where `abilities.move`. */
  move(at: MailboxAt, uid: number, to: string, signal: AbortSignal): Promise<Placed | undefined>
  /** Removes that one message for good, flagged `\Deleted` before. Only where `abilities.expungeByUid`. */
  expunge(at: MailboxAt, uid: number, signal: AbortSignal): Promise<void>
  append(to: string, message: NewMessage, signal: AbortSignal): Promise<Placed | undefined>

  /** For many messages at once: one exchange for all of them, however long the line. */
  /** Where the next message of a mailbox goes. */
  fence(mailbox: string, signal: AbortSignal): Promise<Placed>
  /** Whole messages, those that are there, in the order asked for. None is larger than `maxBytes`, or it is `too_large`. */
  rawMany(
    at: MailboxAt,
    uids: readonly number[],
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<readonly WholeMessage[]>
  /** Sends them one behind the other without waiting; each has its own ending, in the order given. Never rejects for one. */
  appendEach(to: string, messages: readonly NewMessage[], signal: AbortSignal): Promise<readonly Appended[]>
  /** Flags these `\Deleted` and expunges just them; where it cannot, they stay flagged. */
  removeMany(at: MailboxAt, uids: readonly number[], signal: AbortSignal): Promise<'expunged' | 'flagged'>

  /** Ends what is under way and frees everything. The source is unusable afterwards. */
  close(): Promise<void>
}

export interface MailboxAt {
  readonly mailbox: string
  /** `ANY_UIDVALIDITY` for whichever it has now: only for the first look at a message, which tells. */
  readonly uidvalidity: number
  /** As its messages were found: only these are read from what is kept of a mailbox, which else may be of any age. */
  readonly kept?: boolean | undefined
}

export interface TraitsWanted {
  /** Names of header fields. */
  readonly fields: readonly string[]
  readonly structure: boolean
  /** A header of more than 16 kB, of the fields asked for, comes empty and as cut: so that very many fit into memory. */
  readonly shortHeadersOnly?: boolean
}

export interface Search {
  readonly criteria: Criteria
  /** What must hold beside the criteria, as far as a server's search can say it. */
  readonly key?: SearchKey
  /** What `key` was widened from, for a source whose own search knows words. Of no use without `key`. */
  readonly query?: Query
  /** Only messages after this place in the order newest first. */
  readonly after?: Position
  /** Only messages with a smaller uid: keeps later pages to what the first one could see. */
  readonly belowUid?: number
  /** Uids to leave out of the answer (not out of `total`). */
  readonly skip?: ReadonlySet<number>
  /** How many uids to return. */
  readonly take: number
  /** Beyond so many matches none is ordered or returned, only counted; 20,000 when absent. */
  readonly most?: number
  /** What is kept of the mailbox was looked at before, and cannot answer. */
  readonly atServer?: boolean
}

export interface Found {
  readonly uidvalidity: number
  readonly uidNext: number
  /** All matches below `belowUid`, whatever `after`, `skip` and `take` leave of them. */
  readonly total: number
  /** Newest first. */
  readonly uids: readonly number[]
  readonly more: boolean
  /** Found in what is kept of the mailbox, which is as the server has it. */
  readonly kept?: boolean | undefined
  /** Or, where that cannot be reached, as it had it then, ISO 8601. */
  readonly asOf?: string | undefined
}

export interface PartWanted {
  readonly id: string
  readonly maxBytes: number
  /** Where given: also a few bytes from here on, the end of the part. */
  readonly lastFrom?: number
}

export interface RawMessage {
  readonly size: number
  readonly bytes: Uint8Array
}

export interface Abilities {
  readonly move: boolean
  readonly expungeByUid: boolean
}

export interface Placed {
  readonly uidvalidity: number
  readonly uid: number
  /** Of a draft, where its provider names drafts otherwise than messages. */
  readonly draft?: string
}

export interface WholeMessage {
  readonly uid: number
  readonly bytes: Uint8Array
  readonly flags: readonly string[]
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received: number
}

export type Appended =
  /** Where it went, if the server told. */
  | { readonly kind: 'done'; readonly placed: Placed | undefined }
  /** It did not arrive. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** It was sent, at least in part, and no answer came. */
  | { readonly kind: 'unknown'; readonly failure: Failure }

export interface NewMessage {
  readonly bytes: Uint8Array
  readonly flags: readonly string[]
  /** INTERNALDATE in whole seconds since 1970; now when absent. */
  readonly received?: number
  /** The conversation that a draft belongs to, for a provider that has names of its own for them. */
  readonly thread?: string
}
