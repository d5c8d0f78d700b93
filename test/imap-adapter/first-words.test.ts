/** What is said from the greeting to the first answer, word for word: the library must add no round trip of its own. */
import { afterEach, describe, expect, test } from 'vitest'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import type { Access } from '../../src/ports/access.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { type FakeServer, startFake } from '../imap/fake-server.ts'

const ABLE = 'IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=XOAUTH2 ID NAMESPACE LITERAL+'
const NOT_CONNECTED = 'BAD User is authenticated but not connected.'
const ID = 'p0 ID ("name" "postern" "version" "9")'

let closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface Scene {
  readonly fake: FakeServer
  readonly source: MailSource
  said(): string[]
}

/** Lets everybody in; `answer` says what follows the tag of every other command. */
async function scene(answer: (command: string) => string, access: Access, able = ABLE): Promise<Scene> {
  let authenticating: string | undefined
  const fake = await startFake(`* OK [CAPABILITY ${able}] hello\r\n`, (line) => {
    const [, tag = '', command = ''] = /^(\S+) (.*)$/.exec(line) ?? []
    const isPlain = command === 'AUTHENTICATE PLAIN'
    if (isPlain) authenticating = tag
    if (isPlain) return '+ \r\n'
    if (tag === '' || command.startsWith('AUTHENTICATE')) {
      return `${tag || authenticating} OK [CAPABILITY ${able}] welcome\r\n`
    }
    return `${tag} ${answer(command)}\r\n`
  })
  const place = { account: 'work', host: '127.0.0.1', port: fake.port, tls: 'none', user: 'u' } as const
  const source = createImapSource({ ...place, access, clientVersion: '9' }, silentLog)
  closing = [() => source.close(), () => fake.close()]
  return { fake, source, said: () => fake.heard().split('\r\n').slice(0, -1) }
}

/** Another token each time; those that were refused are put into `refused`. */
function tokens(refused: string[] = []): Access {
  let given = 0
  return {
    credentials: async () => {
      given += 1
      return { kind: 'token', accessToken: `t${given}` }
    },
    standing: async () => ({ state: 'active', mayWrite: true }),
    refused: async (credentials) => {
      if (credentials.kind === 'token') refused.push(credentials.accessToken)
    },
  }
}

const never = (): AbortSignal => new AbortController().signal

describe('until the first answer there is said', () => {
  test('with a password: the login, then who we are along with the first command', async () => {
    const { source, said } = await scene(() => 'OK done', fixedPassword('p'))
    await source.probe(never())
    expect(said()).toEqual(['1 AUTHENTICATE PLAIN', btoa('\0u\0p'), ID, 'p1 NOOP'])
    await source.probe(never())
    expect(said().slice(4)).toEqual(['p2 NOOP'])
  })

  test('with a token: also what shows whether it opens a mailbox', async () => {
    const { source, said } = await scene(() => 'OK done', tokens())
    await source.probe(never())
    expect(said().map((line) => line.split(' ', 2).join(' '))).toEqual([
      '1 AUTHENTICATE',
      '2 NAMESPACE',
      'p0 ID',
      'p1 NOOP',
    ])
  })

  test('nothing of who we are to a server that does not ask', async () => {
    const { source, said } = await scene(() => 'OK done', fixedPassword('p'), 'IMAP4rev1 AUTH=PLAIN NAMESPACE')
    await source.probe(never())
    expect(said()).toEqual(['1 AUTHENTICATE PLAIN', btoa('\0u\0p'), 'p1 NOOP'])
  })
})

test.each(['NO not now', 'BAD what', 'OK done\r\n* ID NIL'])('who we are may be answered with %s', async (answer) => {
  const { source } = await scene((command) => (command.startsWith('ID') ? answer : 'OK done'), fixedPassword('p'))
  expect(await source.probe(never())).toContain('LITERAL+')
  expect(await source.probe(never())).toContain('LITERAL+')
})

test('who we are is answered once', async () => {
  const twice = (command: string): string => (command.startsWith('ID') ? 'OK done\r\np0 OK done' : 'OK done')
  const { source } = await scene(twice, fixedPassword('p'))
  await expect(source.probe(never())).rejects.toMatchObject({ code: 'unavailable', stage: 'protocol' })
})

describe('a server that accepts the login and then refuses every command refuses the account', () => {
  test('that has a password', async () => {
    const { source } = await scene(() => NOT_CONNECTED, fixedPassword('p'))
    await expect(source.probe(never())).rejects.toMatchObject({ code: 'auth_failed' })
    await expect(source.find('INBOX', { criteria: {}, take: 1 }, never())).rejects.toMatchObject({
      code: 'auth_failed',
    })
  })

  test('that has a token, after another one was tried', async () => {
    const refused: string[] = []
    const { source } = await scene(() => NOT_CONNECTED, tokens(refused))
    await expect(source.probe(never())).rejects.toMatchObject({ code: 'auth_failed', stage: 'connect' })
    expect(refused).toEqual(['t1', 't2'])
  })
})

describe('what a server says after the login is no part of the next answer, wherever it is cut', () => {
  const ALERT = '* OK [ALERT] almost full\r\n'
  const LISTED = '* LIST () "/" {5}\r\nINBOX\r\n'
  test.each([
    [ALERT, ALERT.length],
    [ALERT, 9],
    [ALERT, ALERT.length - 2],
    [ALERT, ALERT.length - 1],
    [LISTED, 12],
    [LISTED, 20],
    [LISTED, LISTED.length - 2],
  ])('%j at %i', async (tail, cut) => {
    const { source, said } = await saying(tail.slice(0, cut), tail.slice(cut))
    expect(await source.probe(never())).toContain('LITERAL+')
    expect(await source.probe(never())).toContain('LITERAL+')
    expect(said().filter((line) => line === '2 NOOP')).toHaveLength(cut < tail.length ? 1 : 0)
  })

  test('a server that then says more than anybody reads is no server', async () => {
    const { source } = await saying('* OK ', 'x'.repeat(200_000))
    await expect(source.probe(never())).rejects.toMatchObject({ code: 'unavailable', stage: 'connect' })
  })

  /** Says `first` along with its answer to the login, and `rest` a little later. */
  async function saying(first: string, rest: string): Promise<Pick<Scene, 'source' | 'said'>> {
    const able = 'IMAP4rev1 ID LITERAL+'
    const fake = await startFake(`* OK [CAPABILITY ${able}] hello\r\n`, (line) => {
      const [, tag = '', command = ''] = /^(\S+) (.*)$/.exec(line) ?? []
      if (!command.startsWith('LOGIN')) return `${command === 'NOOP' && tag === '2' ? rest : ''}${tag} OK done\r\n`
      return `${tag} OK [CAPABILITY ${able}] welcome\r\n${first}`
    })
    const place = { account: 'work', host: '127.0.0.1', port: fake.port, tls: 'none', user: 'u' } as const
    const source = createImapSource({ ...place, access: fixedPassword('p'), clientVersion: '9' }, silentLog)
    closing = [() => source.close(), () => fake.close()]
    return { source, said: () => fake.heard().split('\r\n').slice(0, -1) }
  }
})
