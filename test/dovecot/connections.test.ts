/** Connections: how they are opened, shared, lost and found again. */
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import type { Failure } from '../../src/core/failure.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import type { Log } from '../../src/ports/log.ts'
import type { MailboxAt, MailSource } from '../../src/ports/mail-source.ts'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { type Desk, startDesk, USER } from './desk.ts'
import { freePort } from './dovecot.ts'

const BOX = 'box'

let desk: Desk
let at: MailboxAt
let uid: number
beforeAll(async () => {
  desk = await startDesk()
  ;[uid = 0] = await desk.other.seed(BOX, [{ raw: letter({ body: 'x'.repeat(300_000) }) }])
  await desk.other.seed('copies', [])
  const { uidvalidity } = await desk.source.find(BOX, { criteria: {}, take: 1 }, never())
  at = { mailbox: BOX, uidvalidity }
})
afterAll(() => desk.stop())
afterEach(() => {
  desk.proxy.delay(0)
  desk.proxy.stall(false)
  desk.proxy.refuse(false)
  desk.proxy.cutAll()
})

const list = (source: MailSource, signal = never()) => source.find(BOX, { criteria: {}, take: 5 }, signal)
const failureOf = (call: Promise<unknown>): Promise<Failure> =>
  call.then(
    () => {
      throw new Error('the call should have failed')
    },
    (error: Failure) => error,
  )

