/**
 * Every variable that the specifications and docs/configuration.md name has its effect, for accounts of the environment and for
 * those of a tree.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../src/adapters/log/log.ts'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { dataDirectory } from '../../src/config/directories.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { loadTree } from '../../src/config/tree/load.ts'
import type { Account } from '../../src/engine/accounts/accounts.ts'
import { ownAccounts } from '../../src/house/environment-house.ts'
import { accountFrom } from '../../src/house/tree-accounts.ts'
import type { AuditLog } from '../../src/ports/audit-log.ts'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { type FakeServer, startBoasting, startMute } from '../imap/fake-server.ts'
import { never } from '../mail-source/bench.ts'
import { type FaultProxy, startFaultProxy } from '../transfer/fault-proxy.ts'
import { writeTree } from './trees.ts'

type Variables = Readonly<Record<string, string>>

const ROOT = join(import.meta.dirname, '../..')
const PASSWORD = 'correct-horse'

let dovecot: Dovecot
let proxy: FaultProxy
const directories: string[] = []
const opened: Account[] = []
const fakes: FakeServer[] = []
const silentLog = createLog({ level: 'silent' })
const content = createContentReader(silentLog)

beforeAll(async () => {
  dovecot = await startDovecot({ users: { ada: PASSWORD } })
  proxy = await startFaultProxy(dovecot.port)
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ source }) => source.close()))
  await Promise.all(fakes.splice(0).map((fake) => fake.close()))
})
afterAll(async () => {
  await Promise.all([proxy.close(), content.close()])
  await dovecot.stop()
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

interface Place {
  readonly port: number
  readonly secure?: boolean
  readonly host?: string
}

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-variables-'))
  directories.push(directory)
  return directory
}

function kept(account: Account | undefined): Account {
  if (account === undefined) throw new Error('there is no account')
  opened.push(account)
  return account
}

function ofEnvironment({ port, secure = false, host = '127.0.0.1' }: Place, env: Variables): Account {
  const server = { MAIL_IMAP_WORK_HOST: host, MAIL_IMAP_WORK_PORT: `${port}`, MAIL_IMAP_WORK_SECURE: `${secure}` }
  const config = readEnvironment({ ...server, MAIL_IMAP_WORK_USER: 'ada', MAIL_IMAP_WORK_PASS: PASSWORD, ...env })
  return kept(ownAccounts(config, { directory: scratch(), content, log: silentLog, follow: false })[0])
}

const audit: AuditLog = { append: async () => ({ seq: 0 }), close: async () => undefined }

function ofTree({ port, secure = false, host = '127.0.0.1' }: Place, env: Variables): Account {
  const auth = '{ type: password, secret_ref: secret://accounts/work/password }'
  const server = `host: ${host}, port: ${port}, tls: ${secure ? 'implicit' : 'none'}`
  const directory = writeTree({
    'accounts.yaml': `accounts:\n  - { id: work, user: ada, ${server}, auth: ${auth} }\nsecret_store: { backend: env_var }\n`,
    'callers.yaml': 'callers:\n  - { id: agent, policy: all, auth: { type: stdio_trusted } }\n',
    'policies/all.yaml':
      'name: all\naccounts:\n  work:\n    - { path: INBOX, mode: blacklist, default: FULL, rules: [] }\n',
  })
  directories.push(directory)
  const data = scratch()
  const [account] = loadTree(directory, env, data).accounts
  if (account === undefined) throw new Error('there is no account')
  const secrets = { read: async () => PASSWORD } as unknown as Parameters<typeof accountFrom>[1]['secrets']
  return kept(accountFrom(account, { env, directory: data, audit, log: silentLog, secrets }))
}

async function mute(): Promise<FakeServer> {
  const fake = await startMute()
  fakes.push(fake)
  return fake
}

const HOUSES = [
  ['of the environment', ofEnvironment],
  ['of a tree', ofTree],
] as const

describe.each(HOUSES)('an account %s', (_name, open) => {
  const draft = { bytes: Buffer.from('Subject: x\r\n\r\nbody\r\n'), flags: [], received: 1_700_000_000 }

  test('MAIL_IMAP_GREETING_TIMEOUT_MS: a server that says nothing is given up', async () => {
    const { source } = open({ port: (await mute()).port }, { MAIL_IMAP_GREETING_TIMEOUT_MS: '50' })
    await expect(source.probe(never())).rejects.toMatchObject({ code: 'timeout', stage: 'connect' })
  })

  test('MAIL_IMAP_CONNECT_TIMEOUT_MS: a server that does not secure the connection is given up', async () => {
    const { source } = open({ port: (await mute()).port, secure: true }, { MAIL_IMAP_CONNECT_TIMEOUT_MS: '50' })
    await expect(source.probe(never())).rejects.toThrow(/could not be reached within 0.1 s/)
  })

  test('MAIL_IMAP_SOCKET_TIMEOUT_MS: a server that falls silent is given up', async () => {
    proxy.plan({ at: ({ name }) => name === 'LIST', fault: { kind: 'stall' } })
    const { source } = open({ port: proxy.port }, { MAIL_IMAP_SOCKET_TIMEOUT_MS: '200' })
    await expect(source.mailboxes(never())).rejects.toThrow(/did not answer for 0.2 s/)
  })

  test('IMAP_MCP_APPEND_TIMEOUT: a message that is sent and not confirmed is given up, outcome unknown', async () => {
    proxy.plan({ at: ({ name }) => name === 'APPEND', fault: { kind: 'mute' }, times: 2 })
    const { source } = open({ port: proxy.port }, { IMAP_MCP_APPEND_TIMEOUT: '1' })
    const both = [source.append('INBOX', draft, never()), source.appendEach('INBOX', [draft], never())]
    const [alone, among] = await Promise.allSettled(both)
    expect(alone).toMatchObject({ status: 'rejected', reason: { code: 'outcome_unknown' } })
    expect(among).toMatchObject({ value: [{ kind: 'unknown', failure: { code: 'outcome_unknown' } }] })
  })

  test('MAIL_IMAP_CA_CERT_PATH: an authority of its own is trusted', async () => {
    const place = { port: dovecot.tlsPort, secure: true, host: 'localhost' }
    await expect(open(place, {}).source.probe(never())).rejects.toMatchObject({ code: 'tls_failed' })
    expect(await open(place, { MAIL_IMAP_CA_CERT_PATH: dovecot.caFile }).source.probe(never())).toContain('IMAP4REV1')
  })

  test.each([
    'MAIL_IMAP_CONNECT_TIMEOUT_MS',
    'MAIL_IMAP_GREETING_TIMEOUT_MS',
    'MAIL_IMAP_SOCKET_TIMEOUT_MS',
    'IMAP_MCP_APPEND_TIMEOUT',
    'MAIL_IMAP_CA_CERT_PATH',
  ])('%s: a value that cannot be used stops the start and is named', (variable) => {
    expect(() => open({ port: 1 }, { [variable]: '/nowhere' })).toThrow(variable)
  })
})

describe('an account of the environment alone', () => {
  test('_HOST, _PORT, _SECURE, _USER, _PASS: the server is there, and hears who logs in', async () => {
    const server = await startBoasting()
    fakes.push(server)
    await ofEnvironment({ port: server.port }, {}).source.probe(never())
    expect(server.heard()).toMatch(/LOGIN "?ada"? "?correct-horse"?/)
  })

  test('_ALLOW_CLEARTEXT: a server that is not known to be on this machine is spoken to without TLS', async () => {
    const server = await startBoasting()
    fakes.push(server)
    const place = { port: server.port, host: '0.0.0.0' }
    await expect(ofEnvironment(place, {}).source.probe(never())).rejects.toMatchObject({ code: 'tls_failed' })
    expect(server.heard()).not.toContain('LOGIN')
    await ofEnvironment(place, { MAIL_IMAP_WORK_ALLOW_CLEARTEXT: 'true' }).source.probe(never())
    expect(server.heard()).toContain('LOGIN')
  })

  test('_EMAIL, _MIRROR: it has that address, and a local index', () => {
    const more = { MAIL_IMAP_WORK_EMAIL: 'ada@example.com', MAIL_IMAP_WORK_MIRROR: 'headers' }
    expect(ofEnvironment({ port: 1 }, {})).not.toHaveProperty('mirror')
    expect(ofEnvironment({ port: 1 }, more)).toMatchObject({ address: 'ada@example.com', mirror: expect.anything() })
  })
})

test('XDG_STATE_HOME: state is kept there, unless POSTERN_DATA_DIR says otherwise', () => {
  const env = { HOME: '/home/ada', XDG_STATE_HOME: '/var/state' }
  expect(dataDirectory(env, 'linux')).toBe('/var/state/postern')
  expect(dataDirectory({ ...env, POSTERN_DATA_DIR: '/elsewhere' }, 'linux')).toBe('/elsewhere')
})

/** Those whose effect is shown above. */
const HERE = [
  'XDG_STATE_HOME',
  ...['HOST', 'PORT', 'SECURE', 'USER', 'PASS', 'ALLOW_CLEARTEXT', 'EMAIL', 'MIRROR'].map(
    (of) => `MAIL_IMAP_<ACCOUNT>_${of}`,
  ),
  ...['CONNECT_TIMEOUT_MS', 'GREETING_TIMEOUT_MS', 'SOCKET_TIMEOUT_MS', 'CA_CERT_PATH'].map((of) => `MAIL_IMAP_${of}`),
  'IMAP_MCP_APPEND_TIMEOUT',
]

