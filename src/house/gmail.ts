/** Accounts over Gmail's REST API. Nothing is loaded, and no file opened, before the first use. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../adapters/clock/system-clock.ts'
import type { createGmailSource } from '../adapters/gmail/source.ts'
import type { TreeAccount } from '../config/tree/tree.ts'
import type { Account } from '../engine/accounts/accounts.ts'
import type { Access } from '../ports/access.ts'
import type { Log } from '../ports/log.ts'
import type { MailFeed } from '../ports/mail-feed.ts'
import { lazily, once } from './lazily.ts'

export interface GmailParts {
  /** Where state lives. */
  readonly directory: string
  readonly log: Log
}

export interface GmailAccount {
  readonly account: Account
  feed(): Promise<MailFeed>
}

export function gmailAccount(from: TreeAccount, access: Access, { directory, log }: GmailParts): GmailAccount {
  const { id, host, port, tls, endpoint, identity, tokenCache, authservId } = from
  const shared = once(async () => {
    const { createGmailClient } = await import('../adapters/gmail/client/client.ts')
    const { createUidStore } = await import('../adapters/gmail/uids/store.ts')
    const { Mailboxes } = await import('../adapters/gmail/mailboxes.ts')
    const { Messages } = await import('../adapters/gmail/messages.ts')
    const client = createGmailClient({ access, log, ...(endpoint !== undefined && { baseUrl: endpoint }) })
    const { databaseFiles: databases } = await import('../adapters/sqlite/database-files.ts')
    const uids = createUidStore({ path: await uidFile(directory, id), databases })
    const mailboxes = new Mailboxes(client, uids, () => systemClock.elapsed())
    return { client, uids, mailboxes, messages: new Messages(client, uids) }
  })
  const source = lazily<ReturnType<typeof createGmailSource>>(async () => {
    const { createGmailSource: create } = await import('../adapters/gmail/source.ts')
    return create(await shared())
  })
  const account: Account = {
    id,
    host,
    port,
    secure: tls === 'implicit',
    provider: 'gmail',
    tokenCache,
    source,
    google: source,
    native: source,
    sender: lazily(async () => (await import('../adapters/gmail/sender.ts')).createGmailSender(await shared())),
    filesSent: true,
    standing: () => access.standing(),
    ...(identity !== undefined && { address: identity }),
    ...(authservId !== undefined && { authservId }),
  }
  return { account, feed: async () => (await import('../adapters/gmail/feed/feed.ts')).createGmailFeed(await shared()) }
}

export async function hasUids(directory: string, account: string): Promise<boolean> {
  return existsSync(await uidFile(directory, account))
}

/** Its uids: ids and dates of messages, no text. Whether there were any. */
export async function forgetUids(directory: string, account: string): Promise<boolean> {
  const path = await uidFile(directory, account)
  if (!existsSync(path)) return false
  const { createUidStore } = await import('../adapters/gmail/uids/store.ts')
  const { databaseFiles: databases } = await import('../adapters/sqlite/database-files.ts')
  const uids = createUidStore({ path, databases })
  try {
    await uids.forget(new AbortController().signal)
  } finally {
    uids.close()
  }
  return true
}

async function uidFile(directory: string, account: string): Promise<string> {
  const { uidStorePath } = await import('../adapters/gmail/uids/store-path.ts')
  return uidStorePath(join(directory, 'gmail'), account)
}
