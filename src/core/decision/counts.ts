/**
 * How many messages a caller sees, and how many it does not.
 *
 * INVARIANT: the numbers add up. By level they make the total, and so do visible and hidden.
 */
import { atLeast, type Level } from '../policy/level.ts'

export interface LevelCounts {
  readonly total: number
  readonly visible: number
  readonly hidden: number
  /** Only levels that some message has. */
  readonly byLevel: Readonly<Partial<Record<Level, number>>>
}

/** `visibleFrom` is the level from which a message counts as visible. */
export function countLevels(levels: Iterable<Level>, visibleFrom: Level): LevelCounts {
  const byLevel: Partial<Record<Level, number>> = {}
  let total = 0
  let visible = 0
  for (const level of levels) {
    byLevel[level] = (byLevel[level] ?? 0) + 1
    total += 1
    if (atLeast(level, visibleFrom)) visible += 1
  }
  return { total, visible, hidden: total - visible, byLevel }
}
