/** What tests of the adapter on a Gmail-like server begin with. */
import type { ImapOptions } from '../../src/adapters/imap/options.ts'
import { DEFAULT_ACCOUNT, type Gmail } from './server.ts'

export function accountOptions({ host, port }: Pick<Gmail, 'host' | 'port'>): ImapOptions {
  const { user, password } = DEFAULT_ACCOUNT
  return { account: 'work', host, port, tls: 'none', user, password, socketTimeoutMs: 10_000 }
}
