/**
 * What Gmail's search let through, held against what was meant.
 *
 * INVARIANT: sizes, days and texts are exact afterwards. Few messages are looked at: all of them only for sizes and texts, and of
 * those no more than a bound.
 */
import { Failure } from '../../../core/failure.ts'
import type { FolderAt } from '../mailboxes.ts'
import type { Messages } from '../messages.ts'
import type { MessageFacts, UidStore } from '../uids/store.ts'
import type { Plan } from './plan.ts'
import { holdsTexts } from './search-text.ts'

export interface Entry {
  readonly id: string
  readonly uid: number
}

export interface Desk {
  readonly at: FolderAt
  readonly messages: Messages
  readonly uids: UidStore
  readonly signal: AbortSignal
}

/** So many are looked at one by one for what Gmail cannot say. */
const MOST_READ = 2_000
/** Dates are looked at from both ends, so many at once. */
const STEP = 50

export async function checked(desk: Desk, plan: Plan, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const sized = await ofSize(desk, plan, entries)
  const dated = await fromFirstBefore(desk, plan, await fromFirstSince(desk, plan, sized))
  return withTexts(desk, plan, dated)
}

async function ofSize(desk: Desk, { over, under }: Plan, entries: readonly Entry[]): Promise<readonly Entry[]> {
  if (over < 0 && under === Number.POSITIVE_INFINITY) return entries
  mustBeFew(entries)
  const facts = await factsOf(desk, entries)
  return entries.filter(({ id }) => {
    const size = facts.get(id)?.size
    return size !== undefined && size > over && size < under
  })
}

/** The newest come first, so what is too new stands at the beginning. */
async function fromFirstBefore(desk: Desk, { before }: Plan, entries: readonly Entry[]): Promise<readonly Entry[]> {
  if (before === Number.POSITIVE_INFINITY) return entries
  for (let start = 0; start < entries.length; start += STEP) {
    const kept = await dated(desk, entries.slice(start, start + STEP), (received) => received < before)
    if (kept.length > 0) return [...kept, ...entries.slice(start + STEP)]
  }
  return []
}

async function fromFirstSince(desk: Desk, { from }: Plan, entries: readonly Entry[]): Promise<readonly Entry[]> {
  if (from === Number.NEGATIVE_INFINITY) return entries
  for (let end = entries.length; end > 0; end -= STEP) {
    const start = Math.max(0, end - STEP)
    const kept = await dated(desk, entries.slice(start, end), (received) => received >= from)
    if (kept.length > 0) return [...entries.slice(0, start), ...kept]
  }
  return []
}

async function dated(desk: Desk, entries: readonly Entry[], test: (received: number) => boolean): Promise<Entry[]> {
  const facts = await factsOf(desk, entries)
  return entries.filter(({ id }) => {
    const received = facts.get(id)?.received
    return received !== undefined && test(received)
  })
}

async function withTexts(desk: Desk, { texts }: Plan, entries: readonly Entry[]): Promise<readonly Entry[]> {
  if (texts.length === 0 || entries.length === 0) return entries
  mustBeFew(entries)
  const uids = entries.map(({ uid }) => uid)
  const found = await desk.messages.whole(desk.at, uids, desk.signal, ({ uid, record, bytes }) =>
    holdsTexts(texts, record, bytes) ? uid : undefined,
  )
  const holding = new Set(found)
  return entries.filter(({ uid }) => holding.has(uid))
}

/** What is known of these for ever; those that are gone are left out. */
export async function factsOf(
  { messages, uids, signal }: Pick<Desk, 'messages' | 'uids' | 'signal'>,
  entries: readonly Entry[],
): Promise<ReadonlyMap<string, MessageFacts>> {
  const ids = entries.map(({ id }) => id)
  const known = await uids.facts(ids, signal)
  const missing = ids.filter((id) => !known.has(id))
  if (missing.length === 0) return known
  await messages.learn(missing, signal)
  return uids.facts(ids, signal)
}

function mustBeFew({ length }: readonly Entry[]): void {
  if (length <= MOST_READ) return
  throw new Failure(
    'unsupported',
    `Gmail finds whole words only, and ${length} messages are too many to look at one by one; add a word or a date`,
    { stage: 'search' },
  )
}
