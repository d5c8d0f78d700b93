/** Who is asking. Fixed when a connection is accepted; nothing a caller sends later changes it. */

import type { UncertainChoice } from '../content.ts'
import type { Policy } from '../policy/policy.ts'

export interface Caller {
  readonly id: string
  /** Where the call came from, for the record: `stdio` or an address. */
  readonly address: string
  readonly policy: Policy
  /** How often it may call; as often as it likes where there are none. */
  readonly limits?: { readonly perMinute?: number; readonly perHour?: number }
  /** What it is given of text that a person may not see; `mark` where it does not say. */
  readonly uncertain?: UncertainChoice
}
