/** Puts together what a caller wrote and leaves it among the drafts. Nothing is sent. */
import type { StrictAddress } from '../../core/compose/strict-address.ts'
import { formatAddresses } from '../../core/mime/addresses.ts'
import type { Placed } from '../../ports/mail-source.ts'
import type { Account } from '../accounts/accounts.ts'
import { placeDraft } from './place-draft.ts'
import type { Perform, Workshop } from './workshop.ts'
import { writeLetter } from './write-letter.ts'

export const composeDraft: Perform<'compose_draft'> = async (action, workshop) => {
  const { account: id, mailbox, letter, repliesTo, heldBack = false } = action
  const account = workshop.accounts.get(id)
  const order = { letter, repliesTo, toItsSender: false, isDraft: true }
  const { composed, taken } = await writeLetter(order, account, workshop)
  const { bytes, to, cc, subject } = composed
  const said = { to: shown(to), cc: shown(cc), subject }
  if (heldBack && (await workshop.outbox.heldBack())) return { ref: undefined, ...said, heldBack: true }
  const placed = await placeDraft(account, mailbox, bytes, workshop, taken)
  if (placed === undefined) return { ref: undefined, ...said }
  const nativeId = await nativeIdOf(account, mailbox, placed, workshop)
  const { uidvalidity, uid } = placed
  return { ref: { account: id, mailbox, uidvalidity, uid }, ...said, ...(nativeId && { nativeId }) }
}

function shown(list: readonly StrictAddress[]): readonly string[] {
  return list.map((one) => formatAddresses([one]))
}

async function nativeIdOf(
  { native }: Account,
  mailbox: string,
  { uidvalidity, uid, draft }: Placed,
  { signal }: Workshop,
): Promise<string | undefined> {
  if (draft !== undefined) return draft
  const [id] = (await native?.idsOf({ mailbox, uidvalidity }, [uid], signal)) ?? []
  return id?.message
}
