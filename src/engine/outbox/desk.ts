/**
 * Where a person sees what wants to leave, and says yes or no: behind the commands and the console alike.
 *
 * INVARIANT: everything that is said here goes through the letter's state machine and is on record before it counts.
 */
import type { EntryKind, OutboxEntry } from '../../core/outbox/entry.ts'

export interface OutboxDesk {
  /** Newest first. */
  list(asked: { readonly kinds?: readonly EntryKind[]; readonly most: number }): Promise<readonly OutboxEntry[]>
  /** Throws `not_found`. `id` may be the beginning of one, where it is the only one that begins so. */
  show(id: string, signal: AbortSignal): Promise<ShownLetter>
  approve(id: string, person: Person): Promise<OutboxEntry>
  reject(id: string, person: Person, reason: string | undefined): Promise<OutboxEntry>
  /** Of one that nobody knows of whether it went out: looks among what was sent; settled where it lies there. */
  lookForCopy(id: string, signal: AbortSignal): Promise<'found' | 'not_found'>
  /** Of one that nobody knows of whether it went out: a person has looked. */
  settle(id: string, wasSent: boolean, person: Person): Promise<OutboxEntry>
}

export interface Person {
  readonly via: 'command' | 'console'
  /** A user name. */
  readonly name: string
  /** Where from, for the record: `terminal`, or an address. */
  readonly address: string
}

export interface ShownLetter {
  readonly entry: OutboxEntry
  /** The letter as the recipient will see it, for a person at a terminal. */
  readonly text: string
  /** The same in two parts: who writes to whom, with what is odd about it, and what it says. */
  readonly head: string
  readonly body: string
  /** Whose mail its caller has read within a day: addresses, those read most often first. */
  readonly readers: readonly string[]
  /** And that of others, whose names were forgotten or never known. */
  readonly unknownReaders: boolean
}
