/** What an answer rests on, in words that every set uses. */
import type { Coverage } from '../../core/mirror/state.ts'

export function shownCoverage({ source, complete, notes, asOf }: Coverage): Record<string, unknown> {
  return { source, complete, ...(notes.length > 0 && { notes }), ...(asOf !== undefined && { as_of: asOf }) }
}
