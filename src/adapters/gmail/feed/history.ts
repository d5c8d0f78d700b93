/**
 * What Gmail says has happened in the account since a place in its history.
 *
 * INVARIANT: only ever says too much: a message is named wherever anything happened to it, and what became of it has to be looked
 * at. Undefined where Gmail no longer knows, or where so much has happened that it is cheaper to look at everything.
 */
import { Failure } from '../../../core/failure.ts'
import type { GmailClient } from '../client/client.ts'
import { ALL_MAIL, type Folder } from '../labels.ts'
import { type HistoryEvent, historyIdIn, historyPageIn } from './answers.ts'

export interface History {
  /** Where it ended when it was asked for. */
  readonly upTo: string
  readonly touched: ReadonlyMap<string, Touch>
}

export interface Touch {
  /** Labels that it got, lost or had. */
  readonly labels: ReadonlySet<string>
  /** Labels that it lost, if only for a while. */
  readonly lost: ReadonlySet<string>
  /** It came: any folder may have got it. */
  readonly came: boolean
  /** It was deleted, or went to or from Trash or Spam: any folder may have got or lost it. */
  readonly moved: boolean
}

const A_PAGE = 500
const MESSAGE = 'message(id,labelIds)'
const FIELDS = [
  `history(messagesAdded/${MESSAGE},messagesDeleted/${MESSAGE},labelsAdded(labelIds,${MESSAGE}),labelsRemoved(labelIds,${MESSAGE}))`,
  'historyId',
  'nextPageToken',
].join(',')
const MOST_PAGES = 8
/** They decide whether a message stands in its other labels. */
const OUT_OF_SIGHT = new Set(['TRASH', 'SPAM'])
export const UNTOUCHED: Touch = { labels: new Set(), lost: new Set(), came: false, moved: false }

export async function historySince(
  client: GmailClient,
  since: string,
  signal: AbortSignal,
): Promise<History | undefined> {
  const touched = new Map<string, Touch>()
  let pageToken: string | undefined
  let upTo: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await pageOf(client, since, pageToken, signal)
    if (answer === undefined) return undefined
    // Of the first page: what happens meanwhile is told the next time.
    upTo ??= answer.upTo
    for (const event of answer.events) touched.set(event.id, touchedBy(event, touched.get(event.id)))
    if (answer.next === undefined) return { upTo, touched }
    pageToken = answer.next
  }
  return undefined
}

/** The place where Gmail's history is now. */
export async function historyNow(client: GmailClient, signal: AbortSignal): Promise<string> {
  return historyIdIn(await client.read({ path: 'profile', query: { fields: 'historyId' }, stage: 'status' }, signal))
}

/** Whether anything has happened, and up to where. Undefined where Gmail no longer knows. */
export async function anythingSince(
  client: GmailClient,
  since: string,
  signal: AbortSignal,
): Promise<{ readonly upTo: string; readonly anything: boolean } | undefined> {
  const answer = await pageOf(client, since, undefined, signal, 1)
  return answer && { upTo: answer.upTo, anything: answer.events.length > 0 }
}

async function pageOf(
  client: GmailClient,
  startHistoryId: string,
  pageToken: string | undefined,
  signal: AbortSignal,
  maxResults = A_PAGE,
): Promise<ReturnType<typeof historyPageIn> | undefined> {
  try {
    const query = { startHistoryId, maxResults, pageToken, fields: FIELDS }
    return historyPageIn(await client.read({ path: 'history', query, stage: 'status' }, signal))
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return undefined
    throw error
  }
}

function touchedBy({ id: _, kind, labels, had }: HistoryEvent, before = UNTOUCHED): Touch {
  return {
    labels: new Set([...before.labels, ...labels, ...had]),
    lost: kind === 'lost' ? new Set([...before.lost, ...labels]) : before.lost,
    came: before.came || kind === 'came',
    moved: before.moved || kind === 'went' || labels.some((label) => OUT_OF_SIGHT.has(label)),
  }
}

/** Whether it may have got into the folder or out of it. */
export function concerns({ id }: Folder, { labels, came, moved }: Touch): boolean {
  return came || moved || id === ALL_MAIL || labels.has(id)
}

/** Whether it may have been out of the folder, if only for a while. */
export function mayHaveLeft({ id }: Folder, { lost, moved }: Touch): boolean {
  return moved || lost.has(id)
}
