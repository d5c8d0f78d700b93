/**
 * Of two addresses that look alike, which one is genuine.
 *
 * INVARIANT: the owner's own address and domain are always genuine. An address counts as genuine only where the mailbox plainly knows it
 * better than the other one; where that cannot be found out, it does not.
 */
import { withRoles } from '../../core/mailbox-roles.ts'
import type { Mailbox, Traits } from '../../core/message.ts'
import { parseAddresses } from '../../core/mime/addresses.ts'
import { allFields } from '../../core/mime/header.ts'
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
const MOST_MESSAGES = 50
const FIELDS = ['From', 'To', 'Cc', 'Received', 'Authentication-Results']

async function historyOf(
  who: string,
  mailboxes: readonly Mailbox[],
  account: Account,
  store: Pick<OutboxStore, 'writtenTo'>,
  signal: AbortSignal,
): Promise<History> {
  const sent = mailboxes.filter(({ role }) => role === 'sent').slice(0, 1)
  const others = mailboxes.filter(({ role }) => !NOT_RECEIVED.has(role)).slice(0, MOST_FOLDERS)
  const known = await store.writtenTo(account.id, who.includes('@') ? [who] : [])
  const written = known.has(addressKey(who)) || (await messagesOf(who, 'to', sent, account, signal)).length > 0
  const received = await messagesOf(who, 'from', others, account, signal)
  const isProven = ({ header, headerCut }: Traits): boolean => !headerCut && isAuthenticated(header, account.authservId)
  return { written, authenticated: received.some(isProven), received: received.length }
}

const LOOKED_AT = { from: ['From'], to: ['To', 'Cc'] } as const

/**
 * The newest messages from or to an address or a domain. Servers search for parts of a header field, names included (RFC 3501
 * §6.4.4), so mail of `a@b.com` and of `"a@b.co" <c@d>` is found for `a@b.co`: only the address itself counts.
 */
async function messagesOf(
  who: string,
  field: keyof typeof LOOKED_AT,
  mailboxes: readonly Mailbox[],
  { source }: Account,
  signal: AbortSignal,
): Promise<readonly Traits[]> {
  const isMeant = ({ address }: { readonly address: string }): boolean =>
    who.includes('@') ? normalAddress(address) === normalAddress(who) : normalDomain(domainOf(address)) === who
  const isOf = ({ header }: Traits): boolean =>
    LOOKED_AT[field].some((name) => allFields(header, name).flatMap(parseAddresses).some(isMeant))
  const found: Traits[] = []
  for (const form of formsOf(who)) {
    for (const { name: mailbox } of mailboxes) {
      const search = { criteria: { [field]: form }, take: MOST_MESSAGES }
      const { uids, uidvalidity } = await source.find(mailbox, search, signal)
      if (uids.length === 0) continue
      const traits = await source.traits({ mailbox, uidvalidity }, uids, { fields: FIELDS, structure: false }, signal)
      found.push(...traits.filter(isOf))
    }
  }
  return found
}

/** As it is written in a header, and in the letters of its alphabet. */
function formsOf(who: string): readonly string[] {
  const at = who.lastIndexOf('@')
  const domain = who.slice(at + 1)
  const labels = domain.split('.').map((label) => decodeLabel(label) ?? label)
  const local = at === -1 ? '@' : who.slice(0, at + 1)
  return [...new Set([local + domain, local + labels.join('.')])]
}
