/**
 * The copy of a letter among what was sent.
 *
 * INVARIANT: there is at most one: before one is put there it is looked for, and where the provider keeps one by itself none is
 * put there at all. A server's search may find more than it was asked for, so only the Message-ID in a message's own header
 * counts.
 */
import { Failure } from '../../core/failure.ts'
import { withRoles } from '../../core/mailbox-roles.ts'
import { firstField } from '../../core/mime/header.ts'
import type { NativeId } from '../../ports/native-ids.ts'
import type { Account } from '../accounts/accounts.ts'

/** It is among the newest, where a search finds more than it was asked for. */
const MOST_LOOKED_AT = 50

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
  if ((await copyIn(account, folder, messageId, signal)) !== undefined) return
  await account.source.append(folder, { bytes, flags: ['\\Seen'], received: Math.floor(at / 1000) }, signal)
}

export async function isFiled(account: Account, messageId: string, signal: AbortSignal): Promise<boolean> {
  return (await filedCopy(account, messageId, signal)) !== undefined
}

export interface FiledCopy {
  /** As its provider names it, where that has names of its own. */
  readonly native: Pick<NativeId, 'message' | 'thread'> | undefined
}

export async function filedCopy(
  account: Account,
  messageId: string,
  signal: AbortSignal,
): Promise<FiledCopy | undefined> {
  const mailbox = await sentFolder(account, signal)
  const at = mailbox === undefined ? undefined : await copyIn(account, mailbox, messageId, signal)
  if (at === undefined) return undefined
  const [native] = (await account.native?.idsOf(at, [at.uid], signal)) ?? []
  return { native }
}

async function sentFolder({ source }: Account, signal: AbortSignal): Promise<string | undefined> {
  const listed = withRoles(await source.mailboxes(signal))
  return listed.find(({ role, selectable }) => role === 'sent' && selectable)?.name
}

interface CopyAt {
  readonly mailbox: string
  readonly uidvalidity: number
  readonly uid: number
}

async function copyIn(
  { source }: Account,
  mailbox: string,
  messageId: string,
  signal: AbortSignal,
): Promise<CopyAt | undefined> {
  const key = { kind: 'header', name: 'Message-ID', contains: messageId } as const
  const { uidvalidity, uids } = await source.find(mailbox, { criteria: {}, key, take: MOST_LOOKED_AT }, signal)
  if (uids.length === 0) return undefined
  const at = { mailbox, uidvalidity }
  const traits = await source.traits(at, uids, { fields: ['Message-ID'], structure: false }, signal)
  const copy = traits.find(({ header }) => firstField(header, 'message-id')?.trim() === messageId)
  return copy && { ...at, uid: copy.uid }
}
