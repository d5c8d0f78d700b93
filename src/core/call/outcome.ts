/** How an action ended: carried out, refused by policy, or failed. Every tool renders all three. */
import type { ActionKind, ResultOf } from '../action.ts'
import type { Allowance, Denial } from '../decision/decide.ts'
import type { Failure } from '../failure.ts'

export interface Timing {
  /** ISO 8601 with milliseconds, when the answer was made. */
  readonly nowUtc: string
  readonly durationMs: number
}

export type Ending<K extends ActionKind> =
  | {
      readonly kind: 'done'
      readonly result: ResultOf<K>
      readonly redacted: readonly string[]
      readonly allowance: Allowance
    }
  | { readonly kind: 'denied'; readonly denial: Denial }
  /** Without an allowance where it failed before it could be decided. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly allowance: Allowance | undefined }

export type Outcome<K extends ActionKind = ActionKind> = Ending<K> & { readonly timing: Timing }
