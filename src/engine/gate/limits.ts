/** How often a caller may call. Environment accounts have no limits; callers of a configuration tree may have some. */
import type { Caller } from '../../core/call/caller.ts'

export interface Limits {
  /** Counts the call and says whether it may go on. */
  admit(caller: Caller): Promise<boolean>
}

export const unlimited: Limits = { admit: async () => true }
