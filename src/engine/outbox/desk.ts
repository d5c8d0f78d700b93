/**
 * Where a person sees what wants to leave, and says yes or no: behind the commands and the console alike.
 *
 * INVARIANT: everything that is said here goes through the letter's state machine and is on record before it counts.
 */
import type { EntryKind, OutboxEntry } from '../../core/outbox/entry.ts'
import type { PresentedParts } from '../../core/outbox/present.ts'
import type { Version } from '../../core/outbox/sending.ts'

export interface OutboxDesk {
  /** Newest first. */
  list(asked: { readonly kinds?: readonly EntryKind[]; readonly most: number }): Promise<readonly OutboxEntry[]>
  /** Throws `not_found`. `id` may be the beginning of one, where it is the only one that begins so. */
  show(id: string, signal: AbortSignal): Promise<ShownLetter>
  /**
   * `acknowledged`: the person was shown what recipients will not see, and lets it be sent. Without it a message that holds such
   * content is `conflict`.
   */
  approve(id: string, person: Person, acknowledged?: boolean): Promise<OutboxEntry>
  /** Another version of a message that waits, for the person to look at and approve. The message itself waits until then. */
  revise(id: string, how: Version['how'], person: Person, signal: AbortSignal): Promise<OutboxEntry>
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

/** All of a message, for a person at a terminal. */
export interface ShownLetter extends PresentedParts {
  readonly entry: OutboxEntry
  /** Whose mail its caller has read within a day: addresses, those read most often first. */
  readonly readers: readonly string[]
  /** And that of others, whose names were forgotten or never known. */
  readonly unknownReaders: boolean
}
