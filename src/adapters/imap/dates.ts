/** Times as IMAP servers write them. */
import { MONTHS } from './wire/command.ts'

const INTERNALDATE = /^[ 0-9]?[0-9]-[A-Za-z]{3}-[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} [+-][0-9]{4}$/
const ZERO = 0x30
const MONTH_OF = new Map(MONTHS.map((name, month) => [name.toLowerCase(), month]))

/** Seconds since 1970; undefined for what is no date. Comes in ten thousands, so nothing is cut out of it twice. */
export function parseInternalDate(text: string): number | undefined {
  if (!INTERNALDATE.test(text)) return undefined
  // Everything but the day has its place, counted from the end.
  const end = text.length
  const month = MONTH_OF.get(text.slice(end - 23, end - 20).toLowerCase())
  if (month === undefined) return undefined
  const [year, day] = [twoDigits(text, end - 19) * 100 + twoDigits(text, end - 17), Number(text.slice(0, end - 24))]
  const clock = [twoDigits(text, end - 14), twoDigits(text, end - 11), twoDigits(text, end - 8)] as const
  const local = Date.UTC(year, month, day, ...clock) / 1000
  const offset = (twoDigits(text, end - 4) * 60 + twoDigits(text, end - 2)) * 60
  return text[end - 5] === '-' ? local + offset : local - offset
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO
}

/** `YYYY-MM-DD` so many days later, within the years that IMAP can write. */
export function addDays(iso: string, days: number): string {
  const moment = new Date(Date.parse(`${iso}T00:00:00Z`) + days * 86_400_000)
  if (Number.isNaN(moment.getTime())) return iso
  const year = moment.getUTCFullYear()
  if (year < 1) return '0001-01-01'
  return year > 9999 ? '9999-12-31' : moment.toISOString().slice(0, 10)
}
