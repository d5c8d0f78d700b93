/** The message in the outbox that a new one differs from only in small edits. */
import type { Approvals } from '../../core/outbox/approval-file.ts'
import type { OutboxEntry } from '../../core/outbox/entry.ts'
import { isSimilar } from '../../core/outbox/similar.ts'
import type { SendEnding } from '../../core/send-ending.ts'
import type { OutboxParts } from './parts.ts'

export interface Similar {
  readonly kind: 'similar'
  readonly entry: OutboxEntry
  readonly standing: 'pending' | 'approved'
}

/** An approved one first, else the newest. None where the new one is approved itself: a file allows it as it is. */
export async function similarTo(
  entry: OutboxEntry,
  now: number,
  { store, vault }: Pick<OutboxParts, 'store' | 'vault'>,
  isApproved: (entry: OutboxEntry, approvals: Approvals) => boolean,
): Promise<Similar | undefined> {
  const { caller, account } = entry.sending
  const unsent = await store.unsent(caller, account, now)
  const alike = unsent.filter(({ sending }) => isSimilar(sending, entry.sending))
  if (alike.length === 0) return undefined
  const approvals = await vault.approvals()
  if (isApproved(entry, approvals)) return undefined
  const similar: Similar[] = []
  for (const one of alike) {
    if (await vault.isRejected(one.id)) continue
    similar.push({ kind: 'similar', entry: one, standing: isApproved(one, approvals) ? 'approved' : 'pending' })
  }
  return similar.find(({ standing }) => standing === 'approved') ?? similar[0]
}

/** A pending message has a file in the vault. A version has none: no call would read its approval. */
export async function similarEnding(
  { entry, standing }: Similar,
  { vault, clock }: Pick<OutboxParts, 'vault' | 'clock'>,
): Promise<SendEnding> {
  if (entry.sending.version !== undefined) return { kind: 'similar', id: entry.id, standing, isVersion: true }
  const file = standing === 'pending' ? await vault.post(entry, clock.now()) : undefined
  return { kind: 'similar', id: entry.id, standing, ...(file !== undefined && { file }) }
}
