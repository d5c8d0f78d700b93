/**
 * A mailbox as a stream: what a mirror is filled from.
 *
 * Promises: reading never changes anything. Nothing is ever kept whole: rows and texts come in batches of bounded size, newest
 * (largest uid) first, and the next batch is asked for only when the one before it has been taken. Everything else is as in
 * `MailSource`: decoded mailbox names, uids only with their uidvalidity (`conflict`), cancelled by `signal`.
 */
import type { Changes, FolderState, Row } from '../core/mirror/state.ts'
import type { MailboxAt, PartWanted } from './mail-source.ts'

export interface MailFeed {
  /** Where a mailbox stands now. One round trip. */
  state(mailbox: string, signal: AbortSignal): Promise<FolderState>
  /** Of several at once, in one round trip; undefined for one that is not there. */
  states(mailboxes: readonly string[], signal: AbortSignal): Promise<readonly (FolderState | undefined)[]>
  /** What has happened since. One round trip where nothing has. */
  changes(mailbox: string, since: FolderState, signal: AbortSignal): Promise<Changes>
  /** Messages whose uid is within these, both included, largest uid first. */
  rows(at: MailboxAt, within: UidRange, signal: AbortSignal): AsyncIterable<readonly Row[]>
  /** The beginnings of some parts of several messages. Those of a message that is gone are not there. */
  texts(at: MailboxAt, wanted: readonly TextWanted[], signal: AbortSignal): Promise<readonly TextBytes[]>
  /**
   * Calls `onChange` whenever something happens in the mailbox, until `signal` aborts (then it resolves) or the connection is
   * lost (then it rejects). Uses a connection of its own.
   */
  watch(mailbox: string, onChange: () => void, signal: AbortSignal): Promise<void>
}

export interface UidRange {
  readonly from: number
  readonly to: number
}

export interface TextWanted {
  readonly uid: number
  readonly parts: readonly PartWanted[]
}

export interface TextBytes {
  readonly uid: number
  readonly id: string
  /** Still transfer-encoded. */
  readonly bytes: Uint8Array
  /** False when the part is longer than what was asked for. */
  readonly complete: boolean
}
