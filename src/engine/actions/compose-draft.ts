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
  const { bytes, to, cc, subject } = (await writeLetter(order, account, workshop)).composed
  const said = { to: shown(to), cc: shown(cc), subject }
  if (heldBack && (await workshop.outbox.heldBack())) return { ref: undefined, ...said, heldBack: true }
  const placed = await placeDraft(account, mailbox, bytes, workshop)
  const nativeId = placed && (await nativeIdOf(account, mailbox, placed, workshop))
  return { ref: placed && { account: id, mailbox, ...placed }, ...said, ...(nativeId && { nativeId }) }
}

function shown(list: readonly StrictAddress[]): readonly string[] {
  return list.map((one) => formatAddresses([one]))
}

async function nativeIdOf(
  { native }: Account,
  mailbox: string,
  { uidvalidity, uid }: Placed,
  { signal }: Workshop,
): Promise<string | undefined> {
  const [id] = (await native?.idsOf({ mailbox, uidvalidity }, [uid], signal)) ?? []
  return id?.message
}
