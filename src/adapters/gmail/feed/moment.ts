/**
 * A place in time as a folder's `modseq`: where Gmail's history was, and behind it, in nine digits, how often `\Deleted` was put
 * on or taken off in the folder, which Gmail knows nothing of.
 *
 * INVARIANT: both only ever grow, and so does the number that they make.
 */
export interface Moment {
  readonly history: string
  readonly marks: number
}

const DIGITS = 9
const MODSEQ = new RegExp(`^(\\d+)(\\d{${DIGITS}})$`)

export function modseqOf({ history, marks }: Moment): string {
  return `${history}${String(marks).padStart(DIGITS, '0')}`
}

export function momentOf(modseq: string | undefined): Moment | undefined {
  const [, history, marks] = MODSEQ.exec(modseq ?? '') ?? []
  return history === undefined ? undefined : { history, marks: Number(marks) }
}
