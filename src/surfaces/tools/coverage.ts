/** What an answer rests on, in words that every set uses. */
import type { Coverage } from '../../core/mirror/state.ts'

export function shownCoverage(coverage: Coverage): Record<string, unknown> {
  const { source, complete, asOf } = coverage
  const notes = notesOf(coverage)
  return { source, complete, ...(notes.length > 0 && { notes }), ...(asOf !== undefined && { as_of: asOf }) }
}

/** What was not looked at, each as a clause. */
export function notesOf({ notes, partial = 0 }: Coverage): readonly string[] {
  if (partial === 0) return notes
  const which = partial === 1 ? '1 message has' : `${partial} messages have`
  return [
    ...notes,
    `${which} more text than is searched (1 MiB of visible text each); words further down are not found`,
  ]
}
