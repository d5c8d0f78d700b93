/** Somebody else at the same mailboxes: a client that shares no code with ours. */
import { ImapFlow } from 'imapflow'
import type { SeedMessage } from '../mail-source/messages.ts'

export interface OtherClient {
  /** Creates the mailbox if it is not there, and adds the messages. Returns their uids. */
  seed(mailbox: string, messages: readonly SeedMessage[]): Promise<readonly number[]>
  vanish(mailbox: string, uid: number): Promise<void>
  flags(mailbox: string, uid: number): Promise<readonly string[]>
  uids(mailbox: string): Promise<readonly number[]>
  readonly imap: ImapFlow
  close(): Promise<void>
}

export async function otherClient(port: number, user: string, password: string): Promise<OtherClient> {
  const auth = { user, pass: password }
  const imap = new ImapFlow({ host: '127.0.0.1', port, secure: false, doSTARTTLS: false, auth, logger: false })
  imap.on('error', () => undefined)
  await imap.connect()
  const inside = async <T>(mailbox: string, work: () => Promise<T>): Promise<T> => {
    await imap.mailboxOpen(mailbox)
    return work()
  }
  return {
    imap,
    seed: (mailbox, messages) => seed(imap, mailbox, messages),
    vanish: (mailbox, uid) =>
      inside(mailbox, async () => {
        await imap.messageDelete(String(uid), { uid: true })
      }),
    flags: (mailbox, uid) =>
      inside(mailbox, async () => {
        const message = await imap.fetchOne(String(uid), { flags: true }, { uid: true })
        return message ? [...(message.flags ?? [])] : []
      }),
    uids: (mailbox) =>
      inside(mailbox, async () => {
        const found = await imap.search({ all: true }, { uid: true })
        return found === false || found === undefined ? [] : found
      }),
    close: () => imap.logout(),
  }
}

async function seed(imap: ImapFlow, mailbox: string, messages: readonly SeedMessage[]): Promise<readonly number[]> {
  if (mailbox !== 'INBOX') await imap.mailboxCreate(mailbox)
  const uids: number[] = []
  for (const { raw, flags, received } of messages) {
    const date = received === undefined ? undefined : new Date(received * 1000)
    const placed = await imap.append(mailbox, Buffer.from(raw), [...(flags ?? [])], date)
    if (placed === false || placed.uid === undefined) throw new Error(`a message could not be put into ${mailbox}`)
    uids.push(placed.uid)
  }
  return uids
}
