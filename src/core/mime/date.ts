/**
 * Dates as mail writes them (RFC 5322 with its obsolete forms) and as we write them.
 *
 * INVARIANT: pure arithmetic, no clock, no local time zone; never throws. What is no date is undefined, never another one.
 */
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const ZONES = new Map(
  Object.entries({
    ut: 0,
    utc: 0,
    gmt: 0,
    z: 0,
    est: -5,
    edt: -4,
    cst: -6,
    cdt: -5,
    mst: -7,
    mdt: -6,
    pst: -8,
    pdt: -7,
  }),
)

const MAX_LENGTH = 200

// `Mon, 26 Feb 2024 10:30:00 +0100`; the day's name, the seconds and the zone may be missing.
const MAIL =
  /^(?:[a-z]{3,9}\.?,?\s*)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*\.?[\s-]+(\d{2,4})[\s,]+(\d{1,2})\s*[:.]\s*(\d{2})(?:\s*[:.]\s*(\d{2}))?\s*(\S*)/i
// `Mon Feb 26 10:30:00 2024`, with a zone before or after the year.
const CTIME =
  /^(?:[a-z]{3,9},?\s+)?([a-z]{3})[a-z]*\s+(\d{1,2}),?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s+(?:([a-z]{1,4}|[+-]\d{4})\s+)?(\d{4})(?:\s+([a-z]{1,4}|[+-]\d{4}))?/i
// `2024-02-26T10:30:00Z`
const ISO = /^(\d{4})-(\d{2})-(\d{2})[t\s]+(\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d{1,9})?\s*(\S*)/i

/** Milliseconds since 1970. */
export function parseDate(value: string): number | undefined {
  const text = withoutComments(value.slice(0, MAX_LENGTH)).trim()
  const mail = MAIL.exec(text)
  if (mail) return assemble(mail[3], monthOf(mail[2]), mail[1], [mail[4], mail[5], mail[6]], mail[7])
  const ctime = CTIME.exec(text)
  if (ctime)
    return assemble(ctime[7], monthOf(ctime[1]), ctime[2], [ctime[3], ctime[4], ctime[5]], ctime[6] ?? ctime[8])
  const iso = ISO.exec(text)
  return iso ? assemble(iso[1], Number(iso[2]) - 1, iso[3], [iso[4], iso[5], iso[6]], iso[7]) : undefined
}

const FIRST = Date.UTC(0, 0, 1) // the year 1900
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59)

/** `2024-02-26T10:30:00Z`; times beyond the years 1900 to 9999 become the nearest of them. */
export function isoSeconds(ms: number): string {
  const within = Math.min(Math.max(Number.isNaN(ms) ? 0 : ms, FIRST), LAST)
  return `${new Date(within).toISOString().slice(0, 19)}Z`
}

type Digits = string | undefined

function assemble(year: Digits, month: number, day: Digits, [h, m, s]: Digits[], zone: Digits): number | undefined {
  const [full, days, hours, minutes] = [fullYear(year ?? ''), Number(day), Number(h), Number(m)]
  const seconds = Math.min(Number(s ?? 0), 59) + (Number(s ?? 0) > 60 ? Number.NaN : 0)
  if (month < 0 || month > 11 || hours > 23 || minutes > 59 || Number.isNaN(seconds) || full < 1900) return undefined
  const local = Date.UTC(full, month, days, hours, minutes, seconds)
  // Date.UTC takes the 31st of February for a day in March.
  if (days < 1 || new Date(local).getUTCDate() !== days) return undefined
  const ms = local - offsetMinutes(zone ?? '') * 60_000
  return ms >= FIRST && ms <= LAST ? ms : undefined
}

/** Two digits are of 1950 to 2049, three are counted from 1900 (RFC 5322, 4.3). */
function fullYear(digits: string): number {
  const year = Number(digits)
  if (digits.length === 2) return year < 50 ? year + 2000 : year + 1900
  return digits.length === 3 ? year + 1900 : year
}

function monthOf(name: Digits): number {
  return MONTHS.indexOf((name ?? '').toLowerCase())
}

/** A zone nobody knows says nothing: the time is taken as universal time. */
function offsetMinutes(zone: string): number {
  const digits = /^(?:gmt|utc?)?([+-])(\d{2}):?(\d{2})/i.exec(zone)
  if (!digits) return (ZONES.get(zone.toLowerCase()) ?? 0) * 60
  const [, sign, hours = '', minutes = ''] = digits
  const offset = Number(hours) * 60 + Number(minutes)
  if (offset > 24 * 60) return 0
  return sign === '-' ? -offset : offset
}

function withoutComments(text: string): string {
  const kept: string[] = []
  let depth = 0
  for (const character of text) {
    if (character === '(') depth++
    else if (character === ')') depth = Math.max(0, depth - 1)
    else if (depth === 0) kept.push(character)
  }
  return kept.join('')
}
