/**
 * What each method of the store does within one transaction.
 *
 * INVARIANT: looking and changing are one step that no other process can come between. A letter that a living store has claimed
 * is that store's alone.
 */
import { type Approval, type OutboxEntry, REPEATED_MS } from '../../core/outbox/entry.ts'
import { after, type EntryEvent, expiryOf, isMeantBy } from '../../core/outbox/machine.ts'
import { hasRoom, type PendingLimit } from '../../core/policy/sending.ts'
import type { Claim, Full, Known, Queued, SendLimit } from '../../ports/outbox-store.ts'
import type { AttemptsTable } from './attempts-table.ts'
import type { EntriesTable, Kept } from './entries-table.ts'
import { sentByAnother, tooManyWaiting, unknownLetter } from './failures.ts'

export interface Tables {
  readonly entries: EntriesTable
  readonly attempts: AttemptsTable
}

export function queue(
  { entries }: Tables,
  entry: OutboxEntry,
  bytes: Uint8Array,
  limit: PendingLimit,
): Queued | Known | Full {
  const same = sameAs(entries, entry)
  if (same !== undefined) return { kind: 'known', entry: same }
  const full = fullFor(entries, entry, bytes, limit)
  if (full !== undefined) return full
  const queued: OutboxEntry = { ...entry, state: { kind: 'waiting' } }
  entries.insert(queued, bytes)
  const earlier = entries.findEnded(entry.digest, ['expired', 'failed'], entry.created - OVER_LATELY_MS)
  return { kind: 'queued', entry: queued, ...(earlier && { earlier }) }
}

/** So long a caller is told that an earlier request for the same content came to nothing. */
const OVER_LATELY_MS = 7 * 24 * 60 * 60 * 1000

/** More than any person looks through; beyond it somebody is filling the disk. */
const MOST_LETTERS = 1000
const MOST_BYTES = 512 * 1024 * 1024

function fullFor(
  entries: EntriesTable,
  { sending, created }: OutboxEntry,
  message: Uint8Array,
  limit: PendingLimit,
): Full | undefined {
  const all = entries.held(sending.account, created)
  if (all.messages >= MOST_LETTERS || all.bytes + message.length > MOST_BYTES) throw tooManyWaiting()
  const held = entries.heldBy(sending.caller, created)
  return hasRoom(held, message.length, limit) ? undefined : { kind: 'full', held }
}

/** The message that the same content means; one whose time is over makes room. */
function sameAs(entries: EntriesTable, { digest, created }: OutboxEntry): OutboxEntry | undefined {
  const earlier = entries.findOpen(digest)
  const expiry = earlier && expiryOf(earlier.entry.state, earlier.entry.expires, created)
  if (earlier !== undefined && expiry !== undefined) entries.step(earlier, expiry)
  if (earlier !== undefined && expiry === undefined) return earlier.entry
  return sentLately(entries, digest, created)
}

function sentLately(entries: EntriesTable, digest: string, now: number): OutboxEntry | undefined {
  return entries.findEnded(digest, ['sent'], now - REPEATED_MS)
}

/** `isOurs`: whether this store may speak for whoever has claimed it. */
export function record(
  { entries, attempts }: Tables,
  id: string,
  event: EntryEvent,
  isOurs: (owner: string) => boolean,
): OutboxEntry {
  const kept = found(entries, id)
  if (kept.owner !== undefined && SENDERS_OWN.has(event.kind) && !isOurs(kept.owner)) throw sentByAnother()
  const entry = entries.step(kept, event)
  if (nothingWentOut(event)) attempts.release(kept.number)
  if (wentOut(event)) attempts.arrived(entry.sending, event.kind === 'deliver' ? event.refused : [])
  return entry
}

/** The message that this content means at that time. */
export function find({ entries }: Tables, digest: string, now: number): OutboxEntry | undefined {
  const entry = entries.findOpen(digest)?.entry
  return entry && isMeantBy(entry.state, entry.expires, now) ? entry : sentLately(entries, digest, now)
}

export function claim({ entries, attempts }: Tables, id: string, at: number, limit: SendLimit, owner: string): Claim {
  const kept = found(entries, id)
  const { entry, number } = kept
  const expiry = expiryOf(entry.state, entry.expires, at)
  if (expiry !== undefined) return { kind: 'gone', entry: entries.step(kept, expiry) }
  if (entry.state.kind !== 'approved') return { kind: 'gone', entry }
  const waitMs = attempts.waitFor(entry.sending.account, at, limit)
  if (waitMs > 0) return { kind: 'limited', waitMs }
  attempts.begin(number, entry.sending.account, at)
  return { kind: 'claimed', entry: entries.step(kept, { kind: 'claim', at }, owner) }
}

/** `entry` is claimed at the time at which it was made. */
export function dispatch(
  { entries, attempts }: Tables,
  entry: OutboxEntry,
  bytes: Uint8Array,
  approval: Approval,
  { limit, pending }: { readonly limit: SendLimit; readonly pending: PendingLimit },
  owner: string,
): Claim | Known | Full {
  const earlier = sameAs(entries, entry)
  if (earlier !== undefined) return { kind: 'known', entry: earlier }
  const { created: at, sending } = entry
  const approved = after({ kind: 'waiting' }, { kind: 'approve', approval })
  const waitMs = attempts.waitFor(sending.account, at, limit)
  if (waitMs > 0) {
    const full = fullFor(entries, entry, bytes, pending)
    if (full !== undefined) return full
    entries.insert({ ...entry, state: approved }, bytes)
    return { kind: 'limited', waitMs }
  }
  const claimed = { ...entry, state: after(approved, { kind: 'claim', at }) }
  attempts.begin(entries.insert(claimed, bytes, owner), sending.account, at)
  return { kind: 'claimed', entry: claimed }
}

/** A claim that may not last is none: nothing has left yet, and nobody else can have claimed it since. */
export function giveBack(to: Tables, claimed: Claim | Known | Full): void {
  if (claimed.kind === 'claimed') {
    record(to, claimed.entry.id, { kind: 'give_back', reason: 'unavailable' }, () => true)
  }
}

export function expire({ entries }: Tables, now: number): readonly OutboxEntry[] {
  return entries.overdue(now).map((kept) => entries.step(kept, { kind: 'expire', at: now }))
}

export function forget({ entries, attempts }: Tables, account: string): readonly string[] {
  attempts.forget(account)
  return entries.forget(account)
}

/** How an attempt ends is told by whoever made it. */
const SENDERS_OWN: ReadonlySet<EntryEvent['kind']> = new Set(['step_back', 'give_back', 'fail', 'deliver', 'lose'])

function nothingWentOut(event: EntryEvent): boolean {
  return ['step_back', 'give_back', 'fail'].includes(event.kind) || (event.kind === 'settle' && !event.wasSent)
}

function wentOut(event: EntryEvent): boolean {
  return event.kind === 'deliver' || (event.kind === 'settle' && event.wasSent)
}

function found(entries: EntriesTable, id: string): Kept {
  const kept = entries.find(id)
  if (kept === undefined) throw unknownLetter()
  return kept
}
