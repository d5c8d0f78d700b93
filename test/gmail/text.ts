/** How values are written in answers. All text has one character for each byte. */

export function quoted(text: string): string {
  return /^[ -~]*$/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : literal(text)
}

export function literal(text: string): string {
  return `{${text.length}}\r\n${text}`
}

export function nilOr(text: string | undefined): string {
  return text === undefined ? 'NIL' : quoted(text)
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export function internalDate(seconds: number): string {
  const [date = '', time = ''] = new Date(seconds * 1000).toISOString().split(/[T.]/)
  const [year, month, day] = date.split('-')
  return `"${day}-${MONTHS[Number(month) - 1]}-${year} ${time} +0000"`
}

/** `1-Jan-2024` or `01-Jan-2024 12:00:00 +0100` as seconds since 1970. */
export function parseDate(text: string): number | undefined {
  const shape = /^ ?([0-9]{1,2})-([A-Za-z]{3})-([0-9]{4})(?: ([0-9:]{8}) ([+-][0-9]{4}))?$/
  const [, day, month = '', year, clock = '00:00:00', zone = '+0000'] = shape.exec(text) ?? []
  const index = MONTHS.findIndex((name) => name.toLowerCase() === month.toLowerCase())
  if (day === undefined || index === -1) return undefined
  const number = (value: number): string => String(value).padStart(2, '0')
  const iso = `${year}-${number(index + 1)}-${number(Number(day))}T${clock}${zone.slice(0, 3)}:${zone.slice(3)}`
  return Number.isNaN(Date.parse(iso)) ? undefined : Date.parse(iso) / 1000
}
