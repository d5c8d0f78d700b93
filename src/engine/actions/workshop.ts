/** What an action works with: the accounts, the tools of the trade, and the moment at which it must stop. */
import type { ActionKind, ActionOf, ResultOf } from '../../core/action.ts'
import type { Policy } from '../../core/policy/policy.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ContentReader } from '../../ports/content-reader.ts'
import type { Seal } from '../../ports/seal.ts'
import type { Accounts } from './accounts.ts'

export interface Workshop {
  readonly accounts: Accounts
  readonly content: ContentReader
  readonly seal: Seal
  readonly clock: Clock
  /** What the caller may know of. */
  readonly policy: Policy
  readonly signal: AbortSignal
}

export type Perform<K extends ActionKind> = (action: ActionOf<K>, workshop: Workshop) => Promise<ResultOf<K>>