describe('opening', () => {
  test('a wrong password is auth_failed, named by account, and says no secret', async () => {
    const lines: string[] = []
    const keep = (fields: unknown, message: string): void => {
      lines.push(JSON.stringify(fields) + message)
    }
    const log: Log = { debug: keep, info: keep, warn: keep, error: keep }
    const options = { host: '127.0.0.1', port: desk.dovecot.port, tls: 'none', user: USER, account: 'work' } as const
    const source = createImapSource({ ...options, access: fixedPassword('wr0ng-canary') }, log)
    const failure = await failureOf(source.probe(never()))
    expect(failure).toMatchObject({ code: 'auth_failed', stage: 'connect' })
    expect(failure.message).toBe('the server refused the user name or password of account work')
    const shown = JSON.stringify([lines, failure.message, String(failure.cause), failure.details])
    expect(shown).not.toContain('wr0ng-canary')
    expect(shown).not.toContain(Buffer.from('wr0ng-canary').toString('base64'))
    await source.close()
  })

  test('many calls with a wrong password try it a few times only', async () => {
    const source = desk.make({ access: fixedPassword('wrong') })
    const before = desk.proxy.accepted()
    const results = await Promise.all(Array.from({ length: 50 }, () => failureOf(list(source))))
    expect(new Set(results.map(({ code }) => code))).toEqual(new Set(['auth_failed']))
    expect(desk.proxy.accepted() - before).toBeLessThanOrEqual(3)
  })

  test.each(['implicit', 'starttls'] as const)('a certificate nobody vouches for is refused (%s)', async (tls) => {
    const port = tls === 'implicit' ? desk.dovecot.tlsPort : desk.dovecot.port
    const failure = await failureOf(list(desk.make({ tls, port, host: 'localhost' })))
    expect(failure).toMatchObject({ code: 'tls_failed', stage: 'connect' })
    expect(failure.message).toContain('MAIL_IMAP_CA_CERT_PATH')
  })

  test('with its authority it is accepted, by name and by address', async () => {
    const ca = await readFile(desk.dovecot.caFile, 'utf8')
    for (const host of ['localhost', '127.0.0.1']) {
      expect((await list(desk.make({ tls: 'implicit', port: desk.dovecot.tlsPort, host, ca }))).total).toBe(1)
      expect((await list(desk.make({ tls: 'starttls', port: desk.dovecot.port, host, ca }))).total).toBe(1)
    }
  })

  test('with starttls the password never leaves before TLS, and cleartext stays cleartext where it was asked for', async () => {
    const ca = await readFile(desk.dovecot.caFile, 'utf8')
    desk.proxy.reset()
    await list(desk.make({ tls: 'starttls', host: 'localhost', ca }))
    expect(desk.proxy.sent()).toContain('STARTTLS')
    expect(desk.proxy.sent()).not.toMatch(/LOGIN|AUTHENTICATE/)
    desk.proxy.reset()
    await list(desk.make({ tls: 'none' }))
    expect(desk.proxy.sent()).not.toContain('STARTTLS')
  })

  test('who we are is told before the first mailbox is opened', async () => {
    desk.proxy.reset()
    await list(desk.make({}))
    const sent = desk.proxy.sent()
    expect(sent).toMatch(/ID \("name" "postern"/)
    expect(sent.indexOf('ID (')).toBeLessThan(sent.indexOf('EXAMINE'))
    expect(sent).not.toContain('COMPRESS')
  })

  test('a port nobody listens on, an unknown host and a server that hangs up are unavailable', async () => {
    expect(await failureOf(list(desk.make({ port: await freePort() })))).toMatchObject({
      code: 'unavailable',
      stage: 'connect',
    })
    expect(await failureOf(list(desk.make({ host: 'no-such-host.invalid' })))).toMatchObject({ code: 'unavailable' })
    desk.proxy.refuse(true)
    expect(await failureOf(list(desk.make()))).toMatchObject({ code: 'unavailable', stage: 'connect' })
  })

  test('TLS towards a port that speaks none, and a server that never greets, end in time', async () => {
    const cleartext = await failureOf(
      list(desk.make({ tls: 'implicit', connectTimeoutMs: 3000, greetingTimeoutMs: 500 })),
    )
    expect(['tls_failed', 'timeout']).toContain(cleartext.code)
    desk.proxy.stall(true)
    const silent = await failureOf(list(desk.make({ greetingTimeoutMs: 200 })))
    expect(silent).toMatchObject({ code: 'timeout', stage: 'connect' })
  })
})

describe('sharing', () => {
  test('two hundred calls at once are all answered over three connections', async () => {
    const source = desk.make()
    const before = desk.proxy.accepted()
    const calls = Array.from({ length: 200 }, (_, index) =>
      index % 2 === 0 ? list(source) : source.raw(at, uid, 100, never()),
    )
    const results = await Promise.all(calls)
    expect(results.length).toBe(200)
    expect(desk.proxy.accepted() - before).toBe(3)
  })

  test('a connection is kept, and closed when it was idle long enough', async () => {
    const source = desk.make({ idleCloseMs: 150 })
    const before = desk.proxy.accepted()
    await list(source)
    await list(source)
    expect(desk.proxy.accepted() - before).toBe(1)
    await expect.poll(() => desk.proxy.open()).toBe(0)
    expect((await list(source)).total).toBe(1)
  })

  test('a server that takes only one connection still answers all', async () => {
    const limited = await startDesk({ extra: 'mail_max_userip_connections = 2' })
    try {
      await limited.other.seed(BOX, [{ raw: letter({}) }])
      const results = await Promise.all(Array.from({ length: 20 }, () => list(limited.source)))
      expect(results.every(({ total }) => total === 1)).toBe(true)
    } finally {
      await limited.stop()
    }
  })

  test('after close nothing runs any more and what was under way ends', async () => {
    const source = desk.make()
    await list(source)
    desk.proxy.stall(true)
    const pending = failureOf(list(source))
    await source.close()
    expect((await pending).code).toBe('unavailable')
    expect((await failureOf(list(source))).code).toBe('unavailable')
  })
})

describe('losing', () => {
  test('a kept connection that died is replaced without anybody noticing', async () => {
    const source = desk.make()
    await Promise.all([list(source), list(source), list(source)])
    desk.proxy.cutAll()
    const results = await Promise.all([list(source), source.open(at, uid, never()), source.flags(at, uid, never())])
    expect(results.length).toBe(3)
  })

  test('a server gone in the middle of an answer is unavailable, and the next call is answered', async () => {
    const source = desk.make()
    await list(source)
    desk.proxy.cutAfter(100_000)
    expect(await failureOf(source.raw(at, uid, 300_000, never()))).toMatchObject({ code: 'unavailable' })
    desk.proxy.cutAll()
    expect((await source.raw(at, uid, 300_000, never())).bytes.length).toBe(300_000)
  })

  test('a server that is restarted is found again', async () => {
    const source = desk.make()
    await list(source)
    await desk.dovecot.pause()
    desk.proxy.cutAll()
    expect((await failureOf(list(source))).code).toBe('unavailable')
    await desk.dovecot.restart()
    expect((await list(source)).total).toBe(1)
  })

  test('a change whose answer is lost is outcome_unknown and is not sent again', async () => {
    const source = desk.make()
    await list(source)
    desk.proxy.reset()
    desk.proxy.cutAtAnswerTo('UID COPY')
    expect(await failureOf(source.copy(at, uid, 'copies', never()))).toMatchObject({
      code: 'outcome_unknown',
      stage: 'copy',
    })
    desk.proxy.cutAll()
    expect(desk.proxy.sent().match(/UID COPY/g)).toHaveLength(1)
    const { total } = await source.find('copies', { criteria: {}, take: 1 }, never())
    expect(total).toBe(1)
  })

  test('a change on a kept connection that died is made once', async () => {
    const source = desk.make()
    await list(source)
    desk.proxy.cutAll()
    await source.changeFlags(at, uid, 'add', ['once'], never())
    expect(await source.flags(at, uid, never())).toContain('once')
  })

  test('silence is a timeout and the connection is given up', async () => {
    const source = desk.make({ socketTimeoutMs: 2500 })
    await list(source)
    desk.proxy.stall(true)
    expect(await failureOf(source.open(at, uid, never()))).toMatchObject({ code: 'timeout' })
    await expect.poll(() => desk.proxy.open()).toBe(0)
  })
})

describe('cancelling', () => {
  test('reaches the connection', async () => {
    const source = desk.make()
    await list(source)
    desk.proxy.stall(true)
    const stop = new AbortController()
    const pending = failureOf(source.open(at, uid, stop.signal))
    setTimeout(() => stop.abort(), 50)
    expect((await pending).code).toBe('cancelled')
    await expect.poll(() => desk.proxy.open()).toBe(0)
    desk.proxy.stall(false)
    expect((await list(source)).total).toBe(1)
  })

  test('a deadline is a timeout', async () => {
    const source = desk.make()
    await list(source)
    desk.proxy.stall(true)
    expect((await failureOf(list(source, AbortSignal.timeout(50)))).code).toBe('timeout')
  })

  test('while connecting or waiting for a connection ends at once, and harms nobody else', async () => {
    const source = desk.make({ maxConnections: 1 })
    desk.proxy.stall(true)
    const stop = new AbortController()
    const pending = [failureOf(list(source, stop.signal)), failureOf(list(source, stop.signal))]
    const patient = list(source)
    setTimeout(() => stop.abort(), 50)
    expect((await Promise.all(pending)).map(({ code }) => code)).toEqual(['cancelled', 'cancelled'])
    desk.proxy.stall(false)
    expect((await patient).total).toBe(1)
  })

  test('a change that was sent already is outcome_unknown', async () => {
    const source = desk.make()
    await list(source)
    const stop = new AbortController()
    desk.proxy.delay(100)
    const pending = failureOf(source.append('copies', { bytes: Buffer.from(letter({})), flags: [] }, stop.signal))
    setTimeout(() => stop.abort(), 50)
    expect((await pending).code).toBe('outcome_unknown')
  })
})
