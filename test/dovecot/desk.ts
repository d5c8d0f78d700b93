/** A Dovecot, a proxy in front of it, our source behind that, and somebody else at the same mailboxes. */
import type { ImapOptions } from '../../src/adapters/imap/line/options.ts'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import { type Dovecot, type DovecotOptions, startDovecot } from './dovecot.ts'
import { type OtherClient, otherClient } from './other-client.ts'
import { type MailProxy, startProxy } from './proxy.ts'
import { silentLog } from './silent-log.ts'

export const USER = 'ada'
export const PASSWORD = 'correct horse "battery" staple'

export interface Desk {
  readonly dovecot: Dovecot
  readonly proxy: MailProxy
  readonly other: OtherClient
  readonly source: MailSource
  /** One more source, with other settings. */
  make(options?: Partial<ImapOptions>): MailSource
  stop(): Promise<void>
}

export async function startDesk(
  server: Partial<DovecotOptions> = {},
  settings: Partial<ImapOptions> = {},
): Promise<Desk> {
  const dovecot = await startDovecot({ users: { [USER]: PASSWORD }, ...server })
  const proxy = await startProxy(dovecot.port)
  const other = await otherClient(dovecot.port, USER, PASSWORD)
  const basic: ImapOptions = {
    ...{ account: 'work', host: '127.0.0.1', port: proxy.port, tls: 'none', user: USER },
    access: fixedPassword(PASSWORD),
    socketTimeoutMs: 10_000,
  }
  const sources: MailSource[] = []
  const make = (options: Partial<ImapOptions> = {}): MailSource => {
    const source = createImapSource({ ...basic, ...settings, ...options }, silentLog)
    sources.push(source)
    return source
  }
  const stop = async (): Promise<void> => {
    await Promise.all(sources.map((source) => source.close()))
    await other.close().catch(() => undefined)
    await proxy.stop()
    await dovecot.stop()
  }
  return { dovecot, proxy, other, source: make(), make, stop }
}
