/**
 * `postern import PATH --account ID`: fills a local account from mbox, Maildir or .eml.
 *
 * INVARIANT: what is for people while it runs goes to the screen (stderr); what happened goes to `print`.
 */
import type { ImportProgress, ImportSummary } from '../../engine/import/tally.ts'
import { bytesText, countText, durationText, progressLine, progressNote } from './import-progress.ts'

export interface Screen {
  readonly isTerminal: boolean
  readonly columns: number
  write(text: string): void
}

export interface ImportCommand {
  readonly path: string
  readonly account: string
  readonly screen: Screen
  print(line: string): void
  /** Milliseconds that only ever grow. */
  elapsed(): number
  /** The import itself, bound to its archive, mailbox and signal. */
  run(onProgress: (progress: ImportProgress) => void): Promise<ImportSummary>
}

const REDRAW_MS = 100
const NOTE_MS = 5000
const MOST_MAILBOXES = 20
const ERASE_LINE = '\r\u001B[2K'

/** A `Failure` goes on to whoever called, after the line it interrupts was cleared. */
export async function importCommand({ path, account, screen, print, elapsed, run }: ImportCommand): Promise<void> {
  const show = throttled(screen, elapsed)
  try {
    const summary = await run(show)
    if (screen.isTerminal) screen.write(ERASE_LINE)
    for (const line of summaryLines(path, account, summary)) print(line)
  } catch (error) {
    if (screen.isTerminal) screen.write(ERASE_LINE)
    throw error
  }
}

function throttled(screen: Screen, elapsed: () => number): (progress: ImportProgress) => void {
  const wait = screen.isTerminal ? REDRAW_MS : NOTE_MS
  let shown = screen.isTerminal ? Number.NEGATIVE_INFINITY : elapsed()
  return (progress) => {
    if (elapsed() - shown < wait) return
    shown = elapsed()
    screen.write(
      screen.isTerminal ? ERASE_LINE + progressLine(progress, screen.columns) : `${progressNote(progress)}\n`,
    )
  }
}

export function summaryLines(path: string, account: string, summary: ImportSummary): string[] {
  const { read, added, duplicates, deleted, unreadable, mailboxes, resumedBytes, bytes, seconds } = summary
  const took = `${bytesText(bytes)} in ${durationText(seconds)}`
  return [
    ...(resumedBytes > 0 ? [`Went on after ${bytesText(resumedBytes)} that an earlier run had imported.`] : []),
    `Imported ${messagesText(added)} from ${path} into account ${account} (${took}).`,
    ...mailboxLines(mailboxes),
    ...(duplicates > 0
      ? [`${countText(duplicates)} of ${countText(read)} were there already and were left as they are.`]
      : []),
    ...(deleted > 0 ? [`${messagesText(deleted)} had been deleted before and were left out.`] : []),
    ...[...unreadable].map(([reason, count]) => `Left out: ${reason} (${countText(count)}).`),
  ]
}

/** The fullest first, and no more of them than a screen shows. */
function mailboxLines(mailboxes: ImportSummary['mailboxes']): string[] {
  const sorted = [...mailboxes].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
  const shown = sorted.slice(0, MOST_MAILBOXES).map(([name, count]) => `  ${name}: ${countText(count)}`)
  const left = sorted.length - shown.length
  return left > 0 ? [...shown, `  and ${countText(left)} more`] : shown
}

function messagesText(count: number): string {
  return count === 1 ? '1 message' : `${countText(count)} messages`
}
