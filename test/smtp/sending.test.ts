/** What is sent arrives as it is, at whom it is for, over a line of each kind. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import { smtpSender } from '../../src/house/smtp.ts'
import type { Access, Credentials } from '../../src/ports/access.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { closeSenders, FROM, failureOf, letter, send, sender, TO } from './desk.ts'
import { type Refusal, SINK_PASSWORD, SINK_USER, type Sink, type SinkStep, startSink } from './sink.ts'

let refuse: (step: SinkStep) => Refusal | undefined = () => undefined
let sink: Sink
beforeAll(async () => {
  sink = await startSink({ size: 200_000, refuse: (step) => refuse(step) })
})
afterEach(async () => {
  await closeSenders()
  sink.forget()
  refuse = () => undefined
})
afterAll(() => sink.close())

const BODIES = {
  'of one line': 'Hello\r\n',
  'with dots at the beginning of lines': '.\r\n..\r\n.a\r\na.\r\n\r\n.\r\n',
  'with blank lines at its end': 'a\r\n\r\n\r\n',
  'without any text': '',
  'that speaks SMTP': '\r\n.\r\nMAIL FROM:<x@evil.example>\r\nRCPT TO:<drop@evil.example>\r\nDATA\r\n.\r\nQUIT\r\n',
  'as long as lines may be': `${'x'.repeat(998)}\r\n`,
  'of more than one piece': `.${'y'.repeat(77)}\r\n`.repeat(1900),
}

describe('a message', () => {
  test.each(Object.entries(BODIES))('%s arrives byte for byte', async (_, body) => {
    const mail = letter({ body })
    expect(await send(sender(sink.port), mail)).toEqual({ refused: [] })
    expect(sink.messages).toHaveLength(1)
    expect(sink.messages[0]?.bytes.equals(mail.bytes)).toBe(true)
  })

  test('goes to the envelope, in its order', async () => {
    const recipients = [TO, 'cy@example.com', "o'hara+tag@example.org", 'x@[127.0.0.1]']
    await send(sender(sink.port), letter({ recipients }))
    expect(sink.messages).toMatchObject([{ from: FROM, recipients }])
  })

  test('larger than the server takes is refused before it is sent', async () => {
    const failure = await failureOf(send(sender(sink.port), letter({ body: 'x\r\n'.repeat(70_000) })))
    expect(failure).toMatchObject({ code: 'too_large', stage: 'send' })
    expect([sink.named, sink.connections()]).toEqual([[], 1])
  })

  test('to some who are refused goes to the others', async () => {
    refuse = (step) => (step.at === 'rcpt' && step.address.startsWith('no') ? { code: 550 } : undefined)
    const recipients = ['no-1@example.com', TO, 'no-2@example.com']
    expect(await send(sender(sink.port), letter({ recipients }))).toEqual({
      refused: ['no-1@example.com', 'no-2@example.com'],
    })
    expect(sink.messages).toMatchObject([{ recipients: [TO] }])
  })
})

const REFUSALS: [SinkStep['at'], number, string, string][] = [
  ['connect', 554, 'rejected', 'does not accept connections from here'],
  ['connect', 421, 'unavailable', 'is not available for the moment'],
  ['auth', 535, 'auth_failed', 'the sending server (SMTP) refused the user name or password of account work'],
  ['auth', 454, 'unavailable', 'cannot log in account work for the moment'],
  ['auth', 504, 'unsupported', 'knows no way to log in'],
  ['mail', 550, 'rejected', "refused the account's address as a sender"],
  ['mail', 552, 'too_large', 'larger than the mail server accepts'],
  ['mail', 451, 'unavailable', "will not take the account's address as a sender for the moment"],
  ['mail', 421, 'unavailable', 'for the moment'],
  ['rcpt', 550, 'rejected', 'refused every recipient'],
  ['rcpt', 450, 'unavailable', 'will not take every recipient for the moment'],
  ['rcpt', 421, 'unavailable', ''],
  ['data', 554, 'rejected', 'refused the message'],
  ['data', 451, 'unavailable', 'will not take the message for the moment'],
  ['data', 421, 'unavailable', 'for the moment'],
]

describe('a server that says no', () => {
  test.each(REFUSALS)('at %s with %i: %s', async (at, code, expected, words) => {
    refuse = (step) => (step.at === at ? { code, text: `because of canary-text and ${SINK_PASSWORD}` } : undefined)
    const failure = await failureOf(send(sender(sink.port)))
    expect(failure).toMatchObject({ name: 'Failure', code: expected })
    expect(failure.message).toContain(words)
    expect(failure.message).not.toContain('canary-text')
    expect(String(failure.cause)).not.toContain(SINK_PASSWORD)
    expect(sink.messages).toEqual([])
  })

  test('to some with a later is asked again later', async () => {
    const codes: Record<string, number> = { 'a@example.com': 450, 'b@example.com': 550 }
    refuse = (step) => (step.at === 'rcpt' ? { code: codes[step.address] ?? 550 } : undefined)
    const mail = letter({ to: 'a@example.com', recipients: ['a@example.com', 'b@example.com'] })
    expect(await failureOf(send(sender(sink.port), mail))).toMatchObject({ code: 'unavailable' })
  })

  test('does not stand in the way of the next message', async () => {
    const by = sender(sink.port)
    refuse = (step) => (step.at === 'rcpt' ? { code: 550 } : undefined)
    await failureOf(send(by))
    refuse = () => undefined
    await send(by)
    expect(sink.messages).toHaveLength(1)
  })
})

/** Gives these one after another, the last one for ever, and notes what it is told. */
function notedAccess(...list: readonly Credentials[]): Access & { given: number; refusals: Credentials[] } {
  const noted = {
    given: 0,
    refusals: [] as Credentials[],
    credentials: async () => {
      const next = list[Math.min(noted.given, list.length - 1)]
      noted.given += 1
      if (next === undefined) throw new Error('none')
      return next
    },
    refused: async (credentials: Credentials) => {
      noted.refusals.push(credentials)
    },
    standing: async () => ({ state: 'active', mayWrite: true }) as const,
  }
  return noted
}
const password = (text: string): Credentials => ({ kind: 'password', password: text })
const token = (accessToken: string): Credentials => ({ kind: 'token', accessToken })

