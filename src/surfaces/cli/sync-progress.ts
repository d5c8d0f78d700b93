/** How far a sync has come, in one line. */
import { cleanLine } from '../../core/text/plain.ts'
import type { SyncProgress } from '../../engine/sync/progress.ts'
import { countText, durationText } from './import-progress.ts'

const BAR_WIDTH = 24
const NAME_WIDTH = 24
const FULL = '█'
const EMPTY = '░'

/** `work INBOX  ████░░░░  12,000 of 50,000  2,100/s  18 s left`, as much of it as fits. */
export function syncLine(progress: SyncProgress, columns: number): string {
  const [name, ...facts] = factsOf(progress)
  const said = [shortened(name ?? ''), ...facts]
  const drawn = [shortened(name ?? ''), bar(progress), ...facts]
  const fits = (pieces: readonly string[]): boolean => pieces.join('  ').length < columns
  while (said.length > 2 && !fits(said)) said.pop()
  return (fits(drawn) ? drawn : said).join('  ').slice(0, Math.max(1, columns - 1))
}

/** The same for a log, where nothing is redrawn. */
export function syncNote(progress: SyncProgress): string {
  return factsOf(progress).join(', ')
}

/** A folder's name is somebody else's text: one line of it, and nothing that moves a cursor. */
export function folderName(mailbox: string): string {
  return cleanLine(mailbox).text
}

function factsOf({ account, mailbox, phase, done, total, perSecond, secondsLeft }: SyncProgress): string[] {
  return [
    `${account} ${folderName(mailbox)}`,
    `${countText(done)} of ${countText(total)} ${phase === 'headers' ? 'fetched' : 'indexed'}`,
    ...(perSecond > 0 ? [`${countText(Math.round(perSecond))}/s`] : []),
    ...(secondsLeft === undefined || secondsLeft < 1 ? [] : [`${durationText(secondsLeft)} left`]),
  ]
}

function shortened(name: string): string {
  const characters = [...name]
  return characters.length <= NAME_WIDTH ? name : `${characters.slice(0, NAME_WIDTH - 1).join('')}…`
}

function bar({ done, total }: SyncProgress): string {
  const full = Math.round((total === 0 ? 1 : Math.min(1, done / total)) * BAR_WIDTH)
  return FULL.repeat(full) + EMPTY.repeat(BAR_WIDTH - full)
}
