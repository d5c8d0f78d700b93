/** The ids of a folder's messages as Gmail lists them, newest first. */
import { type ListPage, pageIn } from '../answers.ts'
import type { GmailClient } from '../client/client.ts'
import { ALL_MAIL, type Folder } from '../labels.ts'

/** As many as Gmail gives at once. */
const PAGE = 500

export interface ListWanted {
  /** Labels that a message must have beside the folder's own. */
  readonly labels: readonly string[]
  /** In Gmail's own language; empty for everything. */
  readonly query: string
}

export const EVERY_MESSAGE: ListWanted = { labels: [], query: '' }

export async function listIds(
  client: GmailClient,
  folder: Folder,
  wanted: ListWanted,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // What moves while pages are turned may be met twice.
  const ids = new Set<string>()
  for (let pageToken: string | undefined; ; ) {
    const page = await pageOf(client, folder, wanted, pageToken, signal)
    for (const id of page.ids) ids.add(id)
    if (page.next === undefined || page.next === pageToken) return [...ids]
    pageToken = page.next
  }
}

export async function pageOf(
  client: GmailClient,
  folder: Folder,
  { labels, query }: ListWanted,
  pageToken: string | undefined,
  signal: AbortSignal,
): Promise<ListPage> {
  const labelIds = folder.id === ALL_MAIL ? labels : [folder.id, ...labels]
  const includeSpamTrash = folder.id === 'TRASH' || folder.id === 'SPAM'
  const fields = 'messages/id,nextPageToken'
  const asked = { labelIds, maxResults: PAGE, fields, ...(query === '' ? {} : { q: query }) }
  const whole = { ...asked, pageToken, ...(includeSpamTrash ? { includeSpamTrash } : {}) }
  return pageIn(await client.read({ path: 'messages', query: whole, stage: 'search' }, signal))
}
