/** Setting up by hand with what people get wrong: a host, a port, TLS, a certificate authority that nobody named. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { connectFailure as imapFailure } from '../../src/adapters/imap/connect-failures.ts'
import { createLog } from '../../src/adapters/log/log.ts'
import { connectFailure as smtpFailure } from '../../src/adapters/smtp/connect-failures.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import { tryAccount } from '../../src/engine/setup/try-account.ts'
import { setupDesk } from '../../src/house/setup-desk.ts'
import { programWords } from '../../src/house/setup-program.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import { lineWords } from '../../src/surfaces/cli/setup/ask-place-again.ts'
import type { SetupChoice } from '../../src/surfaces/cli/setup/choice.ts'
import type { Prompter } from '../../src/surfaces/cli/setup/prompter.ts'
import { setupCommand } from '../../src/surfaces/cli/setup/setup.ts'
import { type Sink, startSink } from '../smtp/sink.ts'
import { ADA, everythingIn, PASSWORD, type Scene, startScene } from './scene.ts'

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

interface Session {
  readonly code: number
  readonly said: string
  /** Each question with what stood there already. */
  readonly asked: readonly (readonly [flag: string, initial: unknown])[]
}

/** Answers in turn, by the option that a question names; where none is left, with what stands there already. */
async function setup(
  answers: Readonly<Record<string, readonly unknown[]>>,
  choice: Partial<SetupChoice> = {},
  interactive = true,
): Promise<Session> {
  const left = new Map(Object.entries({ '--address': [ADA], ...answers }).map(([flag, given]) => [flag, [...given]]))
  const asked: [string, unknown][] = []
  let said = ''
  const answer = async ({ flag, initial }: { flag: string; initial?: unknown }): Promise<never> => {
    asked.push([flag, initial])
    const given = left.get(flag)?.shift() ?? initial
    if (given === undefined) throw new Error(`nobody answers ${flag}`)
    return given as never
  }
  const say = (text: string): void => {
    said += `${text}\n`
  }
  const all = { text: answer, secret: answer, choose: answer, several: answer, agree: answer }
  const prompter: Prompter = { interactive, ...all, say, busy: (_, work) => work() }
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), POSTERN_DATA_DIR: join(home, 'data') }
  const lookup = { services: async () => [], exchanges: async () => [], published: async () => undefined }
  const log = createLog({ level: 'silent' })
  const desk = setupDesk(undefined, { env, platform: 'linux', log, stdin: Readable.from([]), lookup })
  const terminal = { print: () => expect.unreachable('nothing is printed'), complain: say }
  const parts = { desk, prompter, terminal, openBrowser: async () => false, signal: new AbortController().signal }
  const code = await setupCommand({ yes: false, paste: false, secrets: 'file', ...choice }, parts)
  return { code, said, asked }
}

const initials = ({ asked }: Session, flag: string): unknown[] =>
  asked.filter(([name]) => name === flag).map(([, initial]) => initial)

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
  expect(session.said).toContain('Mail kept on this machine (mirror): none\nPassword kept in a file')
  expect(session.said).toMatch(/postern console" shows/)
  const again = await setup({ '--address': ['change'], '--account': ['example'], '--password-file': [true] })
  expect(again.said).toContain('Password kept in a file that only you can read, where the others are')
})

test('hints say npx where the program runs from a clone', async () => {
  const script = join(home, 'clone', 'bin', 'postern.mjs')
  expect(programWords(script)).toBe('postern')
  await mkdir(join(home, 'clone', '.git'), { recursive: true })
  expect(programWords(script)).toBe('npx postern')
  expect(programWords('')).toBe('postern')
})
