/**
 * The line that begins a message in an mbox file: `From ada@example.org Thu Feb  1 10:12:13 2024`.
 *
 * Programs disagree about it, so it is recognised by what surrounds it too: a blank line before, a header after.
 */
import { parseDate } from '../../core/mime/date.ts'

const DAY = /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?\s/i
/** How Mozilla programs begin a message. */
const NOBODY = /^From -\s*$/
const TIME_OF_DAY = /\d{1,2}:\d{2}/
// A blank before the colon is old style, a byte order mark before the name an accident.
const FIELD = /^(?:\u00EF\u00BB\u00BF)?[!-9;-~]{1,200}[ \t]*:/
const MAX_LINE = 1000

export interface Surroundings {
  /** Whether the line before is blank, or this is the first one. */
  readonly afterBlank: boolean
  /** The line after. */
  readonly next: string
}

/** Whether a line that begins with `From ` begins a message. */
export function beginsMessage(line: string, { afterBlank, next }: Surroundings): boolean {
  if (line.length > MAX_LINE || !(FIELD.test(next) || next.startsWith('>From ') || next === '')) return false
  if (fullDate(line) !== undefined || NOBODY.test(line)) return afterBlank || FIELD.test(next)
  // No date we know: `From MAILER-DAEMON`, `From - 2024-02-01 10:12`. Prose has more words.
  return afterBlank && FIELD.test(next) && (TIME_OF_DAY.test(line) || line.trim().split(/\s+/).length <= 2)
}

/** When the line says that the message arrived, in seconds since 1970. */
export function fromLineTime(line: string): number | undefined {
  const ms = fullDate(line) ?? parseDate(line.replace(/^From \s*\S+\s+/, ''))
  // A time before 1970 is somebody's placeholder.
  return ms === undefined || ms <= 0 ? undefined : Math.floor(ms / 1000)
}

/** The date behind the sender, whose own text may hold blanks. */
function fullDate(line: string): number | undefined {
  const day = DAY.exec(line)
  return day === null ? undefined : parseDate(line.slice(day.index))
}
