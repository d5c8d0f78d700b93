/** The mailboxes of one account that the caller may know of. */
import type { Perform } from './workshop.ts'

export const listMailboxes: Perform<'list_mailboxes'> = async ({ account }, { accounts, policy, signal }) => {
  const mailboxes = await accounts.get(account).source.mailboxes(signal)
  return { mailboxes: mailboxes.filter(({ name }) => policy.folder(account, name).ceiling !== 'NONE') }
}
