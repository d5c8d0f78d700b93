/** Where it all happens: a mail server, a striking proxy before each of two accounts, and Postern's configuration. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StdioClient } from '../../bench/stdio-client.ts'
import { writeTree } from '../config/trees.ts'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { type OtherClient, otherClient } from '../dovecot/other-client.ts'
import { FROM, type MailboxOf, passwordOf, TO } from './mailboxes.ts'
import { type Onlooker, onlookerAt } from './onlooker.ts'
import { type StrikingProxy, startStrikingProxy } from './proxy.ts'

const PROGRAM = join(import.meta.dirname, '../../bin/postern.mjs')

export interface Place {
  readonly dovecot: Dovecot
  readonly proxies: { readonly source: StrikingProxy; readonly destination: StrikingProxy }
  readonly onlooker: Onlooker
  readonly owners: { readonly source: OtherClient; readonly destination: OtherClient }
  /** An empty data directory, gone in the end. */
  newDataDir(): string
  startProgram(dataDir: string): Promise<StdioClient>
  close(): Promise<void>
}

export async function openPlace(): Promise<Place> {
  const users = Object.fromEntries([FROM, TO].map(({ user }) => [user, passwordOf(user)]))
  const dovecot = await startDovecot({ users })
  const [source, destination] = [await startStrikingProxy(dovecot.port), await startStrikingProxy(dovecot.port)]
  const owners = { source: await ownerOf(dovecot.port, FROM), destination: await ownerOf(dovecot.port, TO) }
  const onlooker = await onlookerAt(dovecot.port)
  const tree = writeTree(treeFiles({ [FROM.user]: source.port, [TO.user]: destination.port }))
  const folders = [tree]
  return {
    dovecot,
    proxies: { source, destination },
    onlooker,
    owners,
    newDataDir: () => {
      const directory = mkdtempSync(join(tmpdir(), 'pc-'))
      folders.push(directory)
      return directory
    },
    startProgram: async (dataDir) => {
      const client = new StdioClient({ args: [PROGRAM], env: surroundings(tree, dataDir) })
      await client.initialize()
      return client
    },
    close: async () => {
      await Promise.allSettled([onlooker.close(), owners.source.close(), owners.destination.close()])
      await Promise.all([source.close(), destination.close()])
      await dovecot.stop()
      for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function ownerOf(port: number, { user, mailbox }: MailboxOf): Promise<OtherClient> {
  const owner = await otherClient(port, user, passwordOf(user))
  await owner.imap.mailboxCreate(mailbox)
  return owner
}

/** JSON is YAML. */
function treeFiles(ports: Readonly<Record<string, number>>): Record<string, string> {
  const users = Object.keys(ports)
  const ref = (user: string): string => `accounts/${user}/password`
  const accounts = users.map((user) => {
    const auth = { type: 'password', secret_ref: `secret://${ref(user)}` }
    return { id: user, user, host: '127.0.0.1', port: ports[user], auth }
  })
  const open = { mode: 'blacklist', default: 'FULL', move_out: true, accept_incoming: true }
  const folders = (user: string): readonly object[] => [
    { path: user === FROM.user ? FROM.mailbox : TO.mailbox, ...open },
  ]
  const policy = { name: 'mover', accounts: Object.fromEntries(users.map((user) => [user, folders(user)])) }
  const callers = [{ id: 'mover', policy: 'mover', auth: { type: 'stdio_trusted' } }]
  return {
    'accounts.yaml': JSON.stringify({ accounts, secret_store: { backend: 'file_dir', path: 'secrets' } }),
    'callers.yaml': JSON.stringify({ callers }),
    'policies/mover.yaml': JSON.stringify(policy),
    ...Object.fromEntries(users.map((user) => [`secrets/${ref(user)}`, passwordOf(user)])),
  }
}

function surroundings(tree: string, dataDir: string): Record<string, string> {
  const folders = ['HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'POSTERN_DATA_DIR']
  const own = Object.fromEntries(folders.map((name) => [name, dataDir]))
  return { ...own, POSTERN_CONFIG_DIR: tree, IMAP_MCP_CALLER_ID: 'mover' }
}
