/** Days, ages and sizes as they are written in a query. Undefined where something else is written. */

export const DAY_EXAMPLES = '2024/01/31, 2024-01-31 or seconds since 1970 (9 digits or more)'
export const AGE_EXAMPLES = '12h, 7d, 2w, 6m (of 30 days) or 1y (of 365 days)'
export const SIZE_EXAMPLES = '50000 (bytes), 500K, 10M or 1G'

const DAY = /^([0-9]{4})([/-])([0-9]{1,2})\2([0-9]{1,2})$/
/** Fewer digits are a year or a day without its slashes, and never the moment that was meant. */
const SECONDS = /^-?[0-9]{9,13}$/
const AGE = /^([0-9]{1,5})([hdwmy])$/i
const SIZE = /^([0-9]{1,16})([kmg]?)b?$/i

const HOUR = 3_600
const DAY_SECONDS = 24 * HOUR
const UNITS: Readonly<Record<string, number>> = {
  h: HOUR,
  d: DAY_SECONDS,
  w: 7 * DAY_SECONDS,
  m: 30 * DAY_SECONDS,
  y: 365 * DAY_SECONDS,
}
const TIMES: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** In seconds since 1970: the first one of a day, or the very one. */
export function readMoment(text: string): number | undefined {
  if (SECONDS.test(text)) return Number(text) + 0
  const [, year, , month, day] = DAY.exec(text) ?? []
  return year === undefined ? undefined : startOfDay(Number(year), Number(month), Number(day))
}

export function writeMoment(seconds: number): string {
  const digits = String(Math.abs(seconds)).padStart(9, '0')
  return seconds < 0 ? `-${digits}` : digits
}

/** In seconds. */
export function readAge(text: string): number | undefined {
  const [, count, unit = ''] = AGE.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (UNITS[unit.toLowerCase()] ?? 0)
}

/** In bytes. */
export function readSize(text: string): number | undefined {
  const [, count, unit = ''] = SIZE.exec(text) ?? []
  const bytes = Number(count) * (TIMES[unit.toLowerCase()] ?? 1)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

function startOfDay(year: number, month: number, day: number): number | undefined {
  // Years below 100 would be taken for those of the last century.
  const date = new Date(Date.UTC(2000, 0, 1))
  date.setUTCFullYear(year, month - 1, day)
  const isThere = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isThere ? date.getTime() / 1000 : undefined
}
