/** The mailboxes of one account that the caller may know of and use. */
import { pathOf } from '../../core/mailbox-path.ts'
import type { Mailbox } from '../../core/message.ts'
import type { Perform, Workshop } from './workshop.ts'

/** No name with one of these can be given to a tool: a server that has such a name may keep it. */
const CONTROL = /\p{Cc}/u

export const listMailboxes: Perform<'list_mailboxes'> = async ({ account }, workshop) => ({
  mailboxes: (await mailboxesOf(account, workshop)).named,
})

export interface Mailboxes {
  /** Those that the policy speaks of. */
  readonly named: readonly Mailbox[]
  /** How many others there are. */
  readonly others: number
}

export async function mailboxesOf(account: string, { accounts, sight, signal }: Workshop): Promise<Mailboxes> {
  const listed = await accounts.get(account).source.mailboxes(signal)
  const usable = listed.filter(({ name, selectable }) => selectable && !CONTROL.test(name))
  const named = usable.filter(({ name, delimiter }) => sight.named(account, pathOf(name, delimiter)))
  return { named, others: usable.length - named.length }
}
