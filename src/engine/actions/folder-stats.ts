/** How many messages of a folder the caller may count, and at which levels. */
import { countLevels, type LevelCounts, sumLevels } from '../../core/decision/counts.ts'
import type { FolderPolicy } from '../../core/policy/folder.ts'
import { LEVELS } from '../../core/policy/level.ts'
import type { Account } from '../accounts/accounts.ts'
import { unlessRewritten } from '../accounts/mirrored-source.ts'
import { coverageOf } from '../search/mirror-search.ts'
import { MOST_MESSAGES } from '../sight/fact-keeper.ts'
import type { Perform, Workshop } from './workshop.ts'

export const folderStats: Perform<'folder_stats'> = async ({ account, mailbox }, workshop) => {
  const { accounts, sight, signal } = workshop
  const at = accounts.get(account)
  const folder = await sight.folder(at, mailbox, signal)
  const { visible, hidden, byLevel, asOf } = await countFolder(at, mailbox, folder, workshop)
  // Where hidden mail is concealed there is no such level to have messages at.
  const shown = LEVELS.filter((level) => level !== 'NONE' || !sight.conceals)
  return {
    visible,
    hidden: sight.conceals ? undefined : hidden,
    defaultLevel: folder.default,
    byLevel: Object.fromEntries(shown.map((level) => [level, byLevel[level] ?? 0])),
    ...(asOf !== undefined && { coverage: coverageOf(asOf) }),
  }
}

export interface FolderCounts extends LevelCounts {
  /** Where the server cannot be reached: when it was so, ISO 8601. */
  readonly asOf?: string | undefined
}

export async function countFolder(
  account: Account,
  mailbox: string,
  folder: FolderPolicy,
  { sight, signal }: Workshop,
): Promise<FolderCounts> {
  const counted = await countedInMirror(account, mailbox, folder, sight.nowSeconds, signal)
  if (counted !== undefined) return counted
  const search = { criteria: {}, take: MOST_MESSAGES, most: MOST_MESSAGES, atServer: true }
  const found = await account.source.find(mailbox, search, signal)
  const at = { mailbox, uidvalidity: found.uidvalidity }
  const levels = await sight.levels(account, folder, at, found.uids, signal)
  return countLevels(
    found.uids.flatMap((uid) => levels.get(uid) ?? []),
    'COUNT',
  )
}

async function countedInMirror(
  { mirror }: Account,
  mailbox: string,
  { definition }: FolderPolicy,
  nowSeconds: number,
  signal: AbortSignal,
): Promise<FolderCounts | undefined> {
  const fresh = (await mirror?.fresh([mailbox], signal))?.get(mailbox)
  if (mirror === undefined || fresh === undefined) return undefined
  const counted = await unlessRewritten(mirror.store.countLevels(mailbox, definition, nowSeconds))
  return counted && { ...sumLevels(counted, 'COUNT'), asOf: fresh.asOf }
}
