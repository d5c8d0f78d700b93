/** Setting up by hand with what people get wrong: a host, a port, TLS, a certificate authority that nobody named. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { connectFailure as imapFailure } from '../../src/adapters/imap/line/connect-failures.ts'
import { connectFailure as smtpFailure } from '../../src/adapters/smtp/connect-failures.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import { tryAccount } from '../../src/engine/setup/try-account.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import { lineWords } from '../../src/surfaces/cli/setup/ask-place-again.ts'
import type { SetupChoice } from '../../src/surfaces/cli/setup/choice.ts'
import { type Sink, startSink } from '../smtp/sink.ts'
import { ADA, BEN, everythingIn, PASSWORD, type Scene, startScene } from './scene.ts'
import { initials, type Session, session as sessionIn } from './session.ts'

let scene: Scene
let safeSink: Sink
let home: string
beforeAll(async () => {
  scene = await startScene()
  safeSink = await startSink({ tls: 'implicit' })
})
afterAll(async () => {
  await safeSink.close()
  await scene.close()
})
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pg-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const setup = (
  answers: Readonly<Record<string, readonly unknown[]>>,
  choice: Partial<SetupChoice> = {},
  interactive = true,
): Promise<Session> => sessionIn(home, answers, choice, interactive)

test('a port that is closed: said, and host, TLS and port are asked again, the password is not', async () => {
  const { port } = scene.dovecot
  const session = await setup({
    '--imap-host': ['127.0.0.1', 'change', '127.0.0.1'],
    '--imap-tls': ['none', 'none'],
    '--imap-port': ['1', String(port)],
    '--password-file': [PASSWORD],
  })
  expect(session.code).toBe(0)
  expect(session.said).toContain('127.0.0.1:1 refused the connection; check host and port')
  expect(initials(session, '--imap-host')).toEqual(['imap.example.org', 'change', '127.0.0.1'])
  expect(initials(session, '--imap-tls')).toEqual(['implicit', 'none'])
  expect(initials(session, '--imap-port')).toEqual(['143', '1'])
  expect(initials(session, '--password-file')).toHaveLength(1)
  expect(await readFile(join(home, 'config/postern/accounts.yaml'), 'utf8')).toContain(`port: ${port}`)
})

test('a host that is not there: whoever stops has written nothing, whoever tries again is asked again', async () => {
  // Longer than a name can be, so that no name server is asked.
  const host = `${'x'.repeat(64)}.example.org`
  const session = await setup({ '--imap-host': [host, 'again', 'stop'], '--password-file': [PASSWORD] })
  expect(session.code).toBe(1)
  expect(session.said.match(/the host x+\.example\.org was not found/g)).toHaveLength(2)
  expect(session.said).toContain('postern: stopped; nothing was written')
  expect(await everythingIn(home)).toEqual({})
})

test('a host with its port is split, and where letters leave is asked again by itself', async () => {
  const session = await setup(
    {
      '--imap-host': [`127.0.0.1:${scene.dovecot.port}`],
      '--imap-tls': ['none'],
      '--smtp-host': ['127.0.0.1:1', 'change', `127.0.0.1:${scene.sink.port}`],
      '--smtp-tls': ['none'],
      '--password-file': [PASSWORD],
    },
    { preset: 'assistant' },
  )
  expect(session.code).toBe(0)
  expect(initials(session, '--imap-port')).toEqual([])
  expect(initials(session, '--imap-host')).toHaveLength(1)
  expect(initials(session, '--smtp-host')).toEqual(['smtp.example.org', 'change', '127.0.0.1'])
  expect(initials(session, '--smtp-tls')).toEqual(['implicit', 'none'])
  const accounts = await readFile(join(home, 'config/postern/accounts.yaml'), 'utf8')
  expect(accounts).toContain(`port: ${scene.dovecot.port}`)
  expect(accounts).toContain(`port: ${scene.sink.port}`)
})

test('a certificate that is not trusted names --ca-file, for either server; one file may hold both authorities', async () => {
  const tls = { imapHost: 'localhost', imapPort: scene.dovecot.tlsPort, imapTls: 'implicit' } as const
  const out = { smtpHost: 'localhost', smtpPort: safeSink.port, smtpTls: 'implicit', preset: 'assistant' } as const
  const stop = { '--imap-host': ['stop'], '--smtp-host': ['stop'], '--password-file': [PASSWORD] }
  const ofImap = await setup(stop, tls)
  expect(ofImap.said).toMatch(new RegExp(`localhost:${tls.imapPort} is not trusted; .*--ca-file`))
  expect(ofImap.said).not.toContain('MAIL_IMAP')
  const ofSmtp = await setup(stop, { ...tls, ...out, caFile: scene.dovecot.caFile })
  expect(ofSmtp.said).toMatch(new RegExp(`localhost:${out.smtpPort} is not trusted; .*--ca-file`))
  // In a script too.
  const inScript = await setup(stop, tls, false)
  expect([inScript.code, inScript.said]).toEqual([1, expect.stringMatching(/^postern: .*--ca-file/m)])
  const both = join(home, 'both.pem')
  await writeFile(both, `${await readFile(scene.dovecot.caFile, 'utf8')}\n${safeSink.ca}`)
  expect(await setup(stop, { ...tls, ...out, caFile: both })).toMatchObject({ code: 0 })
})

test('an authority that nobody named can be named there and then; a file that is none is asked for again', async () => {
  const tls = { imapHost: 'localhost', imapPort: scene.dovecot.tlsPort, imapTls: 'implicit' } as const
  const none = join(home, 'none.pem')
  await writeFile(none, 'nothing')
  await writeFile(join(home, 'own.pem'), await readFile(scene.dovecot.caFile, 'utf8'))
  const named = await setup(
    { '--password-file': [PASSWORD], '--ca-file': [join(home, 'nowhere.pem'), none, '~/own.pem'] },
    tls,
  )
  expect(named.code).toBe(0)
  expect(named.offered['What now?']).toEqual(['authority', 'change', 'again', 'stop'])
  expect(named.said).toContain('--ca-file cannot be read')
  expect(named.said).toContain('without a PEM certificate')
  const accounts = await readFile(join(home, 'config/postern/accounts.yaml'), 'utf8')
  expect(accounts).toContain(`ca_file: ${join(home, 'own.pem')}`)
  // What is trusted already counts again, with the password kept and with another one.
  const words = { address: 'ada@example.org', account: 'example', client: [] }
  expect(await setup({}, words)).toMatchObject({ code: 0 })
  expect(await setup({}, { ...words, passwordFile: scene.passwordFile })).toMatchObject({ code: 0 })
})

test('a login that is refused: whose it was, and name and password are asked again', async () => {
  const words = { imapHost: '127.0.0.1', imapPort: scene.dovecot.port }
  const answers = { '--address': ['ada.l@example.org'], '--password-file': ['wrong', PASSWORD], '--user': [ADA] }
  const named = await setup(answers, words)
  expect(named.code).toBe(0)
  expect(named.said).toContain('refused the user name or password of account ada.l@example.org\n')
  expect(named.said).not.toContain('account example\n')
  expect(initials(named, '--user')).toEqual(['ada.l@example.org'])
  const accounts = await readFile(join(home, 'config/postern/accounts.yaml'), 'utf8')
  expect(accounts).toMatch(new RegExp(`user: ${ADA}\n *identity: ada\\.l@example\\.org`))
})

test('a login that is refused where letters leave: only that one is asked again', async () => {
  const words = { imapHost: '127.0.0.1', imapPort: scene.dovecot.port, preset: 'assistant' } as const
  const out = { smtpHost: '127.0.0.1', smtpPort: scene.sink.port }
  const answers = { '--address': [BEN], '--password-file': ['ben-secret'] }
  const named = await setup(
    { ...answers, '--smtp-user': [ADA], '--smtp-password-file': [PASSWORD] },
    { ...words, ...out },
  )
  expect([named.code, named.said]).toEqual([0, named.said])
  expect(named.said).toContain(
    `where letters leave, 127.0.0.1:${scene.sink.port} (no encryption): the sending server (SMTP) refused`,
  )
  expect(initials(named, '--password-file')).toHaveLength(1)
  const accounts = await readFile(join(home, 'config/postern/accounts.yaml'), 'utf8')
  expect(accounts).toMatch(new RegExp(`smtp:.*user: ${ADA}.*secret_ref: secret://accounts/example/smtp-password`))
})

test('a server that says nothing: the option that may help is named', async () => {
  const options = {
    account: 'a',
    host: 'h',
    port: 1993,
    tls: 'starttls',
    user: 'u',
    access: fixedPassword('p'),
  } as const
  const mute = Object.assign(new Error('mute'), { code: 'GREETING_TIMEOUT' })
  const atImap = imapFailure(mute, { ...options, clientVersion: '1' }, { kind: 'password', password: 'p' })
  expect(lineWords(atImap)).toMatch(/^h:1993 accepted .* --imap-tls implicit$/s)
  const logInToSend = async (): Promise<void> => {
    throw smtpFailure({ ...mute, message: 'mute', timeoutType: 'GREETING_TIMEOUT' }, options, (text) => text)
  }
  const source = { mailboxes: async () => [] } as unknown as MailSource
  const atSmtp = await tryAccount({ source, logInToSend }, new AbortController().signal).catch((error) => error)
  expect(lineWords(atSmtp)).toMatch(/^h:1993 accepted .* --smtp-tls implicit$/s)
})

test('the programs that are found are chosen already, and the end says where everything is', async () => {
  for (const folder of ['.cursor', '.codeium/windsurf']) await mkdir(join(home, folder), { recursive: true })
  const words = { imapHost: '127.0.0.1', imapPort: scene.dovecot.port }
  const session = await setup({ '--password-file': [PASSWORD] }, words)
  expect(session.code).toBe(0)
  expect(initials(session, '--client')).toEqual([expect.arrayContaining(['cursor', 'windsurf'])])
  expect(await readFile(join(home, '.cursor/mcp.json'), 'utf8')).toContain('postern')
  expect(session.said).toContain('What the agent may do: reads')
  expect(session.said).toContain('The agent is called "agent" here')
  expect(session.said).toContain('Mail kept on this machine (mirror): none\nPassword kept in a file')
  expect(session.said).toMatch(/postern console" shows/)
  const again = await setup({ '--address': ['change'], '--account': ['example'], '--password-file': [true] })
  expect(again.said).toContain('Password kept in a file that only you can read, where the others are')
})
