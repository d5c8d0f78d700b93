/** The machine's own time. */
import { performance } from 'node:perf_hooks'
import type { Clock } from '../../ports/clock.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
}
