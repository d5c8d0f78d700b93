/**
 * The one judgement of whether a change would show a caller more of a message than it sees now.
 *
 * INVARIANT: what is not known now counts as hidden, and what is not known of later as shown whole.
 */
import type { Denial } from '../../core/decision/decide.ts'
import { atLeast, type Level } from '../../core/policy/level.ts'

export function rises(now: Level = 'NONE', later: Level = 'FULL'): boolean {
  return !atLeast(now, later)
}

/** The refusal, where it would. */
export function risingDenied(now: Level, later: Level): Denial | undefined {
  return rises(now, later) ? { kind: 'deny', reason: 'visibility_would_rise' } : undefined
}
