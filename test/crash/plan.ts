/** What a round is to be, and what became of it. */
import type { JournalReader } from './journal-reader.ts'
import type { Place } from './place.ts'
import type { Passed, Point } from './proxy.ts'

export type Side = 'source' | 'destination'

export type Blow =
  /** The built program, at a point of one of the dialogues. */
  | { readonly kind: 'dialogue'; readonly side: Side; readonly point: Point | undefined }
  /** The engine, at a mark; then, where there is a second one, whoever goes on with it at that mark. */
  | { readonly kind: 'mark'; readonly mark: number | undefined; readonly second?: number }
  /** The built program, logged in to both servers before it is asked, after so long; not at all where that is absent. */
  | { readonly kind: 'moment'; readonly ms: number | undefined }

/**
 * Who comes afterwards: one process, two at the same time, one whose agent asks for the same again at once, or one that is
 * killed too while another stands by.
 */
export type Recovery = 'one' | 'two' | 'again' | 'heir'

export interface Plan {
  readonly number: number
  readonly operation: 'move' | 'copy'
  readonly count: number
  readonly blow: Blow
  readonly recovery: Recovery
}

export interface Ending {
  readonly plan: Plan
  /** Whether the blow fell before the work was done. */
  readonly struck: boolean
  /** What the transfers had become when the blow fell. */
  readonly at: string
  /** Of an engine that lived to the end. */
  readonly marks: readonly string[]
  /** What had been said to the servers by then. */
  readonly said: Readonly<Record<Side, readonly Passed[]>>
  readonly looks: number
  /** From the question to its answer or to the end of whoever was asked. */
  readonly askedMs: number
  /** What is wrong; nothing, if all is well. */
  readonly faults: readonly string[]
}

/** What lives from one round to the next. */
export interface Setting {
  readonly place: Place
  readonly dataDir: string
  readonly journal: JournalReader
}
