/**
 * Of two addresses that look alike, which one is genuine.
 *
 * INVARIANT: the owner's own address and domain are always genuine. An address counts as genuine only where the mailbox plainly knows it
 * better than the other one; where that cannot be found out, it does not.
 */
import { withRoles } from '../../core/mailbox-roles.ts'
import type { Mailbox } from '../../core/message.ts'
import { addressKey } from '../../core/outbox/sending.ts'
import { isAuthenticated } from '../../core/policy/authentication.ts'
import { normalAddress, normalDomain } from '../../core/policy/normal-form.ts'
import { domainOf } from '../../core/text/domains.ts'
import { decodeLabel } from '../../core/text/punycode.ts'
import type { OutboxStore } from '../../ports/outbox-store.ts'
import type { Account } from '../accounts/accounts.ts'

/** What the mailbox knows of an address, the strongest proof first. */
interface History {
  /** Its owner has written to it. */
  readonly written: boolean
  /** A message from it has passed DMARC. */
  readonly authenticated: boolean
  /** Messages from it. */
  readonly received: number
}

/** `like` is the address or the domain that `address` looks like. */
export async function isGenuine(
  address: string,
  like: string,
  account: Account,
  store: Pick<OutboxStore, 'writtenTo'>,
  signal: AbortSignal,
): Promise<boolean> {
  const own = account.address
  if (own !== undefined && [normalAddress(own), normalDomain(domainOf(own))].includes(normalAddress(like))) return false
  try {
    const mailboxes = withRoles(await account.source.mailboxes(signal)).filter(({ selectable }) => selectable)
    const [one, other] = await Promise.all(
      [address, like].map((each) => historyOf(each, mailboxes, account, store, signal)),
    )
    return one !== undefined && other !== undefined && isBetter(one, other)
  } catch {
    signal.throwIfAborted()
    return false
  }
}

function isBetter(one: History, other: History): boolean {
  if (one.written !== other.written) return one.written
  if (one.authenticated !== other.authenticated) return one.authenticated
  return one.received > other.received
}

const NOT_RECEIVED = new Set<string | undefined>(['sent', 'drafts', 'junk', 'trash'])
/** So many folders, and messages of each, are looked into. */
const MOST_FOLDERS = 20
const MOST_MESSAGES = 5
const FIELDS = ['From', 'Received', 'Authentication-Results']

async function historyOf(
  who: string,
  mailboxes: readonly Mailbox[],
  account: Account,
  store: Pick<OutboxStore, 'writtenTo'>,
  signal: AbortSignal,
): Promise<History> {
  const { source, authservId } = account
  const sent = mailboxes.find(({ role }) => role === 'sent')
  const known = await store.writtenTo(account.id, who.includes('@') ? [who] : [])
  let [isWritten, authenticated, received] = [known.has(addressKey(who)), false, 0]
  for (const form of formsOf(who)) {
    if (sent !== undefined && !isWritten) {
      isWritten = (await source.find(sent.name, { criteria: { to: form }, take: 1 }, signal)).total > 0
    }
    for (const { name: mailbox } of mailboxes.filter(({ role }) => !NOT_RECEIVED.has(role)).slice(0, MOST_FOLDERS)) {
      const search = { criteria: { from: form }, take: MOST_MESSAGES }
      const { total, uids, uidvalidity } = await source.find(mailbox, search, signal)
      received += total
      if (authenticated || uids.length === 0) continue
      const wanted = { fields: FIELDS, structure: false }
      const traits = await source.traits({ mailbox, uidvalidity }, uids, wanted, signal)
      authenticated = traits.some(({ header, headerCut }) => !headerCut && isAuthenticated(header, authservId))
    }
  }
  return { written: isWritten, authenticated, received }
}

/** As it is written in a header, and in the letters of its alphabet. */
function formsOf(who: string): readonly string[] {
  const at = who.lastIndexOf('@')
  const domain = who.slice(at + 1)
  const labels = domain.split('.').map((label) => decodeLabel(label) ?? label)
  const local = at === -1 ? '@' : who.slice(0, at + 1)
  return [...new Set([local + domain, local + labels.join('.')])]
}