/** As Microsoft says it, with SMTP AUTH off as it is by default. */
const SWITCHED_OFF = {
  code: 535,
  text: '5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant. Visit https://aka.ms/smtp_auth_disabled',
}

describe('a login', () => {
  test('with a wrong password is tried once and told', async () => {
    const access = notedAccess(password('wrong'))
    const failures = await Promise.all([1, 2, 3, 4].map(() => failureOf(send(sender(sink.port, { access })))))
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['auth_failed']))
    expect(access.refusals).toEqual([1, 2, 3, 4].map(() => password('wrong')))
  })

  test('that is refused is refused to all who wait', async () => {
    const access = notedAccess(password('wrong'))
    const by = sender(sink.port, { access, maxConnections: 1 })
    const codes = await Promise.all([1, 2, 3, 4].map(async () => (await failureOf(send(by))).code))
    expect(codes).toEqual(['auth_failed', 'auth_failed', 'auth_failed', 'auth_failed'])
    expect(sink.logins).toHaveLength(1)
  })

  test.each(['PLAIN', 'LOGIN', 'CRAM-MD5'] as const)('works with %s', async (method) => {
    const own = await startSink({ authMethods: [method] })
    await send(sender(own.port))
    expect(own.logins.map((login) => login.method)).toEqual([method])
    expect(own.messages).toHaveLength(1)
    await own.close()
  })

  test('with a token uses it, even where a password would do', async () => {
    const own = await startSink({ authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'], acceptsToken: (text) => text === 'good' })
    await send(sender(own.port, { access: notedAccess(token('good')) }))
    expect(own.logins).toMatchObject([{ method: 'XOAUTH2', secret: 'good' }])
    expect(own.messages).toHaveLength(1)
    await own.close()
  })

  test('with a refused token asks for another, once', async () => {
    const own = await startSink({ authMethods: ['XOAUTH2'], acceptsToken: (text) => text === 'new' })
    const renewed = notedAccess(token('old'), token('new'))
    await send(sender(own.port, { access: renewed }))
    expect([renewed.refusals, own.messages.length]).toEqual([[token('old')], 1])
    const lost = notedAccess(token('one'), token('two'), token('three'))
    const failure = await failureOf(send(sender(own.port, { access: lost })))
    expect(failure).toMatchObject({ code: 'auth_failed', stage: 'connect' })
    expect(failure.message).toBe('the sending server (SMTP) refused the access token of account work')
    expect(lost.refusals).toEqual([token('one'), token('two')])
    expect(own.messages).toHaveLength(1)
    await own.close()
  })

  test.each([
    ['PLAIN', password('correct')],
    ['XOAUTH2', token('good')],
  ] as const)('with %s where SMTP AUTH is switched off says so, and nothing is blamed', async (method, credentials) => {
    const own = await startSink({
      authMethods: [method],
      refuse: ({ at }) => (at === 'auth' ? SWITCHED_OFF : undefined),
    })
    const access = notedAccess(credentials)
    const failure = await failureOf(send(sender(own.port, { access })))
    expect(failure).toMatchObject({ code: 'auth_failed', details: { reason: 'smtp_auth_disabled' } })
    expect(failure.message).toMatch(/^SMTP AUTH is switched off for the mailbox of account work or for its whole/)
    expect(failure.message).toContain('an administrator turns on "Authenticated SMTP"')
    expect(failure.message).toContain('SmtpClientAuthenticationDisabled')
    expect(failure.message).not.toContain('aka.ms')
    expect([access.refusals, own.logins.length]).toEqual([[], 1])
    await own.close()
  })

  test('that is refused is a problem of sending, told until a message is accepted', async () => {
    let refusal: typeof SWITCHED_OFF | undefined = SWITCHED_OFF
    const own = await startSink({ refuse: ({ at }) => (at === 'auth' ? refusal : undefined) })
    const server = { host: '127.0.0.1', port: own.port, tls: 'none', user: SINK_USER } as const
    const log = { ...silentLog, hide: () => undefined }
    const { sender: by, sendingProblem } = smtpSender('work', server, fixedPassword(SINK_PASSWORD), {
      ca: undefined,
      log,
    })
    expect(sendingProblem()).toBeUndefined()
    await failureOf(send(by))
    expect(sendingProblem()).toMatch(/^SMTP AUTH is switched off/)
    refusal = undefined
    await send(by)
    expect(sendingProblem()).toBeUndefined()
    await by.close()
    await own.close()
  })

  test('refused as Exchange refuses it names SMTP AUTH as what may be off', async () => {
    const text = '5.7.3 Authentication unsuccessful'
    const own = await startSink({ refuse: ({ at }) => (at === 'auth' ? { code: 535, text } : undefined) })
    const failure = await failureOf(send(sender(own.port, { access: notedAccess(password('right')) })))
    expect(failure.message).toMatch(
      /refused the user name or password of account work; if reading works, SMTP AUTH may/,
    )
    await own.close()
  })

  test('with a token that the server has no use for fails, and the token is not blamed', async () => {
    const access = notedAccess(token('good'))
    expect(await failureOf(send(sender(sink.port, { access })))).toMatchObject({ code: 'unsupported' })
    expect(access.refusals).toEqual([])
  })
})

