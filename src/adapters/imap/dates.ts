/** Times as IMAP servers write them. */
import { MONTHS } from './wire/command.ts'

const INTERNALDATE =
  /^ ?([0-9]{1,2})-([A-Za-z]{3})-([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) ([+-])([0-9]{2})([0-9]{2})$/

/** Seconds since 1970; undefined for what is no date. */
export function parseInternalDate(text: string): number | undefined {
  const [, day, monthName = '', year, hour, minute, second, sign, zoneHours, zoneMinutes] =
    INTERNALDATE.exec(text) ?? []
  const month = MONTHS.findIndex((name) => name.toLowerCase() === monthName.toLowerCase())
  if (month === -1) return undefined
  const local = Date.UTC(Number(year), month, Number(day), Number(hour), Number(minute), Number(second)) / 1000
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60
  return sign === '-' ? local + offset : local - offset
}

/** `YYYY-MM-DD` so many days later, within the years that IMAP can write. */
export function addDays(iso: string, days: number): string {
  const moment = new Date(Date.parse(`${iso}T00:00:00Z`) + days * 86_400_000)
  if (Number.isNaN(moment.getTime())) return iso
  const year = moment.getUTCFullYear()
  if (year < 1) return '0001-01-01'
  return year > 9999 ? '9999-12-31' : moment.toISOString().slice(0, 10)
}
