/** What a search works with. */
import type { ContentReader } from '../../ports/content-reader.ts'
import type { Log } from '../../ports/log.ts'
import type { Sight } from '../sight/sight.ts'

export interface SearchDesk {
  /** What the caller may know of. */
  readonly sight: Sight
  readonly content: ContentReader
  readonly log: Log
  readonly signal: AbortSignal
}
