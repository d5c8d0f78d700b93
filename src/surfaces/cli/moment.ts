/** A moment as people write it: a day, a time, or how long ago. In UTC where nothing else is said, like the record. */
import { Failure } from '../../core/failure.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const AGE = /^(\d{1,6})([smhdw])$/
const DAY = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/

/** Milliseconds since 1970. A day counts from its start, or up to its `end`. */
export function momentOf(text: string, now: number, edge: 'start' | 'end'): number {
  const [, amount, unit] = AGE.exec(text) ?? []
  const moment = unit === undefined ? calendarMoment(text, edge) : now - Number(amount) * (UNITS[unit] ?? Number.NaN)
  if (!Number.isNaN(moment)) return moment
  throw new Failure(
    'invalid_input',
    'a time is written as 2026-05-06, 2026-05-06T10:00Z or an age such as 90s, 15m, 2h, 3d, 1w',
  )
}

function calendarMoment(text: string, edge: 'start' | 'end'): number {
  if (DAY.test(text)) return Date.parse(text) + (edge === 'end' ? 86_400_000 : 0)
  const [, , , zone] = TIME.exec(text) ?? []
  return TIME.test(text) ? Date.parse(zone === undefined ? `${text}Z` : text) : Number.NaN
}
