/**
 * What each method of the store does within one transaction.
 *
 * INVARIANT: looking and changing are one step that no other process can come between. A letter that a living store has claimed
 * is that store's alone.
 */
import type { Approval, OutboxEntry } from '../../core/outbox/entry.ts'
import { after, type EntryEvent, expiryOf } from '../../core/outbox/machine.ts'
import type { Claim, Known, SendLimit } from '../../ports/outbox-store.ts'
import type { AttemptsTable } from './attempts-table.ts'
import type { EntriesTable, Kept } from './entries-table.ts'
import { sentByAnother, tooManyWaiting, unknownLetter } from './failures.ts'

export interface Tables {
  readonly entries: EntriesTable
  readonly attempts: AttemptsTable
}

export function queue({ entries }: Tables, entry: OutboxEntry, bytes: Uint8Array): OutboxEntry {
  const earlier = openLike(entries, entry)
  if (earlier !== undefined) return earlier
  requireRoom(entries, entry, bytes)
  const queued: OutboxEntry = { ...entry, state: { kind: 'waiting' } }
  entries.insert(queued, bytes)
  return queued
}

/** More than any person looks through; beyond it somebody is filling the disk. */
const MOST_LETTERS = 1000
const MOST_BYTES = 512 * 1024 * 1024

function requireRoom(entries: EntriesTable, { sending, created }: OutboxEntry, message: Uint8Array): void {
  const { letters, bytes } = entries.held(sending.account, created)
  if (letters >= MOST_LETTERS || bytes + message.length > MOST_BYTES) throw tooManyWaiting()
}

/** The same letter, where it is open; one whose time is over makes room. */
function openLike(entries: EntriesTable, { digest, created }: OutboxEntry): OutboxEntry | undefined {
  const earlier = entries.findOpen(digest)
  const expiry = earlier && expiryOf(earlier.entry.state, earlier.entry.expires, created)
  if (earlier !== undefined && expiry !== undefined) entries.step(earlier, expiry)
  return expiry === undefined ? earlier?.entry : undefined
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

/** The open letter with this digest, unless its time is over. */
export function findOpen({ entries }: Tables, digest: string, now: number): OutboxEntry | undefined {
  const entry = entries.findOpen(digest)?.entry
  return entry && expiryOf(entry.state, entry.expires, now) === undefined ? entry : undefined
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
  limit: SendLimit,
  owner: string,
): Claim | Known {
  const earlier = openLike(entries, entry)
  if (earlier !== undefined) return { kind: 'known', entry: earlier }
  const { created: at, sending } = entry
  const approved = after({ kind: 'waiting' }, { kind: 'approve', approval })
  const waitMs = attempts.waitFor(sending.account, at, limit)
  if (waitMs > 0) {
    requireRoom(entries, entry, bytes)
    entries.insert({ ...entry, state: approved }, bytes)
    return { kind: 'limited', waitMs }
  }
  const claimed = { ...entry, state: after(approved, { kind: 'claim', at }) }
  attempts.begin(entries.insert(claimed, bytes, owner), sending.account, at)
  return { kind: 'claimed', entry: claimed }
}

/** A claim that may not last is none: nothing has left yet, and nobody else can have claimed it since. */
export function giveBack(to: Tables, claimed: Claim | Known): void {
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
