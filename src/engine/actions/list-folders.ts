/**
 * The folders of an account that the policy names, each with how many of its messages the caller may count.
 *
 * INVARIANT: one round trip for all folders in which every message counts; only where rules decide is mail looked at.
 */
import { pathOf } from '../../core/mailbox-path.ts'
import type { Mailbox } from '../../core/message.ts'
import { atLeast } from '../../core/policy/level.ts'
import type { FolderCount } from '../../core/results.ts'
import { countFolder } from './folder-stats.ts'
import { mailboxesOf } from './list-mailboxes.ts'
import type { Perform, Workshop } from './workshop.ts'

export const listFolders: Perform<'list_folders'> = async ({ account }, workshop) => {
  const { named, others } = await mailboxesOf(account, workshop)
  const counts = await plainCounts(account, named, workshop)
  const folders: FolderCount[] = []
  for (const mailbox of named) {
    const path = pathOf(mailbox.name, mailbox.delimiter)
    folders.push({ path, count: counts.get(mailbox) ?? (await countable(account, mailbox, workshop)) })
  }
  return { folders, hidden: workshop.sight.conceals ? undefined : others }
}

/** Where all messages may be counted, the server can do it. */
async function plainCounts(
  account: string,
  mailboxes: readonly Mailbox[],
  { accounts, sight, signal }: Workshop,
): Promise<ReadonlyMap<Mailbox, number | undefined>> {
  const at = accounts.get(account)
  const levels = await Promise.all(
    mailboxes.map(async ({ name }) => (await sight.folder(at, name, signal)).uniform?.level),
  )
  const uniform = mailboxes.filter((_mailbox, i) => levels[i] !== undefined && atLeast(levels[i], 'COUNT'))
  const counts =
    uniform.length === 0
      ? []
      : await at.source.counts(
          uniform.map(({ name }) => name),
          signal,
        )
  return new Map(uniform.map((mailbox, i) => [mailbox, counts[i]]))
}

async function countable(account: string, { name }: Mailbox, workshop: Workshop): Promise<number | undefined> {
  const { accounts, sight, signal } = workshop
  const at = accounts.get(account)
  const folder = await sight.folder(at, name, signal)
  if (!atLeast(folder.ceiling, 'COUNT')) return undefined
  return (await countFolder(at, name, folder, workshop)).visible
}
