/** What a mailbox holds, as another mail program sees it. */
import { createHash } from 'node:crypto'
import type { ImapFlow } from 'imapflow'

export interface Stored {
  readonly uid: number
  /** SHA-256 of all its bytes. */
  readonly hash: string
  readonly subject: string
  /** Without `\Recent`, in order. */
  readonly flags: readonly string[]
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received: number
}

/** The mailbox is opened anew, so that this is what it holds now. */
export async function contents(imap: ImapFlow, mailbox: string): Promise<readonly Stored[]> {
  const opened = await imap.mailboxOpen(mailbox)
  if (opened.exists === 0) return []
  const all = await imap.fetchAll('1:*', { uid: true, source: true, flags: true, internalDate: true })
  return all.map(({ uid, source = Buffer.alloc(0), flags = new Set<string>(), internalDate }) => ({
    uid,
    hash: hashOf(source),
    subject: /^Subject: (.*)$/m.exec(source.toString('latin1'))?.[1]?.trim() ?? '',
    flags: [...flags].filter((flag) => flag !== '\\Recent').sort(),
    received: new Date(internalDate ?? 0).getTime() / 1000,
  }))
}

export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}
