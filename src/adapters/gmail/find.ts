/**
 * Search in one label, newest first.
 *
 * INVARIANT: the total is that of all matches. Uids are given out for what is found before anything is shown of it.
 */
import { Failure } from '../../core/failure.ts'
import type { Found, Search } from '../../ports/mail-source.ts'
import { checked, type Desk, type Entry } from './check.ts'
import type { GmailClient } from './client.ts'
import { EVERY_MESSAGE, type ListWanted, listIds } from './list.ts'
import type { FolderAt, Mailboxes } from './mailboxes.ts'
import type { Messages } from './messages.ts'
import { pageOf } from './order.ts'
import { planOf } from './plan.ts'
import type { UidStore } from './uid-store.ts'

/** Beyond this many matches only their number is given, where a search does not say how many. */
const MOST_MATCHES = 20_000

export interface FindParts {
  readonly client: GmailClient
  readonly mailboxes: Mailboxes
  readonly messages: Messages
  readonly uids: UidStore
}

export async function find(parts: FindParts, mailbox: string, search: Search, signal: AbortSignal): Promise<Found> {
  const { messages, uids } = parts
  const plan = planOf(search)
  const { at, ids } = await listed(parts, mailbox, plan.nothing ? undefined : plan, signal)
  const desk: Desk = { at, messages, uids, signal }
  const isWhole = plan.everything && !plan.nothing
  const given = isWhole ? uids.settle(at.folder.id, ids, at.uidNext, signal) : uids.assign(at.folder.id, ids, signal)
  const meant = await checked(desk, plan, entriesOf(ids, await given))
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
  await parts.uids.settle(at.folder.id, ids, at.uidNext, signal)
  return { ...at, ...(await parts.uids.state(at.folder.id, signal)) }
}

interface Listed {
  /** As it stood before it was looked at. */
  readonly at: FolderAt
  readonly ids: readonly string[]
}

/** A label that somebody has deleted, and perhaps made anew, is one that Gmail refuses: then its name is looked up once more. */
async function listed(
  { client, mailboxes }: FindParts,
  mailbox: string,
  wanted: ListWanted | undefined,
  signal: AbortSignal,
): Promise<Listed> {
  const at = await mailboxes.stateOf(mailbox, signal)
  if (wanted === undefined) return { at, ids: [] }
  try {
    return { at, ids: await listIds(client, at.folder, wanted, signal) }
  } catch (error) {
    if (!(error instanceof Failure) || (error.code !== 'rejected' && error.code !== 'not_found')) throw error
    mailboxes.forget()
    const now = await mailboxes.stateOf(mailbox, signal)
    if (now.folder.id === at.folder.id) throw error
    return { at: now, ids: await listIds(client, now.folder, wanted, signal) }
  }
}

function entriesOf(ids: readonly string[], uids: ReadonlyMap<string, number>): Entry[] {
  return ids.flatMap((id) => {
    const uid = uids.get(id)
    return uid === undefined ? [] : [{ id, uid }]
  })
}
