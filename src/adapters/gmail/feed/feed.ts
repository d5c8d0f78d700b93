/**
 * A Gmail account as a mirror is filled from it: folders are labels, and what has happened is told by Gmail's history.
 *
 * A folder's `modseq` holds the place in that history (`feed-moment.ts`), which is one for the whole account: so one request says
 * that nothing has happened in any folder. That a label still has its name is asked at the same time.
 */
import { Failure } from '../../../core/failure.ts'
import type { FolderState } from '../../../core/mirror/state.ts'
import type { MailFeed } from '../../../ports/mail-feed.ts'
import type { GmailClient } from '../client/client.ts'
import type { Folder } from '../labels.ts'
import { Mailboxes } from '../mailboxes.ts'
import { Messages } from '../messages.ts'
import type { UidStore } from '../uids/store.ts'
import { changes, stateNow } from './changes.ts'
import { type History, historySince } from './history.ts'
import { rowsWithin, textsOf } from './rows.ts'
import { watch } from './watch.ts'

export interface GmailFeedOptions {
  readonly client: GmailClient
  /** The same as the source's: a message has one uid. */
  readonly uids: UidStore
  /** Those of the source, where what they remember is to be shared. */
  readonly mailboxes?: Mailboxes
  readonly messages?: Messages
  /** How often a watched mailbox is looked at. */
  readonly pollMs?: number
}

const POLL_MS = 30_000

export function createGmailFeed(options: GmailFeedOptions): MailFeed {
  const { client, uids, pollMs = POLL_MS } = options
  const { mailboxes = new Mailboxes(client, uids, () => performance.now()), messages = new Messages(client, uids) } =
    options
  const parts = { client, uids }

  async function states(names: readonly string[], signal: AbortSignal): Promise<readonly (FolderState | undefined)[]> {
    const folders: (Folder | undefined)[] = []
    for (const name of names) folders.push(await found(mailboxes, name, signal))
    const histories = new Map<string, Promise<History | undefined>>()
    const historyFrom = (since: string): Promise<History | undefined> => {
      const asked = histories.get(since) ?? historySince(client, since, signal)
      histories.set(since, asked)
      return asked
    }
    return Promise.all(folders.map((folder) => folder && stateNow(parts, folder, historyFrom, signal)))
  }

  return {
    states,
    async state(mailbox, signal) {
      const folder = await mailboxes.get(mailbox, signal)
      return stateNow(parts, folder, (since) => historySince(client, since, signal), signal)
    },
    changes: (mailbox, since, signal) => changes(parts, mailboxes.current(mailbox, signal), since, signal),
    rows: (at, within, signal) => rowsWithin({ uids, messages }, () => mailboxes.at(at, signal), within, signal),
    texts: async (at, wanted, signal) => textsOf(messages, await mailboxes.at(at, signal), wanted, signal),
    watch: (mailbox, onChange, signal) =>
      watch({ client, find: () => mailboxes.get(mailbox, signal), pollMs, onChange }, signal),
  }
}

async function found(mailboxes: Mailboxes, name: string, signal: AbortSignal): Promise<Folder | undefined> {
  try {
    return await mailboxes.get(name, signal)
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return undefined
    throw error
  }
}
