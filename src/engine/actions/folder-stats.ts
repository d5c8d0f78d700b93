/** How many messages of a folder the caller may count, and at which levels. */
import type { FolderPolicy } from '../../core/policy/folder.ts'
import { LEVELS, type Level } from '../../core/policy/level.ts'
import type { Account } from '../accounts/accounts.ts'
import { MOST_MESSAGES } from '../sight/fact-keeper.ts'
import type { Perform, Workshop } from './workshop.ts'

export const folderStats: Perform<'folder_stats'> = async ({ account, mailbox }, workshop) => {
  const at = workshop.accounts.get(account)
  const folder = await workshop.sight.folder(at, mailbox, workshop.signal)
  const { visible, hidden, byLevel } = await countLevels(at, mailbox, folder, workshop)
  const conceals = workshop.sight.conceals
  const { NONE, ...shown } = byLevel
  return {
    visible,
    hidden: conceals ? undefined : hidden,
    defaultLevel: folder.default,
    byLevel: conceals ? shown : { NONE: NONE ?? 0, ...shown },
  }
}

export interface LevelCounts {
  readonly visible: number
  readonly hidden: number
  readonly byLevel: Readonly<Partial<Record<Level, number>>>
}

export async function countLevels(
  account: Account,
  mailbox: string,
  folder: FolderPolicy,
  { sight, signal }: Workshop,
): Promise<LevelCounts> {
  const search = { criteria: {}, take: MOST_MESSAGES, most: MOST_MESSAGES }
  const found = await account.source.find(mailbox, search, signal)
  const at = { mailbox, uidvalidity: found.uidvalidity }
  const counts = Object.fromEntries(LEVELS.map((level) => [level, 0])) as Record<Level, number>
  const levels = await sight.levels(account, folder, at, found.uids, signal)
  for (const uid of found.uids) {
    const level = levels.get(uid)
    if (level !== undefined) counts[level] += 1
  }
  const all = LEVELS.reduce((sum, level) => sum + counts[level], 0)
  return { visible: all - counts.NONE, hidden: counts.NONE, byLevel: counts }
}
