/**
 * Brings folders of a mirror up to date before they are asked.
 *
 * INVARIANT: a folder is given only where it can answer in the server's stead. Where the server cannot be reached, or does not
 * answer soon enough, what was known of it last is better than nothing, and says how old it is. Where it is the mirror that cannot be used, for want of
 * space or of leave to write, the server is asked.
 */
import type { MirroredFolder, MirrorReading } from '../../ports/mirror-store.ts'
import type { FreshFolder } from '../accounts/accounts.ts'
import { isOutOfReach } from '../accounts/mirrored-source.ts'
import type { ServerPatience } from '../accounts/server-patience.ts'
import { isFilled, isIndexed, isWanted } from './standing.ts'
import type { AccountSync } from './sync-account.ts'
import type { SyncParts } from './sync-parts.ts'

export interface FreshFolders {
  fresh(mailboxes: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, FreshFolder>>
}

export function freshFolders(
  sync: Pick<AccountSync, 'freshen'>,
  store: MirrorReading,
  wanted: Pick<SyncParts, 'depth' | 'authservId'>,
  patience: Pick<ServerPatience, 'ask'>,
): FreshFolders {
  const fresh = async (mailbox: string, signal: AbortSignal): Promise<FreshFolder | undefined> => {
    try {
      return await patience.ask((stop) => sync.freshen(mailbox, stop), signal)
    } catch (error) {
      if (!isOutOfReach(error) || signal.aborted) throw error
      if (error.stage === 'mirror') return undefined
      const folder = await store.folder(mailbox)
      return folder && isWanted(folder, wanted) ? known(folder) : undefined
    }
  }
  return {
    async fresh(mailboxes, signal) {
      const folders = await Promise.all(mailboxes.map((mailbox) => fresh(mailbox, signal)))
      return new Map(folders.flatMap((folder) => (folder === undefined ? [] : [[folder.mailbox, folder] as const])))
    },
  }
}

function known(folder: MirroredFolder): FreshFolder | undefined {
  if (!isFilled(folder) || !isIndexed(folder)) return undefined
  return { ...folder, asOf: new Date(folder.checkedAt).toISOString() }
}
