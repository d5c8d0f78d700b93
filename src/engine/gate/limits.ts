/**
 * How often a caller may call. Environment accounts have no limits; callers of a configuration tree may have some.
 *
 * INVARIANT: a call that cannot be counted is refused. A refused call uses up nothing.
 */
import type { Caller } from '../../core/call/caller.ts'
import { Failure } from '../../core/failure.ts'
import type { CallCounter, CallWindow } from '../../ports/call-counter.ts'
import type { Clock } from '../../ports/clock.ts'

export interface Limits {
  /** Counts the call and says whether it may go on. */
  admit(caller: Caller): Promise<boolean>
}

export const unlimited: Limits = { admit: async () => true }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export function createLimits(counter: CallCounter, clock: Clock): Limits {
  return {
    async admit(caller) {
      const windows = windowsOf(caller)
      if (windows.length === 0) return true
      try {
        return await counter.take(caller.id, windows, clock.now())
      } catch (error) {
        throw cannotCount(error)
      }
    },
  }
}

function windowsOf({ limits }: Caller): readonly CallWindow[] {
  return [
    ...(limits?.perMinute === undefined ? [] : [{ lengthMs: MINUTE_MS, most: limits.perMinute }]),
    ...(limits?.perHour === undefined ? [] : [{ lengthMs: HOUR_MS, most: limits.perHour }]),
  ]
}

function cannotCount(cause: unknown): Failure {
  if (cause instanceof Failure && cause.code === 'unavailable') return cause
  return new Failure('unavailable', 'the call was refused because it could not be counted against its limits', {
    cause,
    stage: 'limits',
  })
}
