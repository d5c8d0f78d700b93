/**
 * The copy of a letter among what was sent.
 *
 * INVARIANT: there is at most one: before one is put there it is looked for, and where the provider keeps one by itself none is
 * put there at all.
 */
import { Failure } from '../../core/failure.ts'
import { withRoles } from '../../core/mailbox-roles.ts'
import type { Account } from '../accounts/accounts.ts'

export async function fileCopy(
  account: Account,
  messageId: string,
  bytes: Uint8Array,
  at: number,
  signal: AbortSignal,
): Promise<void> {
  const folder = await sentFolder(account, signal)
  if (folder === undefined) {
    throw new Failure('not_found', 'the account has no folder for what was sent', { stage: 'sent_copy' })
  }
  if (await liesIn(account, folder, messageId, signal)) return
  await account.source.append(folder, { bytes, flags: ['\\Seen'], received: Math.floor(at / 1000) }, signal)
}

export async function isFiled(account: Account, messageId: string, signal: AbortSignal): Promise<boolean> {
  const folder = await sentFolder(account, signal)
  return folder !== undefined && (await liesIn(account, folder, messageId, signal))
}

async function sentFolder({ source }: Account, signal: AbortSignal): Promise<string | undefined> {
  const listed = withRoles(await source.mailboxes(signal))
  return listed.find(({ role, selectable }) => role === 'sent' && selectable)?.name
}

async function liesIn({ source }: Account, folder: string, messageId: string, signal: AbortSignal): Promise<boolean> {
  const key = { kind: 'header', name: 'Message-ID', contains: messageId } as const
  const { total } = await source.find(folder, { criteria: {}, key, take: 1 }, signal)
  return total > 0
}
