/** Counts what an import has done, and reckons how long it will still take. */
import type { Clock } from '../../ports/clock.ts'
import type { ArchiveSource } from '../../ports/mail-archive.ts'
import type { Batch } from './batch.ts'

export interface ImportProgress {
  readonly bytesDone: number
  readonly bytesTotal: number
  /** Messages read in this run, whether they were new or not. */
  readonly messages: number
  readonly perSecond: number
  /** Absent until there is anything to reckon from. */
  readonly secondsLeft: number | undefined
}

export interface ImportSummary {
  /** Messages read in this run. */
  readonly read: number
  readonly added: number
  /** Read, and already in every mailbox they belong to. */
  readonly duplicates: number
  /** Deleted by their owner before, so left out. */
  readonly deleted: number
  /** How many could not be read, by reason. */
  readonly unreadable: ReadonlyMap<string, number>
  /** How many came new into each mailbox. */
  readonly mailboxes: ReadonlyMap<string, number>
  /** What an earlier run that was stopped had done already. */
  readonly resumedBytes: number
  readonly bytes: number
  readonly seconds: number
}

export class Tally {
  readonly #clock: Clock
  readonly #started: number
  readonly #bytesTotal: number
  readonly #unreadable = new Map<string, number>()
  readonly #mailboxes = new Map<string, number>()
  /** Bytes of sources that are finished, and of the one that is being read. */
  #bytesBefore = 0
  #bytesHere = 0
  #resumed = 0
  #read = 0
  #added = 0
  #deleted = 0

  constructor(clock: Clock, sources: readonly ArchiveSource[]) {
    this.#clock = clock
    this.#started = clock.elapsed()
    this.#bytesTotal = sources.reduce((sum, source) => sum + source.bytes, 0)
  }

  begin(resumedBytes: number): void {
    this.#bytesHere = resumedBytes
    this.#resumed += resumedBytes
  }

  stored(batch: Batch, added: readonly boolean[], bytesHere: number): void {
    const fresh = new Set(batch.messageOf.filter((_message, at) => added[at]))
    this.#read += batch.messages
    this.#added += fresh.size
    this.#deleted += batch.deleted
    for (const [at, { mailbox }] of batch.filings.entries()) if (added[at]) increase(this.#mailboxes, mailbox)
    for (const reason of batch.unreadable) increase(this.#unreadable, reason)
    this.#bytesHere = bytesHere
  }

  finish(sourceBytes: number): void {
    this.#bytesBefore += sourceBytes
    this.#bytesHere = 0
  }

  progress(): ImportProgress {
    const seconds = this.#seconds()
    const bytesDone = this.#bytesBefore + this.#bytesHere
    const speed = seconds > 0 ? (bytesDone - this.#resumed) / seconds : 0
    return {
      bytesDone,
      bytesTotal: this.#bytesTotal,
      messages: this.#read,
      perSecond: seconds > 0 ? this.#read / seconds : 0,
      secondsLeft: speed > 0 ? (this.#bytesTotal - bytesDone) / speed : undefined,
    }
  }

  summary(): ImportSummary {
    return {
      read: this.#read,
      added: this.#added,
      duplicates: this.#read - this.#added,
      deleted: this.#deleted,
      unreadable: this.#unreadable,
      mailboxes: this.#mailboxes,
      resumedBytes: this.#resumed,
      bytes: this.#bytesTotal,
      seconds: this.#seconds(),
    }
  }

  #seconds(): number {
    return (this.#clock.elapsed() - this.#started) / 1000
  }
}

function increase(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
