/**
 * What is to be sent, field by field: what a person approves, and nothing else.
 *
 * INVARIANT: two that differ in any of this, by a single byte, have different canonical texts; nothing beside it does.
 */
import { canonicalJson } from '../audit/chain.ts'
import type { StrictAddress } from '../compose/strict-address.ts'

export interface Sending {
  readonly kind: 'send' | 'reply'
  /** Whoever asked for it. */
  readonly caller: string
  readonly account: string
  readonly from: StrictAddress
  readonly to: readonly StrictAddress[]
  readonly cc: readonly StrictAddress[]
  /** Those that nobody else is told of. */
  readonly bcc: readonly StrictAddress[]
  readonly subject: string
  /** All of the text that is read at the other end, the quotation included. */
  readonly text: string
  readonly html: string | undefined
  readonly attachments: readonly AttachedFile[]
  /** What it answers. */
  readonly thread: SendingThread | undefined
  /** Where a person has made it from a message that an agent wrote. */
  readonly version?: Version
}

export interface Version {
  /** The id of the message that it replaces. */
  readonly of: string
  /** The person. */
  readonly by: string
  readonly how: 'plain_text' | 'without_hidden'
}

export interface AttachedFile {
  readonly filename: string
  readonly type: string
  readonly size: number
  /** SHA-256 of its content in hex. */
  readonly digest: string
}

export interface SendingThread {
  /** As the caller names it. */
  readonly id: string
  readonly inReplyTo: string | undefined
  readonly references: readonly string[]
}

/** Its SHA-256 is the digest that an approval is bound to. */
export function canonicalSending(sending: Sending): string {
  const { kind, caller, account, from, to, cc, bcc, subject, text, html = null, attachments, thread, version } = sending
  const people = (list: readonly StrictAddress[]): unknown => list.map(({ name, address }) => ({ name, address }))
  return canonicalJson({
    kind,
    caller,
    account,
    from: people([from]),
    to: people(to),
    cc: people(cc),
    bcc: people(bcc),
    subject,
    text,
    html,
    attachments: attachments.map(({ filename, type, size, digest }) => ({ filename, type, size, digest })),
    thread: thread === undefined ? null : { ...thread, inReplyTo: thread.inReplyTo ?? null },
    ...(version && { version: { of: version.of, by: version.by, how: version.how } }),
  })
}

/** Everybody who gets it, each once, in the order of To, Cc, Bcc. The domain is the same in any letter case. */
export function recipientsOf({ to, cc, bcc }: Pick<Sending, 'to' | 'cc' | 'bcc'>): readonly string[] {
  const byKey = new Map<string, string>()
  for (const { address } of [...to, ...cc, ...bcc]) {
    const key = addressKey(address)
    if (!byKey.has(key)) byKey.set(key, address)
  }
  return [...byKey.values()]
}

/** The same for two spellings of one address. What stands before the `@` is its server's to read. */
export function addressKey(address: string): string {
  const at = address.lastIndexOf('@')
  return address.slice(0, at) + address.slice(at).toLowerCase()
}
