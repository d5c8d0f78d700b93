/**
 * A configuration tree on disk, a real mail server behind it, and Postern in front, once for each caller.
 *
 * INVARIANT: whatever a test did, no password of its accounts has come out of any of these processes.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { writeTree } from '../config/trees.ts'
import { type Dovecot, type DovecotOptions, startDovecot } from '../dovecot/dovecot.ts'
import { type OtherClient, otherClient } from '../dovecot/other-client.ts'
import { type Postern, passwordOf, startPostern, type Variables } from '../imap/postern.ts'
import { type MailProxy, startProxy } from '../imap/proxy.ts'
import { expectNoSecret, filesIn } from '../imap/secret-forms.ts'
import type { SeedMessage } from '../mail-source/messages.ts'
import { type Answer, type Arguments, ask, type RpcError, refusal } from './answers.ts'

export type Level = 'NONE' | 'COUNT' | 'METADATA' | 'ENVELOPE' | 'HEADERS' | 'BODY' | 'FULL'

export const LEVELS: readonly Level[] = ['NONE', 'COUNT', 'METADATA', 'ENVELOPE', 'HEADERS', 'BODY', 'FULL']

/** A folder of a policy, with the keys of its file. */
export interface Folder {
  readonly path: string
  readonly mode: 'whitelist' | 'blacklist'
  readonly default: Level
  readonly rules?: readonly object[]
  readonly mark_seen?: boolean
  readonly mark_tagged?: boolean
  readonly move_out?: boolean
  readonly accept_incoming?: boolean
  readonly draft_append?: boolean
  readonly delete?: boolean
  readonly may_raise?: boolean
}

export interface Spec {
  /** The users of the mail server; each is an account of the same name unless `accounts` says otherwise. */
  readonly users?: readonly string[]
  /** More of accounts.yaml, by account id. */
  readonly accounts?: Readonly<Record<string, object>>
  /** By caller id. A caller whose policy is not named has the one of its own name. */
  readonly callers: Readonly<Record<string, object>>
  /** By name. */
  readonly policies: Readonly<Record<string, PolicySpec>>
  readonly dovecot?: Partial<DovecotOptions>
  /** More secrets, by the path of their reference. */
  readonly secrets?: Readonly<Record<string, string>>
  /** More of the environment of every process. */
  readonly env?: Variables
}

export interface PolicySpec {
  readonly conceal_hidden?: boolean
  readonly accounts: Readonly<Record<string, readonly Folder[]>>
}

export interface Agent {
  readonly postern: Postern
  /** A call of the `policy` set, checked for what holds of all of them. */
  ask(tool: string, args?: Arguments): Promise<Answer>
  /** A call that must be a JSON-RPC error. */
  refusal(tool: string, args?: Arguments): Promise<RpcError>
}

export interface Stage {
  readonly dovecot: Dovecot
  /** Between every account and the server. */
  readonly proxy: MailProxy
  readonly tree: string
  readonly dataDir: string
  /** The process of one caller, started with its first use. */
  as(caller: string): Promise<Agent>
  /** Another mail program at the mailboxes of a user. */
  client(user: string): Promise<OtherClient>
  /** Adds messages; the folder is made if it is missing. */
  put(user: string, folder: string, messages: readonly (string | SeedMessage)[]): Promise<readonly number[]>
  /** Gives one user the mail of another, uids, dates and all; the server is away meanwhile. */
  twin(from: string, to: string): Promise<void>
  /** All that the audit log holds by now. */
  audit(): Promise<string>
  close(): Promise<void>
}

export async function startStage(spec: Spec): Promise<Stage> {
  const users = spec.users ?? ['ada']
  const dovecot = await startDovecot({
    users: Object.fromEntries(users.map((user) => [user, passwordOf(user)])),
    ...spec.dovecot,
  })
  try {
    return await before(dovecot, users, spec)
  } catch (error) {
    await dovecot.stop()
    throw error
  }
}

