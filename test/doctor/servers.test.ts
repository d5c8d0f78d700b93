/** What a doctor says of servers that are not as they should be. All of them are real. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createGrantNotes } from '../../src/adapters/oauth/grant-notes.ts'
import { type Dovecot, freePort, startDovecot } from '../dovecot/dovecot.ts'
import { PROGRAM } from '../imap/postern.ts'
import { letter } from '../mail-source/messages.ts'
import { startProvider } from '../oauth/provider.ts'
import { SINK_PASSWORD, SINK_USER, startSink } from '../smtp/sink.ts'
import { makeExpiredCertificate } from './certificates.ts'
import { everythingSaid, expectFound, type Machine, newMachine, treeWith, type Variables } from './scene.ts'

const PASSWORD = 'a-password-that-nobody-says'
const WRONG = 'another-password-that-nobody-says'

let dovecot: Dovecot
let expired: Dovecot
let expiredAuthority: string
let bare: Dovecot
let certificates: string

beforeAll(async () => {
  certificates = mkdtempSync(join(tmpdir(), 'dcert-'))
  chmodSync(certificates, 0o755)
  const { caFile, certFile, keyFile } = await makeExpiredCertificate(certificates)
  expiredAuthority = caFile
  const users = { ada: PASSWORD, later: PASSWORD }
  const old = `ssl_cert = <${certFile}\nssl_key = <${keyFile}`
  ;[dovecot, expired, bare] = await Promise.all([
    startDovecot({ users, certificateNames: 'DNS:localhost' }),
    startDovecot({ users, extra: old }),
    startDovecot({ users, extra: 'ssl = no' }),
  ])
})

afterAll(async () => {
  await Promise.all([dovecot, expired, bare].map((server) => server.stop()))
  rmSync(certificates, { recursive: true, force: true })
  for (const secret of [PASSWORD, WRONG, SINK_PASSWORD]) expect(everythingSaid()).not.toContain(secret)
})

function account(more: Variables = {}): Variables {
  return {
    MAIL_IMAP_WORK_HOST: 'localhost',
    MAIL_IMAP_WORK_PORT: String(dovecot.tlsPort),
    MAIL_IMAP_WORK_USER: 'ada',
    MAIL_IMAP_WORK_PASS: PASSWORD,
    MAIL_IMAP_CA_CERT_PATH: dovecot.caFile,
    ...more,
  }
}

test('a set-up that works has nothing broken, and a certificate that ends soon is told', async () => {
  const machine = await newMachine()
  const findings = await machine.doctor(account())
  expect(existsSync(machine.data)).toBe(false)
  expect(findings.filter(({ verdict }) => verdict === 'broken')).toEqual([])
  expect(findings).toContainEqual(expect.objectContaining({ check: 'login', verdict: 'ok', subject: 'work' }))
  expect(findings).toContainEqual(expect.objectContaining({ check: 'capabilities', verdict: 'ok', subject: 'work' }))
  expectFound(findings, 'tls', 'warning', /expires in 1 day/, /renew/)
})

const PORT = (port: number): Variables => ({ MAIL_IMAP_WORK_PORT: String(port) })

test.each<[string, () => Variables | Promise<Variables>, string, RegExp, RegExp]>([
  [
    'a wrong password',
    () => ({ MAIL_IMAP_WORK_PASS: WRONG }),
    'login',
    /refused the user name or password/,
    /set MAIL_IMAP_WORK_PASS; .*app password/,
  ],
  [
    'a host that is none',
    () => ({ MAIL_IMAP_WORK_HOST: 'no-such-host.invalid' }),
    'tls',
    /there is no host no-such-host\.invalid/,
    /set MAIL_IMAP_WORK_HOST/,
  ],
  ['a closed port', async () => PORT(await freePort()), 'tls', /nobody listens at localhost:/, /MAIL_IMAP_WORK_PORT/],
  [
    'an authority that nobody trusts',
    () => ({ MAIL_IMAP_CA_CERT_PATH: '' }),
    'tls',
    /signed by nobody that this machine trusts/,
    /set MAIL_IMAP_CA_CERT_PATH to its PEM file/,
  ],
  [
    'a certificate for another name',
    () => ({ MAIL_IMAP_WORK_HOST: '127.0.0.1' }),
    'tls',
    /is for another host/,
    /set MAIL_IMAP_WORK_HOST to a name that the certificate holds/,
  ],
  [
    'an expired certificate',
    () => ({ ...PORT(expired.tlsPort), MAIL_IMAP_CA_CERT_PATH: expiredAuthority }),
    'tls',
    /has expired on 2020-02-01/,
    /renew it/,
  ],
  ['a port without TLS', () => PORT(dovecot.port), 'tls', /does not speak TLS/, /set MAIL_IMAP_WORK_PORT to 993/],
  [
    'a port with TLS where none is spoken',
    () => ({ MAIL_IMAP_WORK_SECURE: 'false' }),
    'tls',
    /says nothing/,
    /set MAIL_IMAP_WORK_PORT to 993 and leave out MAIL_IMAP_WORK_SECURE=false/,
  ],
])('%s', async (_what, change, check, sentence, cure) => {
  const findings = await (await newMachine()).doctor(account(await change()))
  expectFound(findings, check, 'broken', sentence, cure)
})

test('a server without STARTTLS, and one whose STARTTLS nobody trusts', async () => {
  const machine = await newMachine()
  const at = (port: number): string =>
    `host: localhost, port: ${port}, tls: starttls, user: ada, auth: { type: password, secret_ref: "secret://work" }`
  machine.put(machine.tree, { ...treeWith(at(bare.port)), 'secrets/work': PASSWORD })
  const env = { POSTERN_CONFIG_DIR: machine.tree }
  expectFound(
    await machine.doctor(env),
    'tls',
    'broken',
    /does not offer STARTTLS/,
    /set port of account work in .* to 993/,
  )
  machine.put(machine.tree, treeWith(at(dovecot.port)))
  expectFound(
    await machine.doctor(env),
    'tls',
    'broken',
    /nobody that this machine trusts/,
    /set ca_file of account work/,
  )
  machine.put(machine.tree, treeWith(`${at(dovecot.port)}, ca_file: ${dovecot.caFile}`))
  expect(await machine.doctor(env)).toContainEqual(expect.objectContaining({ check: 'login', verdict: 'ok' }))
})

test('a server that takes letters: its password, its port, and DEV_MODE', async () => {
  const sink = await startSink()
  onTestFinished(() => sink.close())
  const machine = await newMachine()
  const env = account({
    MAIL_IMAP_WORK_SMTP_HOST: '127.0.0.1',
    MAIL_IMAP_WORK_SMTP_PORT: String(sink.port),
    MAIL_IMAP_WORK_SMTP_SECURE: 'false',
    MAIL_IMAP_WORK_SMTP_USER: SINK_USER,
    MAIL_IMAP_WORK_SMTP_PASS: SINK_PASSWORD,
  })
  const findings = await machine.doctor(env)
  expectFound(findings, 'sending', 'warning', /set up for work, but DEV_MODE is on/, /set DEV_MODE=false/)
  expect(findings).toContainEqual(expect.objectContaining({ check: 'login', verdict: 'ok', subject: 'work (sending)' }))
  const desktop = { command: process.execPath, args: [PROGRAM], env: { DEV_MODE: 'false' } }
  const file = JSON.stringify({ mcpServers: { postern: desktop } })
  machine.put(machine.home, { 'config/Claude/claude_desktop_config.json': file })
  const letting = expect.stringMatching(/sending is switched on for work where Claude Desktop starts Postern/)
  expect(await machine.doctor(env)).toContainEqual(expect.objectContaining({ check: 'sending', sentence: letting }))
  const off = { ...env, DEV_MODE: 'false' }
  expect(await machine.doctor(off)).toContainEqual(expect.objectContaining({ check: 'sending', verdict: 'ok' }))
  const wrong = { ...off, MAIL_IMAP_WORK_SMTP_PASS: WRONG }
  expectFound(await machine.doctor(wrong), 'login', 'broken', /refused/, /set MAIL_IMAP_WORK_SMTP_PASS/)
  const closed = { ...off, MAIL_IMAP_WORK_SMTP_PORT: String(await freePort()) }
  expectFound(await machine.doctor(closed), 'tls', 'broken', /nobody listens/, /MAIL_IMAP_WORK_SMTP_PORT/)
  expect(sink.messages).toEqual([])
})

test('mail from the future: the clock here is slow', async () => {
  const received = Math.floor(Date.now() / 1000) + 8000
  await dovecot.deliver('later', 'INBOX', [{ raw: letter({ subject: 'early' }), received }])
  const findings = await (await newMachine()).doctor(account({ MAIL_IMAP_WORK_USER: 'later' }))
  expectFound(findings, 'clock', 'warning', /newest mail came 2 h after now: the clock here is slow/, /timedatectl/)
})

const OAUTH = 'user: ada@example.org, auth: { type: xoauth2, secret_ref: "secret://grant" }'

async function granted(machine: Machine, more: Variables = {}, smtp?: string): Promise<Variables> {
  const provider = await startProvider({})
  if (smtp !== undefined) machine.put(machine.tree, { 'secrets/grant': provider.grant('ada') })
  onTestFinished(() => provider.close())
  const server = `provider: google-mock, host: localhost, port: ${dovecot.tlsPort}, tls: implicit, ca_file: ${dovecot.caFile}`
  machine.put(machine.tree, treeWith(`${server}, ${OAUTH}${smtp === undefined ? '' : `, ${smtp}`}`))
  return {
    POSTERN_CONFIG_DIR: machine.tree,
    IMAP_MCP_OAUTH_CLIENT_ID: 'postern',
    IMAP_MCP_OAUTH_AUTH_URL: `${provider.url}/authorize`,
    IMAP_MCP_OAUTH_TOKEN_URL: `${provider.url}/token`,
    ...more,
  }
}

test('access that nobody granted, that was taken back, and that nobody could grant', async () => {
  const machine = await newMachine()
  mkdirSync(join(machine.tree, 'secrets'), { recursive: true, mode: 0o700 })
  const env = await granted(machine)
  const again = /run: postern oauth --account work/
  expectFound(await machine.doctor(env), 'grants', 'broken', /nobody has granted access yet/, again)
  machine.put(machine.tree, { 'secrets/grant': 'a-refresh-token-that-nobody-says' })
  const notes = createGrantNotes({ directory: machine.data })
  await notes.write('work', { scope: 'https://mail.google.com/', refused: { reason: 'invalid_grant' } })
  expectFound(await machine.doctor(env), 'grants', 'broken', /expired or was taken back/, again)
  const without = { ...env, IMAP_MCP_OAUTH_CLIENT_ID: '' }
  expectFound(await machine.doctor(without), 'grants', 'broken', /no OAuth client is set up/, /OAuth client ID/)
  expect(everythingSaid()).not.toContain('a-refresh-token-that-nobody-says')
})

test('a sending server that refuses an account whose mailbox can be read', async () => {
  const machine = await newMachine()
  mkdirSync(join(machine.tree, 'secrets'), { recursive: true, mode: 0o700 })
  const text = '5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant.'
  const sink = await startSink({
    authMethods: ['XOAUTH2'],
    refuse: ({ at }) => (at === 'auth' ? { code: 535, text } : undefined),
  })
  onTestFinished(() => sink.close())
  const env = await granted(machine, {}, `smtp: { host: 127.0.0.1, port: ${sink.port}, tls: none }`)
  const findings = await machine.doctor(env)
  expectFound(findings, 'login', 'broken', /SMTP AUTH is switched off/, /turn on "Authenticated SMTP"/)
  expect(findings.filter(({ check }) => check === 'grants').map(({ verdict }) => verdict)).toEqual(['ok'])
})

test("a provider's clock that is not ours", async () => {
  let offMs = 3_600_000
  const provider = createServer((_, answer) => {
    answer.setHeader('Date', new Date(Date.now() + offMs).toUTCString()).end()
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void provider.close())
  const { port } = provider.address() as AddressInfo
  const machine = await newMachine()
  mkdirSync(join(machine.tree, 'secrets'), { recursive: true, mode: 0o700 })
  const env = await granted(machine, { IMAP_MCP_OAUTH_TOKEN_URL: `http://127.0.0.1:${port}/token` })
  const clockOf = async () => (await machine.doctor(env)).filter(({ check }) => check === 'clock')
  expect(await clockOf()).toEqual([
    expect.objectContaining({
      verdict: 'broken',
      sentence: 'the clock here is 60 min slow',
      cure: expect.stringMatching(/timedatectl/),
    }),
  ])
  offMs = -120_000
  expect(await clockOf()).toEqual([
    expect.objectContaining({ verdict: 'warning', sentence: 'the clock here is 2 min fast' }),
  ])
  offMs = 0
  expect(await clockOf()).toEqual([expect.objectContaining({ verdict: 'ok' })])
})

test('a server that lacks what moving mail needs', async () => {
  const { capabilityWithout } = await import('../dovecot/dovecot.ts')
  const lesser = await startDovecot({ users: { ada: PASSWORD }, capability: capabilityWithout('UIDPLUS', 'MOVE') })
  onTestFinished(() => lesser.stop())
  const env = account({ ...PORT(lesser.tlsPort), MAIL_IMAP_CA_CERT_PATH: lesser.caFile })
  const findings = await (await newMachine()).doctor(env)
  expectFound(findings, 'capabilities', 'warning', /lacks MOVE, UIDPLUS/, /UIDPLUS/)
})
