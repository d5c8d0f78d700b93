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
  const counts = new Map<Level, number>()
  for (const level of levels) counts.set(level, (counts.get(level) ?? 0) + 1)
  return sumLevels(counts, visibleFrom)
}

/** The same, where it is known already how many messages have each level. */
export function sumLevels(counts: ReadonlyMap<Level, number>, visibleFrom: Level): LevelCounts {
  let total = 0
  let visible = 0
  for (const [level, count] of counts) {
    total += count
    if (atLeast(level, visibleFrom)) visible += count
  }
  return { total, visible, hidden: total - visible, byLevel: Object.fromEntries(counts) }
}