/** Where the program is run with the others, and what they do is looked at. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  _SMTP_HOST: 'test/outbox/scene.ts',
  _SMTP_PORT: 'test/outbox/scene.ts',
  _SMTP_SECURE: 'test/outbox/scene.ts',
  _SMTP_USER: 'test/outbox/scene.ts',
  _SMTP_PASS: 'test/outbox/scene.ts',
  MAIL_IMAP_WRITE_ENABLED: 'test/imap/flags.test.ts',
  DEV_MODE: 'test/outbox/sending.test.ts',
  POSTERN_VAULT: 'test/doctor/state.test.ts',
  POSTERN_DATA_DIR: 'test/mcp/postern.test.ts',
  POSTERN_CONFIG_DIR: 'test/policy/stage.ts',
  POSTERN_HTTP_TOKEN: 'test/imap/http.test.ts',
  POSTERN_HTTP_ALLOWED_HOSTS: 'test/callers/surface.test.ts',
  POSTERN_HTTP_ALLOWED_ORIGINS: 'test/callers/surface.test.ts',
  POSTERN_REQUIRE_DIGEST: 'test/outbox/repeated.test.ts',
  POSTERN_DEBUG: 'test/lifecycle/faults.test.ts',
  POSTERN_GMAIL_ENDPOINT: 'test/gmail-rest/program-scene.ts',
  IMAP_MCP_CONFIG_DIR: 'test/oauth/command.test.ts',
  IMAP_MCP_CALLER_ID: 'test/callers/stdio.test.ts',
  IMAP_MCP_CALLER_TOKEN: 'test/callers/stdio.test.ts',
  IMAP_MCP_HTTP_HOST: 'test/callers/lifecycle.test.ts',
  IMAP_MCP_HTTP_PORT: 'test/callers/lifecycle.test.ts',
  IMAP_MCP_RETRY_LIMIT: 'test/transfer/told.test.ts',
  IMAP_MCP_OAUTH_CLIENT_ID: 'test/oauth/served.test.ts',
  IMAP_MCP_SECRET__: 'test/callers/check.test.ts',
  XDG_CONFIG_HOME: 'test/setup-command/session.ts',
}

/** What the tables of the specifications name. */
const SPECIFIED = [
  ...['HOST', 'PORT', 'SECURE', 'USER', 'PASS'].map((of) => `MAIL_IMAP_<ACCOUNT>_${of}`),
  ...['WRITE_ENABLED', 'CONNECT_TIMEOUT_MS', 'GREETING_TIMEOUT_MS', 'SOCKET_TIMEOUT_MS'].map((of) => `MAIL_IMAP_${of}`),
  ...['CONFIG_DIR', 'CALLER_ID', 'HTTP_HOST', 'HTTP_PORT', 'APPEND_TIMEOUT', 'OAUTH_CLIENT_ID'].map(
    (of) => `IMAP_MCP_${of}`,
  ),
  'IMAP_MCP_SECRET__CALLERS__INVOICE_AGENT__TOKEN',
  'DEV_MODE',
]

