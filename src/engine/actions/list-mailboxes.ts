/** The mailboxes of one account that the caller may know of and use. */
import type { Perform } from './workshop.ts'

/** No name with one of these can be given to a tool: a server that has such a name may keep it. */
const CONTROL = /\p{Cc}/u

export const listMailboxes: Perform<'list_mailboxes'> = async ({ account }, { accounts, policy, signal }) => {
  const mailboxes = await accounts.get(account).source.mailboxes(signal)
  return {
    mailboxes: mailboxes.filter(
      ({ name, selectable }) => selectable && !CONTROL.test(name) && policy.folder(account, name).ceiling !== 'NONE',
    ),
  }
}
