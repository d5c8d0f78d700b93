/**
 * Search in one label, newest first.
 *
 * INVARIANT: the total is that of all matches. Uids are given out for what is found before anything is shown of it.
 */
import type { Found, Search } from '../../../ports/mail-source.ts'
import type { FolderAt, Mailboxes } from '../mailboxes.ts'
import type { Messages } from '../messages.ts'
import type { UidStore } from '../uids/store.ts'
import { checked, type Desk, type Entry } from './check.ts'
import { EVERY_MESSAGE, type ListWanted } from './list.ts'
import type { Listings } from './listings.ts'
import { pageOf } from './order.ts'
import { planOf } from './plan.ts'

/** Beyond this many matches only their number is given, where a search does not say how many. */
const MOST_MATCHES = 20_000
const MOST_DOUBTED = 50

export interface FindParts {
  readonly listings: Listings
  readonly mailboxes: Mailboxes
  readonly messages: Messages
  readonly uids: UidStore
}

export async function find(parts: FindParts, mailbox: string, search: Search, signal: AbortSignal): Promise<Found> {
  const { messages, uids } = parts
  const plan = planOf(search)
  const { at, ids } = await listed(parts, mailbox, plan.nothing ? undefined : plan, signal)
  const desk: Desk = { at, messages, uids, signal }
  if (plan.everything && !plan.nothing) await dropLeft(parts, at, ids, signal)
  const given = await uids.assign(at.folder.id, ids, signal)
  const meant = await checked(desk, plan, entriesOf(ids, given))
  const { belowUid = Number.POSITIVE_INFINITY, most = MOST_MATCHES } = search
  const entries = meant.filter(({ uid }) => uid < belowUid)
  const { uidvalidity, uidNext } = await uids.state(at.folder.id, signal)
  const answer = { uidvalidity, uidNext, total: entries.length }
  if (entries.length > most) return { ...answer, uids: [], more: true }
  return { ...answer, ...(await pageOf(desk, search, entries)) }
}

/** Gives every message of the folder its uid. */
export async function settled(parts: FindParts, mailbox: string, signal: AbortSignal): Promise<FolderAt> {
  const { at, ids } = await listed(parts, mailbox, EVERY_MESSAGE, signal)
  await dropLeft(parts, at, ids, signal)
  await parts.uids.assign(at.folder.id, ids, signal)
  return { ...at, ...(await parts.uids.state(at.folder.id, signal)) }
}

/**
 * What the folder does not show any more has left it, and will have another uid when it comes back. What was just added may not be
 * shown yet, though: so it is looked at once more, unless it is very much.
 */
async function dropLeft(
  { messages, uids }: FindParts,
  { folder, uidNext }: FolderAt,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const missing = await uids.others(folder.id, ids, uidNext, signal)
  if (missing.length === 0) return
  const still = missing.length > MOST_DOUBTED ? [] : await messages.stillIn(folder, missing, signal)
  const kept = new Set(still)
  const left = missing.filter((id) => !kept.has(id))
  await uids.drop(folder.id, left, signal)
}

interface Listed {
  /** As it stood before it was looked at. */
  readonly at: FolderAt
  readonly ids: readonly string[]
}

/** It is listed while its name is looked up: mostly that is still its own. A label that somebody has deleted Gmail refuses. */
async function listed(
  { listings, mailboxes }: FindParts,
  mailbox: string,
  wanted: ListWanted | undefined,
  signal: AbortSignal,
): Promise<Listed> {
  const began = mailboxes.moment()
  const at = await mailboxes.stateOf(mailbox, signal)
  if (wanted === undefined) return { at, ids: [] }
  const listing = listings.ids(at.folder, wanted, signal)
  // Which failure is told must not hang on which comes first.
  const [current] = await Promise.allSettled([mailboxes.current(mailbox, signal, began), listing])
  if (current.status === 'rejected') throw current.reason
  if (current.value.id === at.folder.id) return { at, ids: await listing }
  return {
    at: await mailboxes.stateOf(mailbox, signal, current.value),
    ids: await listings.ids(current.value, wanted, signal),
  }
}

function entriesOf(ids: readonly string[], uids: ReadonlyMap<string, number>): Entry[] {
  return ids.flatMap((id) => {
    const uid = uids.get(id)
    return uid === undefined ? [] : [{ id, uid }]
  })
}