describe('connections', () => {
  test('carry a hundred messages, three of them at a time', async () => {
    const by = sender(sink.port)
    const mails = Array.from({ length: 100 }, (_, at) => letter({ body: `letter ${at}\r\n` }))
    await Promise.all(mails.map((mail) => send(by, mail)))
    const bodies = sink.messages.map(({ bytes }) => bytes.toString('latin1'))
    expect(new Set(bodies)).toEqual(new Set(mails.map(({ bytes }) => Buffer.from(bytes).toString('latin1'))))
    expect(sink.messages).toHaveLength(100)
    expect(sink.connections()).toBe(3)
  })

  test.each([1, 2])('are no more than the server takes, where it takes %d', async (most) => {
    const narrow = await startSink({ most: () => most })
    const by = sender(narrow.port)
    await Promise.all(Array.from({ length: 12 }, (_, at) => send(by, letter({ body: `letter ${at}\r\n` }))))
    const bodies = narrow.messages.map(({ bytes }) => bytes.toString('latin1'))
    expect([bodies.length, new Set(bodies).size]).toEqual([12, 12])
    // It is not asked for more again while letters leave.
    expect(narrow.connections()).toBeLessThanOrEqual(3)
    await narrow.close()
  })

  test('that the server takes none of are asked for once a letter', async () => {
    const full = await startSink({ most: () => 0 })
    const by = sender(full.port)
    const failures = await Promise.all(Array.from({ length: 7 }, () => failureOf(send(by))))
    expect(new Set(failures.map(({ code, stage }) => `${code} ${stage}`))).toEqual(new Set(['unavailable connect']))
    expect(full.connections()).toBe(7)
    await full.close()
  })

  test('of others are not waited for by who leaves, and are asked for again later', async () => {
    const held = Promise.withResolvers<void>()
    let most = 1
    const narrow = await startSink({ most: () => most, pause: () => held.promise })
    const by = sender(narrow.port)
    const first = send(by)
    await expect.poll(() => narrow.named.length).toBe(1)
    const leaving = new AbortController()
    const second = failureOf(send(by, letter(), leaving.signal))
    const third = send(by)
    await expect.poll(() => narrow.connections()).toBe(3)
    leaving.abort()
    expect((await second).code).toBe('cancelled')
    held.resolve()
    await Promise.all([first, third])
    expect(narrow.messages).toHaveLength(2)
    most = 3
    await Promise.all([send(by), send(by), send(by)])
    expect([narrow.connections(), narrow.messages.length]).toEqual([5, 5])
    await narrow.close()
  })

  test('that died unused are replaced', async () => {
    const by = sender(sink.port)
    await Promise.all([send(by), send(by)])
    sink.dropClients()
    await Promise.all([send(by), send(by), send(by)])
    expect(sink.messages).toHaveLength(5)
  })

  test('are closed when they are not used', async () => {
    const by = sender(sink.port, { idleCloseMs: 1 })
    await send(by)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await send(by)
    expect([sink.connections(), sink.messages.length]).toEqual([2, 2])
  })

  test('are let go of with the sender, which sends no more', async () => {
    const by = sender(sink.port)
    await send(by)
    await by.close()
    expect(await failureOf(send(by))).toMatchObject({ code: 'unavailable' })
    expect(sink.messages).toHaveLength(1)
  })

  test('to where nobody listens fail', async () => {
    const gone = await startSink()
    await gone.close()
    expect(await failureOf(send(sender(gone.port)))).toMatchObject({ code: 'unavailable', stage: 'connect' })
  })

  test('are not even opened for who has left', async () => {
    const failure = await failureOf(send(sender(sink.port), letter(), AbortSignal.abort()))
    expect(failure.code).toBe('cancelled')
    expect(sink.connections()).toBe(0)
  })

  test('are not waited for by who leaves', async () => {
    const held = Promise.withResolvers<void>()
    const slow = await startSink({ pause: () => held.promise })
    const by = sender(slow.port, { maxConnections: 1 })
    const first = send(by)
    const leaving = new AbortController()
    const second = failureOf(send(by, letter(), leaving.signal))
    leaving.abort()
    expect((await second).code).toBe('cancelled')
    held.resolve()
    await first
    expect(slow.messages).toHaveLength(1)
    await slow.close()
  })
})
