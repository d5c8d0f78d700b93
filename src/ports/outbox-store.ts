/**
 * Where letters wait on their way out, and how many have gone.
 *
 * Promises: every method is one step, whatever other calls and processes do, and what it did is on disk when it resolves. Every
 * process of a data directory sees the same outbox. An event that cannot happen to a letter any more is `conflict`, and
 * changes nothing. Throws `Failure('unavailable')` where the store cannot be used, or so many letters of an account wait that
 * nobody could look through them.
 */
import type { Approval, EntryKind, OutboxEntry } from '../core/outbox/entry.ts'
import type { EntryEvent } from '../core/outbox/machine.ts'
import type { PendingLimit } from '../core/policy/sending.ts'

export interface OutboxStore {
  /**
   * The message that the same content means (`isMeantBy`), where there is one; else this one, with its bytes, pending from now on,
   * unless its caller has reached the limit: then nothing is kept of it.
   */
  queue(entry: OutboxEntry, bytes: Uint8Array, limit: PendingLimit): Promise<Queued | Known | Full>
  /** The message that this content means at that time. */
  find(digest: string, now: number): Promise<OutboxEntry | undefined>
  /** What a caller has in the outbox that was not sent yet, pending or approved, but for versions that a person has made. */
  held(caller: string, now: number): Promise<PendingLimit>
  /** All that a caller has there of one account, versions as well, message by message; newest first. */
  unsent(caller: string, account: string, now: number): Promise<readonly OutboxEntry[]>
  get(id: string): Promise<OutboxEntry | undefined>
  /** The message exactly as it was queued. Those of letters that are over may be gone: then it is `not_found`. */
  bytes(id: string): Promise<Uint8Array>
  /** Newest first. */
  list(asked: { readonly kinds?: readonly EntryKind[]; readonly most: number }): Promise<readonly OutboxEntry[]>
  /** Any event but `claim`. */
  record(id: string, event: Exclude<EntryEvent, { kind: 'claim' }>): Promise<OutboxEntry>
  /** Several in one step: where one of them is `conflict`, none has happened. */
  recordAll(changes: readonly Change[]): Promise<readonly OutboxEntry[]>
  /**
   * Makes an approved letter this process's to send, unless so many of its account's were claimed in the window and neither given
   * back nor stepped back from nor failed. Where that fails it is nobody's: it is approved as before.
   */
  claim(id: string, at: number, limit: SendLimit): Promise<Claim>
  /**
   * All of it in one step, for a letter about which nobody is asked: queued, approved, and claimed as above. Where the same content
   * means another message, that one is returned as it is. What has to wait for its turn counts towards `pending`.
   */
  dispatch(
    entry: OutboxEntry,
    bytes: Uint8Array,
    approval: Approval,
    limit: SendLimit,
    pending: PendingLimit,
  ): Promise<Claim | Known | Full>
  /** Those that are claimed by a process that is gone. */
  orphans(): Promise<readonly OutboxEntry[]>
  /** Those that waited, or were approved, for too long become `expired`; returns them. */
  expire(now: number): Promise<readonly OutboxEntry[]>
  /** Of these addresses, those that something of this account was sent to before. */
  writtenTo(account: string, addresses: readonly string[]): Promise<ReadonlySet<string>>
  /** Everything that is kept of an account, but for letters that are still open. Returns the ids of letters that were kept. */
  forget(account: string): Promise<readonly string[]>
  close(): Promise<void>
}

export interface Change {
  readonly id: string
  readonly event: Exclude<EntryEvent, { kind: 'claim' }>
}

export interface SendLimit {
  readonly most: number
  readonly lengthMs: number
}

export type Claim =
  | { readonly kind: 'claimed'; readonly entry: OutboxEntry }
  | { readonly kind: 'limited'; readonly waitMs: number }
  /** It is no longer approved: somebody was faster, or took it back. */
  | { readonly kind: 'gone'; readonly entry: OutboxEntry }

export interface Queued {
  readonly kind: 'queued'
  readonly entry: OutboxEntry
  /** An earlier request for the same content that is over, where there was one lately. */
  readonly earlier?: OutboxEntry
}

/** Its caller has reached the limit: what it has already. */
export interface Full {
  readonly kind: 'full'
  readonly held: PendingLimit
}

export interface Known {
  readonly kind: 'known'
  readonly entry: OutboxEntry
}
