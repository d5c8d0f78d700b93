/**
 * How long which file stays, by the date in its name.
 *
 * INVARIANT: the newest file is never touched, and only the oldest ones are deleted, so that what is left is one chain.
 * The days that count are those which the log itself has closed: a clock that jumps years ahead ages nothing until a
 * day has ended there too.
 */
import { DAY_MS, dayAfter } from './day.ts'

export interface Retention {
  /** Days as plain text, then compressed. */
  readonly hotDays: number
  /** Further days as a compressed file. */
  readonly warmDays: number
  /** No file is deleted before it is so old. */
  readonly deleteAfterDays: number
}

export interface KeptFile {
  readonly day: string
  readonly compressed: boolean
  /** It ends with `eof_day`. */
  readonly closed: boolean
}

export interface RetentionPlan<File> {
  readonly compress: readonly File[]
  /** Oldest first. */
  readonly remove: readonly File[]
}

/** `files` are all there are, oldest first. */
export function planRetention<File extends KeptFile>(
  files: readonly File[],
  today: string,
  { hotDays, warmDays, deleteAfterDays }: Retention,
): RetentionPlan<File> {
  const lastClosed = files.findLast(({ closed }) => closed)?.day
  if (lastClosed === undefined) return { compress: [], remove: [] }
  const reference = [today, dayAfter(lastClosed)].sort()[0] ?? today
  const older = files.slice(0, -1)
  const isOver = ({ day }: File, days: number): boolean => ageInDays(day, reference) >= Math.max(days, 1)
  const longest = Math.max(deleteAfterDays, hotDays + warmDays)
  const kept = older.findIndex((file) => !file.closed || !isOver(file, longest))
  const remove = kept === -1 ? older : older.slice(0, kept)
  const compress = older.slice(remove.length).filter((file) => file.closed && !file.compressed && isOver(file, hotDays))
  return { compress, remove }
}

function ageInDays(day: string, reference: string): number {
  return Math.round((Date.parse(reference) - Date.parse(day)) / DAY_MS)
}
