/**
 * Where the mirror of one account is kept.
 *
 * Promises: every call that changes something is one transaction: when it resolves all of it is on disk, after a crash all of
 * it is there or nothing. Several processes may read while one writes; whoever writes holds the lease. A lease is free at
 * once when its process has ended. Whoever has it open notices when the file is removed, and begins with a new one. A folder that `remake` or `drop` has removed leaves nothing behind that can be found. The
 * file is readable by its owner alone. A file of a newer version is `Failure('unsupported')` with `details.reason` `schema`; an
 * older one is brought up when the lease is taken, and refused likewise, with what to run, by a reader that finds it.
 */
import type { Criteria } from '../core/criteria.ts'
import type { Mailbox, Summary, Traits } from '../core/message.ts'
import type { FolderState, MessageText, MirrorDepth, Row, UidFlags } from '../core/mirror/state.ts'
import type { FolderDefinition } from '../core/policy/folder.ts'
import type { Level } from '../core/policy/level.ts'
import type { Match } from '../core/policy/predicates.ts'
import type { Query } from '../core/query/query.ts'
import type { Found, MailboxAt, Search } from './mail-source.ts'

export interface MirrorStore extends MirrorReading, MirrorWriting {
  /** Removes every trace of the account, also of a file that cannot be used. False while another process has the lease. */
  forget(): Promise<boolean>
  close(): Promise<void>
}

export interface MirrorWriting {
  /** Undefined while another process that is alive has it. Taken again by its holder it is the same. */
  lease(): Promise<Lease | undefined>
  /** Forgets everything of a folder and begins anew, to be filled from the largest uid downwards. */
  remake(mailbox: string, state: FolderState): Promise<void>
  /** Removes everything that is kept, from the file too. */
  clear(): Promise<void>
  /** The folders that the account has, for when its server cannot be asked. */
  noteMailboxes(mailboxes: readonly Mailbox[]): Promise<void>
  /** Folders that are no longer there. */
  drop(mailboxes: readonly string[]): Promise<void>
  /** The next rows of a folder that is being filled; `downTo` is the smallest uid that has been asked for by now. */
  fill(mailbox: string, rows: readonly Row[], downTo: number): Promise<void>
  /** What has happened since: all of it at once, with the state that it leads to. Rows that are there already stay as they are. */
  apply(mailbox: string, delta: Delta): Promise<void>
  /** Messages that have not been indexed yet, newest first; fewer than asked for where their headers are long. */
  unread(mailbox: string, most: number): Promise<readonly Unindexed[]>
  /** Makes messages findable by their header, and by their text where there is one. `depth` is what `texts` stand for. */
  index(
    mailbox: string,
    texts: readonly MessageText[],
    depth: MirrorDepth,
    authservId: string | undefined,
  ): Promise<void>
  /** Once, after much was written: puts the index in order. */
  tidy(): Promise<void>
}

export interface Lease {
  release(): Promise<void>
}

export interface Delta {
  readonly state: FolderState
  readonly flags: readonly UidFlags[]
  /** Uids that are no longer there. */
  readonly gone: readonly number[]
  readonly arrived: readonly Row[]
}

/** The structure may be read when it is first asked for: not everybody does. */
export type Unindexed = Pick<Row, 'uid' | 'structure'> & {
  /** For the subject, which tells what of a page is hidden. */
  readonly header: Uint8Array
}

export interface MirroredFolder {
  readonly mailbox: string
  readonly state: FolderState
  /** Every message at or above it is there; 1 when the folder is complete. */
  readonly filledDownTo: number
  /** How many messages are kept, and how many of them are indexed. */
  readonly kept: number
  readonly indexed: number
  readonly depth: MirrorDepth
  /** By which name's reports the senders of what is indexed were judged. */
  readonly authservId: string | undefined
  /** When it was last found to be as the server has it, in milliseconds since 1970. */
  readonly checkedAt: number
}

export interface MirrorReading {
  /** As they were noted last; empty where they never were. */
  mailboxes(): Promise<readonly Mailbox[]>
  folders(): Promise<readonly MirroredFolder[]>
  folder(mailbox: string): Promise<MirroredFolder | undefined>
  /** The uids of a folder that are kept, ascending. */
  uids(mailbox: string): Promise<readonly number[]>
  /**
   * As `MailSource.find`; `criteria.text` is not asked of a mirror. This and whatever else searches or counts is `conflict`, or
   * `not_found`, where a folder cannot answer by now, though it could when it was looked at: others write in between.
   */
  find(mailbox: string, search: Search): Promise<Found>
  /** The rows of any of these folders that match, newest first, and how many there are. */
  sift(mailboxes: readonly string[], sift: Sift): Promise<Sifted>
  /** How many messages of a folder have each level under its rules. */
  countLevels(mailbox: string, rules: FolderDefinition, nowSeconds: number): Promise<ReadonlyMap<Level, number>>
  /** For the uids that are there, in the order asked for. Only fields of `MIRRORED_FIELDS`. */
  traits(at: MailboxAt, uids: readonly number[], fields: readonly string[]): Promise<readonly Traits[]>
  summaries(at: MailboxAt, uids: readonly number[]): Promise<readonly Summary[]>
  snippets(at: MailboxAt, uids: readonly number[]): Promise<ReadonlyMap<number, string>>
  /** The uids of messages that have more text than is searched. */
  partial(at: MailboxAt): Promise<readonly number[]>
  /** The messages of a thread, newest first. */
  thread(threadId: string): Promise<readonly { readonly mailbox: string; readonly uid: number }[]>
}

/** A search together with the judgement of every message that it finds. */
export interface Sift {
  readonly criteria: Criteria
  readonly query: Query
  /** Predicates of the policy language, any of several senders being enough. */
  readonly match: Match
  /** By mailbox, in its rules; a mailbox that has none here shows everything at FULL. */
  readonly rules: ReadonlyMap<string, FolderDefinition>
  readonly nowSeconds: number
  /** The level below which a message that matches is only counted. */
  readonly needed: Level
  /** Which all of the mailboxes must still have; any where absent. */
  readonly uidvalidity?: number
  readonly after?: Search['after']
  readonly belowUid?: number
  readonly skip?: ReadonlySet<number>
  readonly offset?: number
  readonly take: number
}

export interface Sifted {
  /** All that match, seen or not. */
  readonly matched: number
  readonly visible: number
  readonly rows: readonly SiftedRow[]
  readonly more: boolean
}

export interface SiftedRow {
  readonly mailbox: string
  readonly uid: number
  readonly received: number
  readonly level: Level
}
