/** A real mail server with two users, and Postern in front of it. */
import { type Dovecot, type DovecotOptions, startDovecot } from '../dovecot/dovecot.ts'
import { type OtherClient, otherClient } from '../dovecot/other-client.ts'
import { letter, type SeedMessage } from '../mail-source/messages.ts'
import { account, type Postern, passwordOf, startPostern, type Variables, WRITABLE } from './postern.ts'
import { type MailProxy, startProxy } from './proxy.ts'

/** The account `default` is Ada's, `work` is Bob's. */
export const ADA = 'ada'
export const BOB = 'bob'

export interface Stage {
  readonly dovecot: Dovecot
  /** Between the account `default` and the server. */
  readonly proxy: MailProxy
  readonly postern: Postern
  /** Another mail program at the same mailboxes. */
  readonly ada: OtherClient
  readonly bob: OtherClient
  /** Adds messages to a mailbox of Ada's, which is made if it is missing. Returns their message ids. */
  put(mailbox: string, messages: readonly (string | SeedMessage)[]): Promise<string[]>
  close(): Promise<void>
}

export interface StageOptions extends Partial<DovecotOptions> {
  readonly env?: Variables
}

export async function startStage({ env = WRITABLE, ...options }: StageOptions = {}): Promise<Stage> {
  const users = { [ADA]: passwordOf(ADA), [BOB]: passwordOf(BOB) }
  const dovecot = await startDovecot({ users, ...options })
  try {
    return await before(dovecot, env)
  } catch (error) {
    await dovecot.stop()
    throw error
  }
}

async function before(dovecot: Dovecot, env: Variables): Promise<Stage> {
  const proxy = await startProxy(dovecot.port)
  const [ada, bob, postern] = await Promise.all([
    otherClient(dovecot.port, ADA, passwordOf(ADA)),
    otherClient(dovecot.port, BOB, passwordOf(BOB)),
    startPostern({ ...account('default', proxy.port, ADA), ...account('work', dovecot.port, BOB), ...env }),
  ])
  return {
    dovecot,
    proxy,
    postern,
    ada,
    bob,
    put: (mailbox, messages) => put(ada, mailbox, messages),
    close: async () => {
      // One that a test has ended already must not keep the others alive.
      await Promise.allSettled([postern.close(), ada.close(), bob.close()])
      await proxy.close()
      await dovecot.stop()
    },
  }
}

async function put(
  client: OtherClient,
  mailbox: string,
  messages: readonly (string | SeedMessage)[],
): Promise<string[]> {
  const seeds = messages.map((message) => (typeof message === 'string' ? { raw: message } : message))
  const uids = await client.seed(mailbox, seeds)
  const uidvalidity = await uidvalidityOf(client, mailbox)
  return uids.map((uid) => messageId(mailbox, uidvalidity, uid))
}

export async function uidvalidityOf({ imap }: OtherClient, mailbox: string): Promise<number> {
  const status = await imap.status(mailbox, { uidValidity: true })
  return Number(status === false ? 0 : status.uidValidity)
}

export function messageId(mailbox: string, uidvalidity: number, uid: number, accountId = 'default'): string {
  return `imap:${accountId}:${mailbox}:${uidvalidity}:${uid}`
}

export function uidOf(id: string): number {
  return Number(id.split(':').at(-1))
}

let mailboxes = 0

/** A mailbox that no other test knows, with a message for each subject. */
export async function ownMailbox(stage: Stage, ...subjects: string[]): Promise<{ name: string; ids: string[] }> {
  mailboxes += 1
  const name = `Box ${mailboxes}`
  const letters = subjects.map((subject) => letter({ subject }))
  return { name, ids: await stage.put(name, letters) }
}

export interface Content {
  readonly uid: number
  readonly subject: string
  readonly flags: readonly string[]
}

/** What another mail program finds in a mailbox. */
export async function contents({ imap }: OtherClient, name: string): Promise<Content[]> {
  const { exists } = await imap.mailboxOpen(name)
  if (exists === 0) return []
  const found = await imap.fetchAll('1:*', { uid: true, envelope: true, flags: true })
  // What the server tells of others' changes comes without an envelope.
  return found.flatMap(({ envelope, flags, uid }) =>
    envelope === undefined ? [] : [{ uid, subject: envelope.subject ?? '', flags: lastingFlags(flags) }],
  )
}

/** Without the one that the server sets and forgets by itself. */
export function lastingFlags(flags: Iterable<string> | null | undefined): string[] {
  return [...(flags ?? [])].filter((flag) => flag !== '\\Recent').sort()
}
