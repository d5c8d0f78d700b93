/** What a person should notice about the recipients of a message. */
import { withRoles } from '../../core/mailbox-roles.ts'
import type { RecipientMark } from '../../core/outbox/entry.ts'
import { lookAlike } from '../../core/outbox/look-alike.ts'
import { addressKey, recipientsOf, type Sending } from '../../core/outbox/sending.ts'
import { domainOf } from '../../core/text/domains.ts'
import type { OutboxStore } from '../../ports/outbox-store.ts'
import type { ReadMail } from '../../ports/read-notes.ts'
import type { Account } from '../accounts/accounts.ts'
import { isGenuine } from './genuine.ts'

/** So many are looked for in the mailbox; the rest are called new, and look-alikes where they look like another. */
const MOST_LOOKED_FOR = 10
const MOST_SENT = 240
const REPEATED_MS = 24 * 60 * 60 * 1000

/** `known` are those that the caller has come across: whoever imitates an address imitates one of these. */
export async function marksFor(
  sending: Sending,
  account: Account,
  { digest, now }: { readonly digest: string; readonly now: number },
  store: Pick<OutboxStore, 'writtenTo' | 'list'>,
  read: readonly ReadMail[],
  signal: AbortSignal,
): Promise<readonly RecipientMark[]> {
  const addresses = recipientsOf(sending)
  const written = await store.writtenTo(account.id, addresses)
  const unknown = addresses.filter((address) => !written.has(addressKey(address)))
  const found = await writtenBefore(account, unknown.slice(0, MOST_LOOKED_FOR), signal)
  const fresh = unknown.filter((address) => !found.has(address))
  const repeated = await sentLately(sending, digest, store, now)
  const known = [...new Set([...(account.address === undefined ? [] : [account.address]), ...readersIn(read)])]
  const marks = addresses.map(async (address, at): Promise<RecipientMark[]> => {
    const like =
      at < MOST_LOOKED_FOR ? await imitated(address, known, account, store, signal) : lookAlike(address, known)
    return [
      ...(repeated ? [{ address, mark: 'repeated' as const }] : []),
      ...(fresh.includes(address) ? [{ address, mark: 'new' as const }] : []),
      ...(like === undefined ? [] : [{ address, mark: 'look_alike' as const, like }]),
    ]
  })
  return (await Promise.all(marks)).flat()
}

/** More that look like one address than a mailbox has by chance. */
const MOST_ALIKE = 5

/** The address or domain that this one imitates. Where it is the genuine one, whatever looks like it is the imitation. */
async function imitated(
  address: string,
  known: readonly string[],
  account: Account,
  store: Pick<OutboxStore, 'writtenTo'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  let others = known
  for (let compared = 0; ; compared++) {
    const like = lookAlike(address, others)
    if (like === undefined) return undefined
    if (compared === MOST_ALIKE || !(await isGenuine(address, like, account, store, signal))) return like
    others = others.filter((other) => other !== like && domainOf(other) !== like)
  }
}

/** An agent that asks again for what has left already may not have heard that it did. */
async function sentLately(
  { account }: Sending,
  digest: string,
  store: Pick<OutboxStore, 'list'>,
  now: number,
): Promise<boolean> {
  const sent = await store.list({ kinds: ['sent'], most: MOST_SENT })
  return sent.some(
    (entry) => entry.digest === digest && entry.sending.account === account && now - entry.created < REPEATED_MS,
  )
}

function readersIn(read: readonly ReadMail[]): readonly string[] {
  return read.flatMap(({ readers }) => readers)
}

/** Those that something in the folder of what was sent is addressed to. One that cannot be looked for is new. */
async function writtenBefore(
  { source }: Account,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set()
  try {
    const sent = withRoles(await source.mailboxes(signal)).find(({ role }) => role === 'sent')
    if (sent === undefined) return new Set()
    const counts = await Promise.all(
      addresses.map((address) => source.find(sent.name, { criteria: { to: address }, take: 1 }, signal)),
    )
    return new Set(addresses.filter((_, at) => (counts[at]?.total ?? 0) > 0))
  } catch {
    signal.throwIfAborted()
    return new Set()
  }
}
