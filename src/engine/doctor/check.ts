/** One thing that is looked at: a row of the table of checks. */
import type { Finding } from './finding.ts'
import type { World } from './world.ts'

export interface Check {
  /** One word, the same for ever: scripts look for it. */
  readonly name: string
  /** For people: what it looks at. */
  readonly looksAt: string
  /** How long it may take; a few seconds when absent. */
  readonly patienceMs?: number
  /** Nothing at all where there is nothing to look at, or where another check tells of it. */
  run(world: World, signal: AbortSignal): Promise<readonly Finding[]>
}