async function before(dovecot: Dovecot, users: readonly string[], spec: Spec): Promise<Stage> {
  const proxy = await startProxy(dovecot.port)
  const tree = writeTree(filesOf(spec, users, proxy.port))
  const dataDir = await mkdtemp(join(tmpdir(), 'pp-'))
  const agents = new Map<string, Promise<Agent>>()
  const clients = new Map<string, Promise<OtherClient>>()
  const client = (user: string): Promise<OtherClient> =>
    remembered(clients, user, () => otherClient(dovecot.port, user, passwordOf(user)))
  return {
    dovecot,
    proxy,
    tree,
    dataDir,
    client,
    as: (caller) => remembered(agents, caller, () => startAgent(tree, dataDir, caller, spec.env)),
    put: async (user, folder, messages) => (await client(user)).seed(folder, messages.map(seedOf)),
    twin: async (from, to) => {
      await Promise.allSettled([...clients.values()].map(loggedOut))
      clients.clear()
      await dovecot.pause()
      const mailOf = (user: string): string => join(dirname(dovecot.caFile), 'mail', user)
      await promisify(execFile)('cp', ['-a', `${mailOf(from)}/.`, mailOf(to)])
      await dovecot.restart()
    },
    audit: async () => (await filesIn(join(dataDir, 'audit'))).join(''),
    close: async () => {
      const started = await Promise.all(agents.values())
      const closings = [...started.map(({ postern }) => postern.close()), ...[...clients.values()].map(loggedOut)]
      await Promise.allSettled(closings)
      await proxy.close()
      await dovecot.stop()
      for (const { postern } of started) await expectNoSecret(secretsOf(users), postern.output, dataDir)
      await Promise.all([tree, dataDir].map((directory) => rm(directory, { recursive: true, force: true })))
    },
  }
}

async function startAgent(tree: string, dataDir: string, caller: string, env: Variables = {}): Promise<Agent> {
  const postern = await startPostern({ POSTERN_CONFIG_DIR: tree, IMAP_MCP_CALLER_ID: caller, ...env }, dataDir)
  const { client } = postern
  return {
    postern,
    ask: (tool, args) => ask(client, tool, args),
    refusal: (tool, args) => refusal(client, tool, args),
  }
}

async function loggedOut(client: Promise<OtherClient>): Promise<void> {
  await (await client).close()
}

function remembered<T>(known: Map<string, Promise<T>>, name: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(name) ?? make()
  known.set(name, made)
  return made
}

function seedOf(message: string | SeedMessage): SeedMessage {
  return typeof message === 'string' ? { raw: message } : message
}

function secretsOf(users: readonly string[]): Variables {
  return Object.fromEntries(
    users.flatMap((user) => [
      [`${user}_PASS`, passwordOf(user)],
      [`${user}_USER`, user],
    ]),
  )
}

/** JSON is YAML. */
function filesOf({ accounts = {}, callers, policies, secrets = {} }: Spec, users: readonly string[], port: number) {
  const own = Object.fromEntries(users.map((user) => [user, { user, ...passwordFrom(user) }]))
  const all = Object.entries({ ...own, ...accounts })
  const listed = all.map(([id, more]) => ({ id, ...('provider' in more ? {} : { host: '127.0.0.1', port }), ...more }))
  const secretStore = { backend: 'file_dir', path: 'secrets' }
  const files: Record<string, string> = {
    'accounts.yaml': JSON.stringify({ accounts: listed, secret_store: secretStore }, null, 1),
    'callers.yaml': JSON.stringify({ callers: Object.entries(callers).map(callerOf) }, null, 1),
  }
  for (const [name, policy] of Object.entries(policies)) {
    files[`policies/${name}.yaml`] = JSON.stringify({ name, ...policy }, null, 1)
  }
  for (const user of users) files[`secrets/accounts/${user}/password`] = passwordOf(user)
  for (const [ref, secret] of Object.entries(secrets)) files[`secrets/${ref}`] = secret
  return files
}

export function passwordFrom(user: string): object {
  return { auth: { type: 'password', secret_ref: `secret://accounts/${user}/password` } }
}

function callerOf([id, more]: readonly [string, object]): object {
  return { id, policy: id, auth: { type: 'stdio_trusted' }, ...more }
}

export const ALL_CAPABILITIES = {
  mark_seen: true,
  mark_tagged: true,
  move_out: true,
  accept_incoming: true,
  draft_append: true,
  delete: true,
} as const

/** Every message at this level, decided without looking at any. */
export function uniform(path: string, level: Level, more: Partial<Folder> = {}): Folder {
  if (level === 'NONE') return { path, mode: 'whitelist', default: 'NONE', rules: [], ...more }
  return { path, mode: 'blacklist', default: level, ...more }
}

/** Messages from this domain at this level, everything else hidden. */
export function granting(path: string, domain: string, level: Level, more: Partial<Folder> = {}): Folder {
  return {
    path,
    mode: 'whitelist',
    default: 'NONE',
    rules: [{ match: { from_domain: domain }, grant: level }],
    ...more,
  }
}
