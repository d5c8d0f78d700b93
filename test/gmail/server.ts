/**
 * A mail server that behaves as Gmail does over IMAP (X-GM-EXT-1), in memory, for tests.
 *
 * What it knows of Gmail: labels are mailboxes, and a message has a uid of its own under each; All Mail holds all but
 * Trash and Spam; special mailboxes are named in the account's language and known by their special-use attributes;
 * X-GM-LABELS leaves out the selected mailbox's own label; COPY adds a label, MOVE swaps, EXPUNGE takes away; a label
 * that is stored and not there is made; text is searched for by whole words; there is no SORT.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { GmailConnection, type House } from './connection.ts'
import { type AccountOptions, GmailAccount } from './login.ts'
import type { NewMessage, StoreOptions } from './store.ts'

export interface GmailOptions extends StoreOptions {
  /** Without any, one account: `ada@gmail.com`, password `app password`, token `good token`. */
  readonly accounts?: readonly AccountOptions[]
  /** Of the first account. */
  readonly messages?: readonly NewMessage[]
  readonly labels?: readonly string[]
  /** Gmail's own limit is 15 an account. */
  readonly maxConnections?: number
  readonly slowMs?: number
  /** TLS from the start, PEM. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

export interface Gmail {
  readonly host: string
  readonly port: number
  /** The only account, or the one of that name. */
  account(user?: string): GmailAccount
  /** Every command since the last `forget`, without tags; of a login only that there was one. */
  commands(): readonly string[]
  forget(): void
  /** Breaks all connections now. */
  cutAll(): void
  stop(): Promise<void>
}

export const DEFAULT_ACCOUNT = { user: 'ada@gmail.com', password: 'app password', tokens: ['good token'] } as const

export async function startGmail(options: GmailOptions = {}): Promise<Gmail> {
  const accounts = accountsOf(options)
  const sockets = new Set<Socket>()
  const heard: string[] = []
  const house: House = {
    accounts,
    maxConnections: options.maxConnections ?? 15,
    slowMs: options.slowMs ?? 0,
    heard: (text) => heard.push(text),
  }
  const accept = (socket: Socket): void => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    void new GmailConnection(socket, house).run().catch((error: unknown) => socket.destroy(error as Error))
  }
  const server = options.tls === undefined ? createServer(accept) : createTlsServer(options.tls, accept)
  const port = await listen(server)
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    host: '127.0.0.1',
    port,
    account: (user) => accountOf(accounts, user),
    commands: () => heard,
    forget: () => {
      heard.length = 0
    },
    cutAll,
    stop: async () => {
      cutAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function accountsOf({ accounts = [DEFAULT_ACCOUNT], messages = [], labels = [], ...rest }: GmailOptions) {
  return accounts.map((account, index) => {
    const { language, prefix, autoExpunge, lastExpunge, hidden } = rest
    const shared = { language, prefix, autoExpunge, lastExpunge, hidden }
    const given = Object.fromEntries(Object.entries(shared).filter(([, value]) => value !== undefined))
    return new GmailAccount({ ...(index === 0 ? { messages, labels } : {}), ...given, ...account })
  })
}

function accountOf(accounts: readonly GmailAccount[], user: string | undefined): GmailAccount {
  const found = user === undefined ? accounts[0] : accounts.find((account) => account.user === user)
  if (found === undefined) throw new Error('no such account')
  return found
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (typeof address === 'object' && address !== null) resolve(address.port)
      else reject(new Error('the server has no port'))
    })
  })
}
