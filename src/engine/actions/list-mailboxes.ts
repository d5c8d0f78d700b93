/** The mailboxes of one account that the caller may know of; names that only hold other mailboxes are left out. */
import type { Perform } from './workshop.ts'

export const listMailboxes: Perform<'list_mailboxes'> = async ({ account }, { accounts, policy, signal }) => {
  const mailboxes = await accounts.get(account).source.mailboxes(signal)
  return {
    mailboxes: mailboxes.filter(
      ({ name, selectable }) => selectable && policy.folder(account, name).ceiling !== 'NONE',
    ),
  }
}
