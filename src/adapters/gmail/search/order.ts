/**
 * A page of what was found, newest first: by the second it was received, then by uid.
 *
 * INVARIANT: Gmail's own order is by date, so only the dates around the page are looked at, and those never change. Messages that
 * were just seen for the first time have uids in Gmail's order and need none. Where very many dates are not known yet, Gmail's
 * order is taken as it is.
 */
import { newestFirst, type Position } from '../../../core/criteria.ts'
import type { Found, Search } from '../../../ports/mail-source.ts'
import type { MessageFacts } from '../uids/store.ts'
import { type Desk, type Entry, factsOf } from './check.ts'

const MOST_DATES = 200
/** How many more are looked at where many came in the same second. */
const STEP = 20

type Page = Pick<Found, 'uids' | 'more'>
type Dated = Entry & Position

export async function pageOf(desk: Desk, search: Search, entries: readonly Entry[]): Promise<Page> {
  const { after, skip = new Set<number>(), take } = search
  const start = after === undefined ? 0 : await startBehind(desk, entries, after)
  const isWanted = ({ uid }: Entry): boolean => !skip.has(uid)
  // Only a skipped uid and those of the same second can push a wanted one off the page.
  const window = await ordered(desk, entries, start, take + skip.size + 1 + sameSecond(after))
  const behind = after === undefined ? window.entries : window.entries.filter((entry) => isBehind(entry, after))
  const wanted = behind.filter(isWanted)
  const uids = wanted.slice(0, take).map(({ uid }) => uid)
  return { uids, more: wanted.length > take || window.end < entries.length }
}

interface Window {
  readonly entries: readonly (Entry | Dated)[]
  /** Where it ends in Gmail's order. */
  readonly end: number
}

/** From `start` on, at least so many, in order, with all of the last one's second. */
async function ordered(desk: Desk, entries: readonly Entry[], start: number, count: number): Promise<Window> {
  let end = Math.min(entries.length, start + count)
  const window = entries.slice(start, end)
  const isNew = window.every(({ uid }) => uid >= desk.at.uidNext)
  const known = await desk.uids.facts(idsOf(window), desk.signal)
  if (isNew || window.length - known.size > MOST_DATES) return { entries: window, end }
  const dates = await datesOf(desk, window)
  while (end < entries.length && isInSecondOf(dates, count)) {
    const next = entries.slice(end, end + STEP)
    dates.push(...(await datesOf(desk, next)))
    end += next.length
  }
  return { entries: dates.toSorted(newestFirst), end }
}

/** Whether the page could end among messages of the same second as the last that was looked at. */
function isInSecondOf(dates: readonly Dated[], count: number): boolean {
  const last = dates.at(-1)
  return last === undefined || dates[count - 2]?.received === last.received
}

async function datesOf(desk: Desk, entries: readonly Entry[]): Promise<Dated[]> {
  const facts = await factsOf(desk, entries)
  return entries.flatMap((entry) => {
    const received = facts.get(entry.id)?.received
    return received === undefined ? [] : [{ ...entry, received }]
  })
}

function isBehind(entry: Entry | Dated, after: Position): boolean {
  return !('received' in entry) || newestFirst(after, entry) < 0
}

/** Those before it in its own second come along, and are left out again. */
function sameSecond(after: Position | undefined): number {
  return after === undefined ? 0 : STEP
}

/** Where to go on: not behind the first message of that second. */
async function startBehind(desk: Desk, entries: readonly Entry[], after: Position): Promise<number> {
  const index = entries.findIndex(({ uid }) => uid === after.uid)
  const known = await desk.uids.facts(idsOf(entries), desk.signal)
  if (index === -1) return firstNotNewer(desk, entries, after.received, known)
  if (!known.has(entries[index]?.id ?? '')) return index + 1
  let start = index
  while (start > 0 && known.get(entries[start - 1]?.id ?? '')?.received === after.received) start -= 1
  return start
}

/** By halves, since the order is by date. */
async function firstNotNewer(
  desk: Desk,
  entries: readonly Entry[],
  received: number,
  known: ReadonlyMap<string, MessageFacts>,
): Promise<number> {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const entry = entries[middle]
    if (entry === undefined) break
    const facts = known.get(entry.id) ?? (await factsOf(desk, [entry])).get(entry.id)
    if ((facts?.received ?? received) > received) low = middle + 1
    else high = middle
  }
  return low
}

function idsOf(entries: readonly Entry[]): string[] {
  return entries.map(({ id }) => id)
}
