/**
 * A Gmail account, the OAuth that opens it, a configuration tree, and the built program between them and an agent.
 *
 * INVARIANT: everything lies in directories that go with `close`, and every process that was started is ended by it, by its own id.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { writeTree } from '../config/trees.ts'
import { freePort } from '../dovecot/dovecot.ts'
import { type Arguments, PROGRAM, surroundings, type Variables } from '../imap/postern.ts'
import { RawProcess } from '../mcp/raw-process.ts'
import { consent } from '../oauth/google.ts'
import { type FaultProxy, startProxy } from './proxy.ts'
import { ADDRESS, type Delivery, startEmulator } from './scene.ts'
import { createSupplement, type Held } from './supplement.ts'

export const ACCOUNT = 'g'
export const FULL_SCOPE = 'https://mail.google.com/'
const REFRESH_TOKEN = 'secrets/accounts/g/refresh_token'
const CLIENT = { client_id: 'desktop-app', client_secret: 'GOCSPX-not-really-secret', name: 'Postern' }
const HTTP_TOKEN = 'token-of-the-http-caller-which-is-long-enough'
const STDIO_CALLER = { id: 'bot', auth: { type: 'stdio_trusted' } }
const HTTP_CALLER = { id: 'web', auth: { type: 'shared_token', token_secret_ref: 'secret://callers/web' } }
const EVERYTHING = {
  ...{ mark_seen: true, mark_tagged: true, move_out: true, accept_incoming: true, draft_append: true, delete: true },
}
/** Every label at FULL, with every capability. */
export const OPEN = [{ path: '**', mode: 'blacklist', default: 'FULL', ...EVERYTHING }]

export interface ProgramOptions {
  /** More of the account in accounts.yaml. */
  readonly account?: object
  readonly scope?: string
  /** More of the policy; every label at FULL where it names no accounts. */
  readonly policy?: object
  /** More accounts, and secrets by the path of their reference. */
  readonly accounts?: readonly object[]
  readonly secrets?: Readonly<Record<string, string>>
  readonly env?: Variables
}

export interface Said {
  readonly text: string
  readonly isError: boolean
  readonly value: Readonly<Record<string, unknown>>
}

