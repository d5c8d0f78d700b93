/** Who is asking. Fixed when a connection is accepted; nothing a caller sends later changes it. */
import type { Policy } from '../policy/policy.ts'

export interface Caller {
  readonly id: string
  /** Where the call came from, for the record: `stdio` or an address. */
  readonly address: string
  readonly policy: Policy
  /** How often it may call; as often as it likes where there are none. */
  readonly limits?: { readonly perMinute?: number; readonly perHour?: number }
}
