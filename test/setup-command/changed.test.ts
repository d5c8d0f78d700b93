/** Changing the servers of an account that is there: what is said counts, and nothing is written that was not tried. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Sink, startSink } from '../smtp/sink.ts'
import { ADA, BEN, everythingIn, PASSWORD, type Scene, startScene } from './scene.ts'
import { initials, script, session } from './session.ts'

let scene: Scene
let other: Sink
let home: string
beforeAll(async () => {
  scene = await startScene()
  other = await startSink()
})
afterAll(async () => {
  await other.close()
  await scene.close()
})
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pc-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const accounts = (): Promise<string> => readFile(join(home, 'config/postern/accounts.yaml'), 'utf8')
const tree = (): Promise<Record<string, string>> => everythingIn(join(home, 'config'))
const atHome = () => ({ imapHost: '127.0.0.1', imapPort: scene.dovecot.port, passwordFile: scene.passwordFile })
const out = () => ({ smtpHost: '127.0.0.1', smtpPort: scene.sink.port })

async function sending(): Promise<void> {
  expect(await script(home, { address: ADA, ...atHome(), ...out(), preset: 'assistant' })).toMatchObject({ code: 0 })
}

async function looking(): Promise<void> {
  expect(await script(home, { address: ADA, ...atHome(), preset: 'look' })).toMatchObject({ code: 0 })
}

test('a port alone is applied and tried, with the password that is kept', async () => {
  await sending()
  const before = other.logins.length
  const ran = await script(home, { account: 'example', smtpPort: other.port })
  expect([ran.code, ran.said]).toEqual([0, expect.stringContaining(`Letters leave by 127.0.0.1:${other.port}`)])
  expect(other.logins.length).toBeGreaterThan(before)
  expect(await accounts()).toContain(`port: ${other.port}, tls: none`)
  expect(await accounts()).toContain(`port: ${scene.dovecot.port}\n`)
})

test('a server that is wrong is not written, whichever it is', async () => {
  await sending()
  const before = await tree()
  const host = `${'x'.repeat(64)}.example.org`
  for (const wrong of [{ smtpPort: 1 }, { imapPort: 1 }, { smtpHost: host }, { imapHost: host }]) {
    const ran = await script(home, { account: 'example', ...wrong })
    expect([ran.code, ran.said]).toEqual([1, expect.stringMatching(/postern: .*(127\.0\.0\.1:1 refused|not found)/)])
  }
  const plain = await script(home, { account: 'example', smtpHost: 'mail.example.org', smtpTls: 'none' })
  expect([plain.code, plain.said]).toEqual([1, expect.stringContaining('without TLS your password could be read')])
  expect(await tree()).toEqual(before)
})

test('another place for the mail leaves the way out as it is', async () => {
  await sending()
  const tls = { imapHost: 'localhost', imapPort: scene.dovecot.tlsPort, imapTls: 'implicit' } as const
  // From where a person is, which is not where the tree is.
  const caFile = relative(process.cwd(), scene.dovecot.caFile)
  const ran = await script(home, { account: 'example', ...tls, caFile })
  expect([ran.code, ran.said]).toEqual([0, ran.said])
  expect(await accounts()).toContain(`host: localhost\n    port: ${scene.dovecot.tlsPort}\n    tls: implicit\n`)
  expect(await accounts()).toContain(`ca_file: ${scene.dovecot.caFile}`)
  expect(await accounts()).toContain(`host: 127.0.0.1, port: ${scene.sink.port}`)
})

test('where letters leave is refused for an account that may send none, and for one whose servers are known', async () => {
  await looking()
  const before = await tree()
  for (const said of [out(), { ...out(), preset: 'draft' } as const, { smtpUser: 'ada' }]) {
    const ran = await script(home, { account: 'example', ...said })
    expect([ran.code, ran.said]).toEqual([1, expect.stringContaining('may not send from this account; let it with')])
  }
  // A person who has just chosen that nothing is sent is told.
  const chosen = await session(home, { '--yes': [false] }, { account: 'example', ...out() })
  expect(chosen.said).toContain('Where letters leave is left out: the agent may not send from this account.')
  const known = { address: 'ada@gmail.com', passwordFile: scene.passwordFile }
  const ran = await script(home, { ...known, ...out(), preset: 'assistant' })
  expect([ran.code, ran.said]).toEqual([1, expect.stringContaining('the servers of google accounts are known')])
  expect(await tree()).toEqual(before)
})

test('a person who keeps the password is told of a server that is not there before anything is written', async () => {
  await looking()
  const before = await tree()
  const change = { '--address': ['change'], '--account': ['example'], '--preset': ['assistant'], '--client': [[]] }
  const nowhere = { ...change, '--smtp-host': ['127.0.0.1:1', 'stop'], '--smtp-tls': ['none'] }
  const stopped = await session(home, nowhere)
  expect(stopped.code).toBe(1)
  expect(stopped.said).toContain('127.0.0.1:1 refused the connection')
  expect(stopped.said).not.toContain('It works')
  expect(await tree()).toEqual(before)
  const right = ['127.0.0.1:1', 'change', `127.0.0.1:${scene.sink.port}`]
  const mended = await session(home, { ...change, '--smtp-host': right, '--smtp-tls': ['none', 'none'] })
  expect([mended.code, mended.said]).toEqual([0, expect.stringContaining('It works')])
  expect(await accounts()).toContain(`port: ${scene.sink.port}`)
})

test('a person changes where letters leave, and nothing else', async () => {
  await sending()
  const change = { '--address': ['change'], '--account': ['example'] }
  const changed = await session(home, {
    ...change,
    '--imap-host': [['smtp']],
    '--smtp-host': [`127.0.0.1:${other.port}`],
  })
  expect([changed.code, changed.said]).toEqual([0, changed.said])
  expect(changed.offered['Which of its servers shall change? None needs to be chosen.']).toEqual(['imap', 'smtp'])
  expect(initials(changed, '--smtp-host')).toEqual(['127.0.0.1'])
  expect(await accounts()).toContain(`port: ${other.port}`)
  const kept = await accounts()
  expect(await session(home, { ...change, '--imap-host': [['imap']] })).toMatchObject({ code: 0 })
  expect(await accounts()).toBe(kept)
})

test('a login of its own where letters leave goes along to another server', async () => {
  const ben = join(home, 'ben')
  await writeFile(ben, 'ben-secret')
  const own = { smtpUser: ADA, smtpPasswordFile: scene.passwordFile }
  const words = { ...atHome(), ...out(), passwordFile: ben, preset: 'assistant' } as const
  expect(await script(home, { address: BEN, ...words, ...own })).toMatchObject({ code: 0 })
  const before = await accounts()
  expect(await script(home, { account: 'example', smtpHost: 'localhost', smtpPort: other.port })).toMatchObject({
    code: 0,
  })
  const moved = before.replace(`127.0.0.1, port: ${scene.sink.port}`, `localhost, port: ${other.port}`)
  expect(await accounts()).toBe(moved)
  // Its password by itself is changed, and tried before.
  const wrong = join(home, 'wrong')
  await writeFile(wrong, 'no')
  const refused = await script(home, { account: 'example', smtpPasswordFile: wrong })
  expect([refused.code, refused.said]).toEqual([1, expect.stringContaining(`of account ${ADA}`)])
  const secret = join(home, 'config/postern/secrets/accounts/example/smtp-password')
  expect(await readFile(secret, 'utf8')).toContain(PASSWORD)
})

test('with the last account gone, clients that still name it are said, and only those', async () => {
  for (const folder of ['.cursor', '.codeium/windsurf']) await mkdir(join(home, folder), { recursive: true })
  const elsewhere = { mcpServers: { postern: { command: 'postern', args: ['--config', '/elsewhere'] } } }
  await writeFile(join(home, '.codeium/windsurf/mcp_config.json'), JSON.stringify(elsewhere))
  expect(await script(home, { address: ADA, ...atHome(), client: ['cursor'] })).toMatchObject({ code: 0 })
  const ben = join(home, 'ben')
  await writeFile(ben, 'ben-secret')
  expect(await script(home, { address: BEN, ...atHome(), passwordFile: ben })).toMatchObject({ code: 0 })
  expect((await script(home, { remove: 'example-ben' })).said).not.toContain('client remove')
  const { code, said } = await script(home, { remove: 'example' })
  expect(code).toBe(0)
  expect(said).toMatch(/Cursor still starts Postern with this configuration .*client remove cursor" takes it out/)
  expect(said).not.toContain('windsurf')
})
