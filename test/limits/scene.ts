/** What the tests of limits and their processes share. */
import type { Caller } from '../../src/core/call/caller.ts'
import { ownerPolicy } from '../../src/core/policy/policy.ts'

export function callerWith(limits: NonNullable<Caller['limits']>, id = 'tester'): Caller {
  return { id, address: 'stdio', policy: ownerPolicy(false), limits }
}
