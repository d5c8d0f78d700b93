/** Puts together what a caller wrote and leaves it among the drafts. Nothing is sent. */
import type { StrictAddress } from '../../core/compose/strict-address.ts'
import { Failure } from '../../core/failure.ts'
import { formatAddresses } from '../../core/mime/addresses.ts'
import type { NativeId, NativePlace } from '../../ports/native-ids.ts'
import type { Account } from '../accounts/accounts.ts'
import { placeDraft } from './place-draft.ts'
import type { Perform, Workshop } from './workshop.ts'
import { writeLetter } from './write-letter.ts'

export const composeDraft: Perform<'compose_draft'> = async (action, workshop) => {
  const { account: id, mailbox, letter, repliesTo, heldBack = false } = action
  const account = workshop.accounts.get(id)
  const order = { letter, repliesTo, toItsSender: repliesTo !== undefined && letter.to.length === 0, isDraft: true }
  const { composed, original, taken } = await writeLetter(order, account, workshop)
  const { bytes, to, cc, subject } = composed
  const said = { to: shown(to), cc: shown(cc), subject }
  if (heldBack && (await workshop.outbox.heldBack())) return { ref: undefined, ...said, heldBack: true }
  const place = original && repliesTo && { ...repliesTo, uidvalidity: original.uidvalidity }
  const thread = place && (await nativeNames(account, place, workshop))?.thread
  const placed = await placeDraft(account, mailbox, bytes, workshop, { taken, thread })
  if (placed === undefined) return { ref: undefined, ...said }
  const { uidvalidity, uid, draft } = placed
  // The draft is there, whether or not its provider's name for it can be asked for.
  const ask = (): Promise<NativeId | undefined> =>
    nativeNames(account, { mailbox, uidvalidity, uid }, workshop).catch(unlessFailure)
  const nativeId = draft ?? (await ask())?.message
  return { ref: { account: id, mailbox, uidvalidity, uid }, ...said, ...(nativeId && { nativeId }) }
}

function unlessFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error
}

function shown(list: readonly StrictAddress[]): readonly string[] {
  return list.map((one) => formatAddresses([one]))
}

async function nativeNames(
  { native }: Account,
  { mailbox, uidvalidity, uid }: NativePlace,
  { signal }: Workshop,
): Promise<NativeId | undefined> {
  const [names] = (await native?.idsOf({ mailbox, uidvalidity }, [uid], signal)) ?? []
  return names
}
