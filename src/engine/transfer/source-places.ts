/**
 * Where the originals are read: in their folder or, at Google, in All Mail, where every message is once whatever labels it
 * has.
 */
import { ANY_UIDVALIDITY } from '../../core/message-id.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import type { StepCase } from './passage.ts'

export interface SourcePlace {
  readonly at: MailboxAt
  readonly transfers: readonly Transfer[]
  uidOf(transfer: Transfer): number
}

export async function sourcePlaces({
  source,
  batch,
  signal,
}: Pick<StepCase, 'source' | 'batch' | 'signal'>): Promise<readonly SourcePlace[]> {
  const [first] = batch
  if (first === undefined) return []
  const at = { mailbox: first.source.mailbox, uidvalidity: first.source.uidvalidity }
  const own: SourcePlace = { at, transfers: batch, uidOf: (transfer) => transfer.source.uid }
  if (source.google === undefined) return [own]
  const all = (await source.source.mailboxes(signal)).find(({ role }) => role === 'all')
  if (all === undefined || all.name === at.mailbox) return [own]
  const identities = await source.google.identities(
    at,
    batch.map((transfer) => transfer.source.uid),
    signal,
  )
  const canonical = new Map(
    identities.flatMap(({ uid, allMailUid }) => (allMailUid === undefined ? [] : [[uid, allMailUid]])),
  )
  const inAll = batch.filter((transfer) => canonical.has(transfer.source.uid))
  // Mail in Trash and Spam is not in All Mail.
  const others = batch.filter((transfer) => !canonical.has(transfer.source.uid))
  const everything: SourcePlace = {
    at: { mailbox: all.name, uidvalidity: ANY_UIDVALIDITY },
    transfers: inAll,
    uidOf: (transfer) => canonical.get(transfer.source.uid) ?? 0,
  }
  return [everything, { ...own, transfers: others }].filter(({ transfers }) => transfers.length > 0)
}
