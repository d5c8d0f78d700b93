/** Puts a draft that the caller wrote into a folder. Nothing is sent. */
import { placeDraft } from './place-draft.ts'
import type { Perform } from './workshop.ts'

export const createDraft: Perform<'create_draft'> = async ({ account, mailbox, bytes }, workshop) => {
  const placed = await placeDraft(workshop.accounts.get(account), mailbox, bytes, workshop)
  return { uid: placed?.uid, uidvalidity: placed?.uidvalidity }
}
