/**
 * How often a caller may call: by what the configuration says of it, and by what the tool set says of everyone.
 *
 * INVARIANT: a call that cannot be counted is refused. A refused call uses up nothing.
 */
import type { Caller } from '../../core/call/caller.ts'
import type { SetLimits } from '../../core/call/limits.ts'
import { Failure } from '../../core/failure.ts'
import type { CallCounter, CallTally, CallWindow } from '../../ports/call-counter.ts'
import type { Clock } from '../../ports/clock.ts'

export interface Limits {
  /** Counts the call and resolves with 0, or with the milliseconds after which it may be tried again. */
  admit(caller: Caller, tool: string, limits: SetLimits | undefined): Promise<number>
}

export const unlimited: Limits = { admit: async () => 0 }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export function createLimits(counter: CallCounter, clock: Clock): Limits {
  return {
    async admit(caller, tool, limits) {
      const tallies = [...talliesOf(caller), ...(limits === undefined ? [] : setTallies(caller, tool, limits))]
      if (tallies.length === 0) return 0
      try {
        return await counter.take(tallies, clock.now())
      } catch (error) {
        throw cannotCount(error)
      }
    },
  }
}

function talliesOf({ id, limits }: Caller): readonly CallTally[] {
  const windows = [
    ...(limits?.perMinute === undefined ? [] : [minute(limits.perMinute)]),
    ...(limits?.perHour === undefined ? [] : [{ lengthMs: HOUR_MS, most: limits.perHour }]),
  ]
  return windows.length === 0 ? [] : [{ name: id, windows }]
}

/** Apart from the caller's own: a blank stands in no caller's id. */
function setTallies(
  { id }: Caller,
  tool: string,
  { set, perMinute, perHour, perTool }: SetLimits,
): readonly CallTally[] {
  const most = perTool[tool]
  return [
    { name: `${id} ${set}`, windows: [minute(perMinute), { lengthMs: HOUR_MS, most: perHour }] },
    ...(most === undefined ? [] : [{ name: `${id} ${set} ${tool}`, windows: [minute(most)] }]),
  ]
}

function minute(most: number): CallWindow {
  return { lengthMs: MINUTE_MS, most }
}

function cannotCount(cause: unknown): Failure {
  if (cause instanceof Failure && cause.code === 'unavailable') return cause
  return new Failure('unavailable', 'the call was refused because it could not be counted against its limits', {
    cause,
    stage: 'limits',
  })
}
