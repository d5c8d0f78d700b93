/** The mailboxes of one account that the caller may know of and use. */
import { pathOf } from '../../core/mailbox-path.ts'
import type { Mailbox } from '../../core/message.ts'
import { digestAccount, openMailboxCursor, sealMailboxCursor } from './mailbox-cursor.ts'
import type { Perform, Workshop } from './workshop.ts'

/** No name with one of these can be given to a tool: a server that has such a name may keep it. */
const CONTROL = /\p{Cc}/u

export const listMailboxes: Perform<'list_mailboxes'> = async (action, workshop) => {
  const { account, cursor, limit = Number.POSITIVE_INFINITY } = action
  const { seal, clock, callerId } = workshop
  const place = digestAccount(seal, callerId, account)
  const after = cursor === undefined ? undefined : await openMailboxCursor(seal, cursor, place, clock.now())
  const named = (await mailboxesOf(account, workshop)).named.toSorted((a, b) => byName(a.name, b.name))
  const following = after === undefined ? named : named.filter(({ name }) => byName(after, name) < 0)
  const mailboxes = following.slice(0, limit)
  const last = following.length > limit ? mailboxes.at(-1) : undefined
  const nextCursor = last && (await sealMailboxCursor(seal, { place, after: last.name }, clock.now()))
  return { mailboxes, total: named.length, nextCursor }
}

/** INBOX first, then by code unit: an order that every server's list has. */
function byName(one: string, other: string): number {
  const inbox = Number(other === 'INBOX') - Number(one === 'INBOX')
  return inbox !== 0 ? inbox : one < other ? -1 : Number(one > other)
}

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