function documented(): readonly string[] {
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')
  const named = [...page.matchAll(/`((?:(?:MAIL_IMAP|IMAP_MCP|POSTERN|XDG)_|_SMTP_|DEV_MODE)[A-Z_<>]*)`/g)]
  // What ends so is a family of them.
  const names = named.map(([, name = '']) => name.replace(/_(WORK|DEFAULT)_/, '_<ACCOUNT>_'))
  return [...new Set(names)].filter((name) => !name.endsWith('_'))
}

/** Absent where nothing shows that it works. */
function shownAt(name: string): string | undefined {
  if (HERE.includes(name)) return 'test/config/variables.test.ts'
  const plain = name.replace(/^MAIL_IMAP_<ACCOUNT>/, '')
  return ELSEWHERE[plain] ?? (plain.startsWith('IMAP_MCP_SECRET__') ? ELSEWHERE['IMAP_MCP_SECRET__'] : undefined)
}

test('the documentation names what the specifications name', () => {
  const accountsApart = SPECIFIED.filter((name) => !name.startsWith('IMAP_MCP_SECRET__'))
  expect(documented()).toEqual(expect.arrayContaining(accountsApart))
})

test.each([...new Set([...documented(), ...SPECIFIED])])('%s: its effect is tested', (name) => {
  const at = shownAt(name)
  expect(at).toBeDefined()
  const text = readFileSync(join(ROOT, at ?? ''), 'utf8')
  expect(text).toContain(
    name.startsWith('IMAP_MCP_SECRET__') ? 'IMAP_MCP_SECRET__' : name.replace(/^MAIL_IMAP_<ACCOUNT>/, ''),
  )
})