export interface Agent {
  readonly client: Client
  readonly pid: number
  say(tool: string, args?: Arguments): Promise<Said>
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>
  close(): Promise<void>
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface ProgramScene {
  readonly proxy: FaultProxy
  readonly tree: string
  readonly data: string
  /** Puts a message in, as mail that came; gives its Gmail id. */
  deliver(raw: string, options?: Delivery): Promise<string>
  createLabel(name: string): Promise<string>
  /** Somebody else changes something, in another program. */
  elsewhere(path: string, body?: object, method?: string): Promise<unknown>
  /** Those with that label; all without one. */
  held(label?: string): readonly Held[]
  /** An agent over stdio, at a process of its own. */
  agent(sets: string, env?: Variables): Promise<Agent>
  /** An agent over HTTP, at a server of its own. */
  agentOverHttp(sets: string): Promise<Agent>
  /** A command of the operator. */
  postern(...words: string[]): Promise<Ran>
  vault(folder: string): Promise<readonly string[]>
  /** All access tokens are void; the grant stays. */
  voidTokens(): void
  /** The person takes the access back. */
  revoke(): Promise<void>
  /** `postern oauth`, with a person at the browser who says yes. */
  grantAnew(): Promise<number>
  close(): Promise<void>
}

export async function startProgramScene(options: ProgramOptions = {}): Promise<ProgramScene> {
  const [port, redirectPort] = [await freePort(), await freePort()]
  const google = `http://127.0.0.1:${port}`
  const redirect = `http://127.0.0.1:${redirectPort}/callback`
  const emulator = startEmulator(google, [{ ...CLIENT, redirect_uris: [redirect] }])
  const oauth = serve({ fetch: (request) => emulator.app.fetch(request), port, hostname: '127.0.0.1' })
  const ours = new Set(emulator.granted.keys())
  const proxy = await startProxy(
    createSupplement({
      emulator: (request) => emulator.app.fetch(request),
      messages: emulator.held,
      labels: emulator.labels,
      takes: (token) => emulator.granted.has(token) && !ours.has(token),
      tokens: emulator.tokens,
      address: ADDRESS,
    }),
  )
  const { scope = FULL_SCOPE } = options
  const refreshToken = await grant(google, redirect, scope)
  const tree = writeTree(filesOf(options, refreshToken, STDIO_CALLER))
  const httpTree = writeTree(filesOf(options, refreshToken, HTTP_CALLER))
  const data = await mkdtemp(join(tmpdir(), 'pg-'))
  const env = surroundings(
    {
      ...{ PATH: process.env['PATH'] ?? '', POSTERN_CONFIG_DIR: tree, POSTERN_GMAIL_ENDPOINT: proxy.url },
      ...{ IMAP_MCP_CALLER_ID: 'bot', DEV_MODE: 'false' },
      ...{ IMAP_MCP_OAUTH_CLIENT_ID: CLIENT.client_id, IMAP_MCP_OAUTH_CLIENT_SECRET: CLIENT.client_secret },
      ...{ IMAP_MCP_OAUTH_AUTH_URL: `${google}/o/oauth2/v2/auth`, IMAP_MCP_OAUTH_TOKEN_URL: `${google}/oauth2/token` },
      ...{ IMAP_MCP_OAUTH_REDIRECT_PORT: String(redirectPort) },
      ...options.env,
    },
    data,
  )
  const agents: Agent[] = []
  const servers: RawProcess[] = []
  const revoke = async (token: string): Promise<void> => {
    await fetch(`${google}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token }) })
  }
  const voidTokens = (): void => {
    for (const token of [...emulator.granted.keys()]) if (!ours.has(token)) emulator.granted.delete(token)
  }
  const kept = <T extends Agent>(agent: T): T => {
    agents.push(agent)
    return agent
  }
  return {
    proxy,
    tree,
    data,
    deliver: (raw, { labels = ['INBOX', 'UNREAD'], received, thread } = {}) =>
      emulator.insert({
        raw: Buffer.from(raw).toString('base64url'),
        labelIds: labels,
        internalDate: String((received ?? Math.floor(Date.now() / 1000)) * 1000),
        ...(thread === undefined ? {} : { threadId: thread }),
      }),
    createLabel: (name) => emulator.createLabel(name),
    async elsewhere(path, body = {}, method = 'POST') {
      await aMomentLater()
      const headers = { Authorization: 'Bearer somebody-else', 'Content-Type': 'application/json' }
      const sent = method === 'GET' || method === 'DELETE' ? {} : { body: JSON.stringify(body) }
      const response = await fetch(`${google}/gmail/v1/users/me/${path}`, { method, headers, ...sent })
      if (!response.ok) throw new Error(`the emulator refused: ${response.status}`)
      const text = await response.text()
      return text === '' ? undefined : JSON.parse(text)
    },
    held: (label) => emulator.held().filter(({ labelIds }) => label === undefined || labelIds.includes(label)),
    agent: async (sets, more = {}) => kept(await overStdio({ ...env, ...more }, sets)),
    async agentOverHttp(sets) {
      const { IMAP_MCP_CALLER_ID: _, ...others } = env
      const rest = { ...others, POSTERN_CONFIG_DIR: httpTree }
      const server = new RawProcess([PROGRAM, '--transport', 'http', '--port', '0', '--toolsets', sets], rest)
      servers.push(server)
      return kept(await overHttp(server))
    },
    postern: (...words) => run(words, env),
    vault: async (folder) => (await readdir(join(data, 'vault', folder)).catch(() => [])).toSorted(),
    voidTokens,
    async revoke() {
      voidTokens()
      await revoke(refreshToken)
    },
    grantAnew: () => grantAnew(env),
    async close() {
      await Promise.allSettled(agents.map((agent) => agent.close()))
      for (const server of servers) server.kill()
      await Promise.all(servers.map((server) => server.exitCode()))
      await proxy.close()
      const gone = new Promise((resolve) => oauth.close(resolve))
      if ('closeAllConnections' in oauth) oauth.closeAllConnections()
      await gone
      await Promise.all([tree, httpTree, data].map((path) => rm(path, { recursive: true, force: true, maxRetries: 5 })))
    },
  }
}

/** The emulator numbers its history by milliseconds: what happens in the same one is in no order. */
export async function aMomentLater(): Promise<void> {
  const now = Date.now()
  while (Date.now() <= now + 1) await new Promise((resolve) => setTimeout(resolve, 1))
}

/** What a person grants in a browser, and a program makes of it. */
async function grant(google: string, redirect: string, scope: string): Promise<string> {
  const asked = { client_id: CLIENT.client_id, redirect_uri: redirect, scope, response_type: 'code' }
  const back = new URL(await consent(`${google}/o/oauth2/v2/auth?${new URLSearchParams(asked)}`))
  const { client_id, client_secret } = CLIENT
  const body = new URLSearchParams({
    ...{ grant_type: 'authorization_code', code: back.searchParams.get('code') ?? '' },
    ...{ client_id, client_secret, redirect_uri: redirect },
  })
  const answer = (await (await fetch(`${google}/oauth2/token`, { method: 'POST', body })).json()) as Json
  return String(answer['refresh_token'])
}

type Json = Record<string, unknown>

/** JSON is YAML. */
function filesOf(options: ProgramOptions, refreshToken: string, caller: object) {
  const { account, scope, policy, accounts = [], secrets = {} } = options
  const auth = {
    ...{ type: 'xoauth2', secret_ref: 'secret://accounts/g/refresh_token' },
    ...(scope !== undefined && { oauth_scope: scope }),
  }
  const gmail = { id: ACCOUNT, provider: 'gmail', user: ADDRESS, auth, ...account }
  const secret_store = { backend: 'file_dir', path: 'secrets' }
  return {
    'accounts.yaml': JSON.stringify({ accounts: [gmail, ...accounts], secret_store }),
    'callers.yaml': JSON.stringify({ callers: [{ policy: 'all', ...caller }] }),
    'policies/all.yaml': JSON.stringify({ name: 'all', send: true, accounts: { [ACCOUNT]: OPEN }, ...policy }),
    [REFRESH_TOKEN]: refreshToken,
    'secrets/callers/web': HTTP_TOKEN,
    ...Object.fromEntries(Object.entries(secrets).map(([ref, secret]) => [`secrets/${ref}`, secret])),
  }
}

async function overStdio(env: Record<string, string>, sets: string): Promise<Agent> {
  const args = [PROGRAM, '--toolsets', sets]
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' })
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(transport)
  const pid = transport.pid ?? 0
  return {
    client,
    pid,
    say: (tool, args) => said(client, tool, args),
    async kill() {
      const ended = new Promise<void>((resolve) => {
        client.onclose = resolve
      })
      process.kill(pid, 'SIGKILL')
      await ended
    },
    close: () => client.close(),
  }
}

async function overHttp(server: RawProcess): Promise<Agent> {
  const url = await listening(server)
  const client = new Client({ name: 'agent', version: '1' })
  const headers = { Authorization: `Bearer ${HTTP_TOKEN}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return {
    client,
    pid: server.child.pid ?? 0,
    say: (tool, args) => said(client, tool, args),
    async kill() {
      server.kill()
      await server.exitCode()
    },
    close: () => client.close(),
  }
}

async function said(client: Client, tool: string, args: Arguments = {}): Promise<Said> {
  const {
    content,
    isError = false,
    structuredContent = {},
  } = await client.callTool({ name: tool, arguments: { ...args } })
  const text = content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n')
  return { text, isError, value: structuredContent as Json }
}

function listening(server: RawProcess): Promise<string> {
  const heard = new Promise<string>((resolve) => {
    const look = (): void => {
      const url = /serving MCP at (http:\S+\/mcp)\n/.exec(server.errors)?.[1]
      if (url !== undefined) resolve(url)
    }
    server.child.stderr.on('data', look)
    look()
  })
  const ended = server.exitCode().then((code) => {
    throw new Error(`the server ended with ${code} before it listened:\n${server.errors}`)
  })
  ended.catch(() => undefined)
  return Promise.race([heard, ended])
}

function run(words: readonly string[], env: Record<string, string>): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
    child.stdin?.end()
  })
}

async function grantAnew(env: Record<string, string>): Promise<number> {
  const command = new RawProcess([PROGRAM, 'oauth', '--account', ACCOUNT], env)
  const address = await new Promise<string>((resolve) => {
    let said = ''
    command.child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const url = /^http:\S+$/m.exec(said)?.[0]
      if (url !== undefined && said.includes('Waiting')) resolve(url)
    })
  })
  await fetch(await consent(address))
  return (await command.exitCode()) ?? -1
}
