/** How far an import has come, in one line. */
import type { ImportProgress } from '../../engine/import/tally.ts'

const BAR_WIDTH = 24
const FULL = '█'
const EMPTY = '░'

/** `████░░░░  37 %  3.7 of 10.0 GB  52,310 messages  2,100/s  3 min left`, as much of it as fits. */
export function progressLine(progress: ImportProgress, columns: number): string {
  const pieces = [bar(progress), ...facts(progress)]
  while (pieces.length > 2 && pieces.join('  ').length >= columns) pieces.splice(pieces.length > 3 ? 1 : 0, 1)
  return pieces.join('  ').slice(0, Math.max(1, columns - 1))
}

/** The same for a log, where nothing is redrawn. */
export function progressNote(progress: ImportProgress): string {
  return facts(progress).join(', ')
}

function facts(progress: ImportProgress): string[] {
  const { bytesDone, bytesTotal, messages, perSecond, secondsLeft } = progress
  return [
    `${Math.floor(share(progress) * 100)} %`,
    `${bytesText(bytesDone)} of ${bytesText(bytesTotal)}`,
    `${countText(messages)} messages`,
    ...(perSecond > 0 ? [`${countText(Math.round(perSecond))}/s`] : []),
    ...(secondsLeft === undefined || secondsLeft < 1 ? [] : [`${durationText(secondsLeft)} left`]),
  ]
}

function bar(progress: ImportProgress): string {
  const full = Math.round(share(progress) * BAR_WIDTH)
  return FULL.repeat(full) + EMPTY.repeat(BAR_WIDTH - full)
}

function share({ bytesDone, bytesTotal }: ImportProgress): number {
  return bytesTotal === 0 ? 1 : Math.min(1, bytesDone / bytesTotal)
}

export function countText(count: number): string {
  return count.toLocaleString('en-US')
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

export function bytesText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}

export function durationText(seconds: number): string {
  if (seconds < 1) return 'under a second'
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}
