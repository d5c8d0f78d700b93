/** Days before and after now, as people and calendars write them. All times are UTC. */
const DAY_MS = 86_400_000

/** Midnight of the day that lies so many days away; negative is past. */
export function dayFrom(now: number, days: number): Date {
  return new Date(Math.floor(now / DAY_MS + days) * DAY_MS)
}

/** The same day, or the Friday before a weekend. */
export function workdayFrom(now: number, days: number): Date {
  const weekday = dayFrom(now, days).getUTCDay()
  return dayFrom(now, days - (weekday === 6 ? 1 : weekday === 0 ? 2 : 0))
}

/**
 * Text with its days filled in, so that letters and bookings name the same ones: `{date 24}` and `{workdate 9}` are
 * `3 May`, `{weekday -60}` and `{veckodag -5}` name a working day, `{week 60}` is the number of its week.
 */
export function fillDays(text: string, now: number): string {
  return text.replace(/\{(date|workdate|weekday|veckodag|week) (-?\d+)\}/g, (_whole, kind: string, days: string) => {
    const date = kind === 'date' ? dayFrom(now, Number(days)) : workdayFrom(now, Number(days))
    if (kind === 'week') return String(weekOf(date))
    if (kind === 'weekday') return WEEKDAYS[date.getUTCDay()] ?? ''
    if (kind === 'veckodag') return VECKODAGAR[date.getUTCDay()] ?? ''
    return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
  })
}

/** By ISO 8601: a week belongs to the year of its Thursday. */
export function weekOf(date: Date): number {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * DAY_MS)
  return Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / (7 * DAY_MS)) + 1
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const VECKODAGAR = ['söndag', 'måndag', 'tisdag', 'onsdag', 'torsdag', 'fredag', 'lördag']

/** `3 May 2024` */
export function dayText(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

export function monthText(date: Date): string {
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

export interface Event {
  readonly uid: string
  readonly method: 'REQUEST' | 'PUBLISH' | 'CANCEL'
  readonly summary: string
  readonly location: string
  readonly organizer: string
  readonly day: Date
  /** Hours of the day. */
  readonly from: number
  readonly until: number
}

export function icsText({ uid, method, summary, location, organizer, day, from, until }: Event): string {
  const time = (hour: number): string =>
    new Date(day.getTime() + Math.round(hour * 60) * 60_000).toISOString().replace(/[-:]|\.000/g, '')
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Postern//Demo//EN',
    `METHOD:${method}`,
    'BEGIN:VEVENT',
    `UID:${uid}@lindqvist.example`,
    `DTSTAMP:${time(0)}`,
    `DTSTART:${time(from)}`,
    `DTEND:${time(until)}`,
    `SUMMARY:${summary}`,
    `LOCATION:${location}`,
    `ORGANIZER:mailto:${organizer}`,
    'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:maya@lindqvist.example',
    `STATUS:${method === 'CANCEL' ? 'CANCELLED' : 'CONFIRMED'}`,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\n')
}
