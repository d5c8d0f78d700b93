/**
 * A whole folder, looked at by its list of messages.
 *
 * INVARIANT: the place in Gmail's history is asked for before anything else, so that whatever the list does not show yet is told
 * the next time. When it is done, every message of the folder has a uid, and no other has: one that a list leaves out, as lists do
 * while messages move, is looked at before it is taken for gone.
 */
import type { Changes, FolderState, UidFlags } from '../../../core/mirror/state.ts'
import type { GmailClient } from '../client/client.ts'
import { flagsOf } from '../flags.ts'
import { type Folder, standsIn } from '../labels.ts'
import { EVERY_MESSAGE, listIds } from '../search/list.ts'
import type { UidStore } from '../uids/store.ts'
import { historyNow } from './history.ts'
import { modseqOf } from './moment.ts'
import { seenNow } from './seen.ts'

export interface FeedParts {
  readonly client: GmailClient
  readonly uids: UidStore
}

/** Where more than that are missing, the list is believed. */
const MANY = 1000
/** Labels that are flags: who has them is found by listing them, five hundred at a time. */
const FLAG_LABELS = ['UNREAD', 'STARRED', 'DRAFT']

export async function lookThrough(
  { client, uids }: FeedParts,
  folder: Folder,
  signal: AbortSignal,
): Promise<FolderState> {
  const history = await historyNow(client, signal)
  const { uidNext: fence, marks } = await uids.standing(folder.id, signal)
  const listed = await listIds(client, folder, EVERY_MESSAGE, signal)
  const ids = [...listed, ...(await leftOut({ client, uids }, folder, new Set(listed), signal))]
  await uids.settle(folder.id, ids, fence, signal)
  await uids.noteHistory(folder.id, history, signal)
  const { uidvalidity, uidNext, messages } = await uids.standing(folder.id, signal)
  return { uidvalidity, uidNext, messages, modseq: modseqOf({ history, marks }) }
}

async function leftOut(
  { client, uids }: FeedParts,
  folder: Folder,
  listed: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const missing = (await uids.all(folder.id, signal)).map(({ id }) => id).filter((id) => !listed.has(id))
  if (missing.length > MANY) return []
  const seen = await seenNow(client, missing, signal)
  return [...seen.values()].filter(({ labels }) => standsIn(folder, labels)).map(({ id }) => id)
}

/** The flags of all messages: what is not among them is gone. */
export async function everything(
  parts: FeedParts,
  folder: Folder,
  since: FolderState,
  signal: AbortSignal,
): Promise<Changes> {
  const state = await lookThrough(parts, folder, signal)
  const known = (await parts.uids.all(folder.id, signal)).filter(({ uid }) => uid < since.uidNext)
  const flagged = await Promise.all(
    FLAG_LABELS.map(
      async (label) => new Set(await listIds(parts.client, folder, { labels: [label], query: '' }, signal)),
    ),
  )
  const flags = known.map(({ uid, id, deleted }): UidFlags => {
    const labels = FLAG_LABELS.filter((_label, at) => flagged[at]?.has(id))
    return { uid, flags: flagsOf(labels, deleted) }
  })
  return { kind: 'changed', state, flags, gone: { kind: 'all_but', uids: known.map(({ uid }) => uid) } }
}
