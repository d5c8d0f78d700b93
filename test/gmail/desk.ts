/** What tests of the adapter on a Gmail-like server begin with. */
import type { ImapOptions } from '../../src/adapters/imap/line/options.ts'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import type { GoogleMail } from '../../src/ports/google-mail.ts'
import type { MailboxAt, MailSource } from '../../src/ports/mail-source.ts'
import { type MailProxy, startProxy } from '../dovecot/proxy.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { DEFAULT_ACCOUNT, type Gmail, type GmailOptions, startGmail } from './server.ts'
import type { GmailStore, Message } from './store.ts'

export function accountOptions({ host, port }: Pick<Gmail, 'host' | 'port'>): ImapOptions {
  const { user, password } = DEFAULT_ACCOUNT
  return { account: 'work', host, port, tls: 'none', user, access: fixedPassword(password), socketTimeoutMs: 10_000 }
}

export interface GmailDesk {
  readonly gmail: Gmail
  readonly proxy: MailProxy
  readonly store: GmailStore
  readonly source: MailSource & GoogleMail
  /** Where the adapter finds that mailbox. */
  at(mailbox: string): MailboxAt
  uidIn(mailbox: string, message: Message): number
  labels(message: Message): readonly string[]
  stop(): Promise<void>
}

/** One account, one source, and a proxy between the two. */
export async function openDesk(options: GmailOptions = {}): Promise<GmailDesk> {
  const gmail = await startGmail(options)
  const proxy = await startProxy(gmail.port)
  const source = createImapSource(accountOptions({ host: '127.0.0.1', port: proxy.port }), silentLog)
  const { store } = gmail.account()
  return {
    gmail,
    proxy,
    store,
    source,
    at: (mailbox) => ({ mailbox, uidvalidity: store.mailbox(mailbox)?.uidvalidity ?? 0 }),
    uidIn: (mailbox, message) => store.mailbox(mailbox)?.uidOf(message.msgid) ?? 0,
    labels: (message) => [...(store.message(message.msgid)?.labels ?? [])].sort(),
    stop: async () => {
      await source.close()
      await proxy.stop()
      await gmail.stop()
    },
  }
}
