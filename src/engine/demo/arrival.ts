/**
 * When letters came: colleagues write in office hours, family in the evening, spam at any hour.
 *
 * INVARIANT: a letter comes before `now`, after what it answers, and on the day that its `days` name (an answer of the
 * same day on the day of what it answers; one that would lie after `now` a day earlier).
 */
import { dayFrom } from './calendar.ts'
import { Dice } from './dice.ts'
import type { Letter } from './letter.ts'
import { MAYA } from './people.ts'

const HOUR = 3600
const DAY = 86_400

/** Answers as close as this come on the same day. */
const SAME_DAY = 0.35

type Hours = readonly [from: number, until: number]

/** In UTC; Gothenburg is an hour or two ahead. */
const OFFICE: Hours = [7, 15.5]
const EVENING: Hours = [16, 20.5]
const PROGRAM: Hours = [5, 19]
const ANY: Hours = [0.5, 23]
/** Their afternoon. */
const FAR_EAST: Hours = [5, 8.5]

const HOURS: ReadonlyMap<string, Hours> = new Map([
  ...['elin', 'karin', 'olof', 'jonas', 'bea', MAYA].map((person) => [person, EVENING] as const),
  ...['bank', 'power', 'air', 'rail', 'matinee', 'loftbox', 'library', 'postmaster'].map(
    (program) => [program, PROGRAM] as const,
  ),
  ['grocer', [15, 18.5]],
  ['haruka', FAR_EAST],
  ['yuzhen', FAR_EAST],
])

/** Seconds since 1970 at which each letter came, by its id. */
export function arrivals(letters: readonly Letter[], now: number): ReadonlyMap<string, number> {
  const byId = new Map(letters.map((letter) => [letter.id, letter]))
  const times = new Map<string, number>()
  const timeOf = (letter: Letter): number => {
    const known = times.get(letter.id)
    if (known !== undefined) return known
    const answered = letter.answers === undefined ? undefined : byId.get(letter.answers)
    const time =
      answered === undefined
        ? timeOnItsDay(letter, now)
        : timeOfAnswer(letter, timeOnItsDay(letter, now), answered, timeOf(answered))
    times.set(letter.id, time)
    return time
  }
  for (const letter of letters) timeOf(letter)
  return times
}

function timeOnItsDay(letter: Letter, now: number): number {
  const dice = new Dice(`arrival of ${letter.id}`)
  const midnight = dayFrom(now, -letter.days).getTime() / 1000
  const [from, until] = hoursOf(letter)
  const hour = letter.at ?? from + dice.roll() * (until - from)
  const time = midnight + Math.floor(hour * 60) * 60 + dice.between(0, 59)
  return time < now / 1000 - 60 ? time : time - DAY
}

function timeOfAnswer(letter: Letter, own: number, answered: Letter, earlier: number): number {
  const dice = new Dice(`answer of ${letter.id}`)
  if (letter.from === 'postmaster') return earlier + dice.between(12, 40)
  const soon = earlier + dice.between(4 * 60, 25 * 60)
  if (letter.at !== undefined || answered.days - letter.days > SAME_DAY) return Math.max(own, soon)
  const [, until] = hoursOf(letter)
  const evening = Math.floor(earlier / DAY) * DAY + (until + 1) * HOUR
  const latest = Math.min(evening, earlier + (answered.days - letter.days) * DAY)
  return Math.max(soon, Math.floor(earlier + dice.roll() * (latest - earlier)))
}

/** Maya writes to colleagues when they do. */
function hoursOf({ from, to, mailbox }: Letter): Hours {
  if (mailbox === 'Spam') return ANY
  const writer = from === MAYA ? (to[0] ?? MAYA) : from
  const hours = HOURS.get(writer) ?? OFFICE
  return from === MAYA && hours !== EVENING ? OFFICE : hours
}
