/**
 * Moves the dates of a demo message by whole days, in its header, its text and its attachments.
 *
 * INVARIANT: only these forms are dates, all in UTC: `Wed, 20 May 2026 08:00:00 +0000`, `20260520T080000Z`, `2026-05-20`,
 * `20 May 2026`, `20 May` and `May 2026`. A message that names a date keeps it readable: not in base64, not across two lines.
 */
const DAY_MS = 86_400_000
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

const HEADER_DATE = /\b\w{3}, (\d\d \w{3} \d{4} \d\d:\d\d:\d\d) \+0000/
const MONTH = `(?<month>${MONTHS.join('|')})`
const DATES = new RegExp(
  [
    `\\b\\w{3}, (?<header>\\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d) \\+0000`,
    `\\b(?<digits>\\d{8})(?=T\\d{6}Z)`,
    `\\b(?<iso>\\d{4}-\\d\\d-\\d\\d)\\b`,
    `\\b(?<day>\\d{1,2}) ${MONTH}(?<year> \\d{4})?\\b`,
    `\\b${MONTH.replace('month', 'named')} (?<of>\\d{4})\\b`,
  ].join('|'),
  'g',
)

/** When a message arrived, in milliseconds since 1970: the date of its first header field that has one, which is Received or Date. */
export function arrivalOf(message: string): number {
  return Date.parse(`${HEADER_DATE.exec(message)?.[1]} GMT`)
}

export function shiftDates(message: string, days: number): string {
  const arrival = new Date(arrivalOf(message))
  const year = arrival.getUTCFullYear()
  return message.replaceAll(DATES, (...match) => {
    const date: Readonly<Record<string, string | undefined>> = match.at(-1)
    if (date['header'] !== undefined) {
      return moved(Date.parse(`${date['header']} GMT`), days)
        .toUTCString()
        .replace('GMT', '+0000')
    }
    if (date['iso'] !== undefined) return isoDay(moved(Date.parse(date['iso']), days))
    if (date['digits'] !== undefined) {
      const iso = date['digits'].replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3')
      return isoDay(moved(Date.parse(iso), days)).replaceAll('-', '')
    }
    if (date['named'] !== undefined) {
      return monthAsFarFrom(arrival, moved(arrival.getTime(), days), MONTHS.indexOf(date['named']), Number(date['of']))
    }
    const month = MONTHS.indexOf(date['month'] ?? '')
    const then = moved(Date.UTC(Number(date['year'] ?? year), month, Number(date['day'])), days)
    const named = `${then.getUTCDate()} ${MONTHS[then.getUTCMonth()]}`
    return date['year'] === undefined ? named : `${named} ${then.getUTCFullYear()}`
  })
}

function moved(time: number, days: number): Date {
  return new Date(time + days * DAY_MS)
}

function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}

/** A month without a day stays as many months before the message as it was: a receipt for April that came in April is for its own month. */
function monthAsFarFrom(before: Date, after: Date, month: number, year: number): string {
  const distance = (year - before.getUTCFullYear()) * 12 + month - before.getUTCMonth()
  const then = new Date(Date.UTC(after.getUTCFullYear(), after.getUTCMonth() + distance))
  return `${MONTHS[then.getUTCMonth()]} ${then.getUTCFullYear()}`
}
