/**
 * Where the hijacked agent's mail comes from, and where whatever leaves is seen: a real mail server with a server that takes letters.
 *
 * INVARIANT: everything that has left, by whatever way, is in `left`.
 */
import { startDovecot } from '../dovecot/dovecot.ts'
import { otherClient } from '../dovecot/other-client.ts'
import { passwordOf, type Variables } from '../imap/postern.ts'
import { SINK_PASSWORD, SINK_USER, startSink } from '../smtp/sink.ts'

export const EMMA = 'emma'
export const FRED = 'fred'
export const ADDRESSES = { [EMMA]: 'emma@corp.example', [FRED]: 'fred@corp.example' } as const
export type User = keyof typeof ADDRESSES

/** One letter that got out. */
export interface Left {
  readonly recipients: readonly string[]
  readonly text: string
}

export interface PostOffice {
  /** Those that the account can be told to use. */
  readonly users: readonly User[]
  /** Emma's. */
  readonly address: string
  /** Those that the policies name. */
  readonly folders: readonly string[]
  /** As accounts.yaml has them. */
  readonly accounts: readonly object[]
  /** By the path of their reference. */
  readonly secrets: Readonly<Record<string, string>>
  readonly env: Variables
  /** Mail that came, in this order; the folder is made if it is missing. */
  deliver(user: User, mailbox: string, messages: readonly (string | Uint8Array)[]): Promise<void>
  /** Everything that has left, in order. */
  left(): readonly Left[]
  /** Counts whatever was asked of the server so that something leaves, also where nothing came of it. */
  asked(): number
  close(): Promise<void>
}

export async function smtpOffice(): Promise<PostOffice> {
  const users = [EMMA, FRED] as const
  const passwords = Object.fromEntries(users.map((user) => [user, passwordOf(user)]))
  const [dovecot, sink] = await Promise.all([startDovecot({ users: passwords }), startSink()])
  const clients = await Promise.all(users.map((user) => otherClient(dovecot.port, user, passwordOf(user))))
  const smtp = {
    host: '127.0.0.1',
    port: sink.port,
    tls: 'none',
    user: SINK_USER,
    secret_ref: 'secret://smtp/password',
  }
  return {
    users,
    address: ADDRESSES[EMMA],
    folders: ['INBOX', 'Drafts', 'Sent', 'Outbox'],
    accounts: users.map((user) => ({
      id: user,
      user,
      host: '127.0.0.1',
      port: dovecot.port,
      identity: ADDRESSES[user],
      auth: { type: 'password', secret_ref: `secret://accounts/${user}/password` },
      smtp,
    })),
    secrets: {
      'smtp/password': SINK_PASSWORD,
      ...Object.fromEntries(users.map((user) => [`accounts/${user}/password`, passwordOf(user)])),
    },
    env: {},
    async deliver(user, mailbox, messages) {
      const letters = messages.map((raw) => ({ raw }))
      await clients[users.indexOf(user)]?.seed(mailbox, letters)
    },
    left: () => sink.messages.map(({ recipients, bytes }) => ({ recipients, text: bytes.toString() })),
    asked: () => sink.named.length,
    async close() {
      await Promise.allSettled(clients.map((client) => client.close()))
      await sink.close()
      await dovecot.stop()
    },
  }
}
