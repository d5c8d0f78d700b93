/** The line is safe before anything is said on it, or nothing is. */

import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { SmtpOptions } from '../../src/adapters/smtp/options.ts'
import { closeSenders, failureOf, letter, send, sender } from './desk.ts'
import { type SmtpProxy, startProxy } from './proxy.ts'
import { SINK_PASSWORD, SINK_USER, type Sink, startSink } from './sink.ts'

const KINDS = ['starttls', 'implicit'] as const
let safe: Record<(typeof KINDS)[number], Sink>
let plain: Sink
beforeAll(async () => {
  const [starttls, implicit, none] = await Promise.all([
    startSink({ tls: 'starttls' }),
    startSink({ tls: 'implicit' }),
    startSink(),
  ])
  safe = { starttls, implicit }
  plain = none
})
afterEach(async () => {
  await closeSenders()
  for (const sink of [...Object.values(safe), plain]) sink.forget()
})
afterAll(() => Promise.all([...Object.values(safe), plain].map((sink) => sink.close())))

function trusting(sink: Sink, options: Partial<SmtpOptions> = {}): Partial<SmtpOptions> {
  return { ...(sink.ca === undefined ? {} : { ca: sink.ca }), ...options }
}

describe.each(KINDS)('%s', (tls) => {
  test.each(['127.0.0.1', 'localhost'])('to %s is safe', async (host) => {
    const sink = safe[tls]
    await send(sender(sink.port, trusting(sink, { tls, host })))
    expect(sink.messages).toMatchObject([{ secure: true }])
    expect(sink.logins).toMatchObject([{ secure: true }])
  })

  test('does not trust a certificate that nobody vouches for', async () => {
    const failure = await failureOf(send(sender(safe[tls].port, { tls })))
    expect(failure).toMatchObject({ code: 'tls_failed', stage: 'connect' })
    expect(failure.message).toContain('is not trusted')
    expect(safe[tls].logins).toEqual([])
  })

  test('does not trust a certificate for another host', async () => {
    const other = await startSink({ tls, names: 'DNS:mail.example.org' })
    const failure = await failureOf(send(sender(other.port, trusting(other, { tls, host: 'localhost' }))))
    expect(failure).toMatchObject({ code: 'tls_failed' })
    expect(failure.message).toContain('is for another host name')
    expect([other.logins, other.messages]).toEqual([[], []])
    await other.close()
  })

  test('of a server without TLS is refused, and nothing is said', async () => {
    const proxy = await startProxy(plain.port)
    const failure = await failureOf(send(sender(proxy.port, { tls })))
    expect(failure).toMatchObject({ code: 'tls_failed', stage: 'connect' })
    expectNothingSaid(proxy)
    expect(plain.logins).toEqual([])
    await proxy.close()
  })
})

test('without TLS is not made safe behind our back', async () => {
  const both = await startSink({ tls: 'starttls' })
  // It takes no login in clear.
  expect(await failureOf(send(sender(both.port, trusting(both))))).toMatchObject({ name: 'Failure' })
  expect([both.logins, both.messages]).toEqual([[], []])
  await both.close()
})

describe('somebody in the line', () => {
  let proxy: SmtpProxy
  beforeAll(async () => {
    proxy = await startProxy(safe.starttls.port)
  })
  afterAll(() => proxy.close())
  const by = () => sender(proxy.port, trusting(safe.starttls, { tls: 'starttls' }))

  test('who hides STARTTLS wins nothing', async () => {
    proxy.arrange({ at: /^EHLO/, does: { answer: '250-sink.test\r\n250 AUTH PLAIN LOGIN\r\n' } })
    // It is asked for nonetheless.
    await send(by())
    expect(safe.starttls.messages).toMatchObject([{ secure: true }])
    expectNothingSaid(proxy)
  })

  test('who says that there is no STARTTLS stops it', async () => {
    proxy.arrange({ at: /^STARTTLS/m, does: { answer: '502 what?\r\n' } })
    expect(await failureOf(send(by()))).toMatchObject({ code: 'tls_failed', stage: 'connect' })
    expect(safe.starttls.messages).toEqual([])
    expectNothingSaid(proxy)
  })

  test.each(['220', '250'])('who says %s to STARTTLS and more is heard only once it is safe', async (code) => {
    const answer = `${code} ok\r\n250-sink.test\r\n250 AUTH XOAUTH2\r\n235 welcome\r\n`
    proxy.arrange({ at: /^STARTTLS/m, does: { answer } })
    await send(by()).catch((error: unknown) => expect(error).toMatchObject({ name: 'Failure' }))
    expect(safe.starttls.messages.every(({ secure }) => secure)).toBe(true)
    expect(safe.starttls.logins.every(({ secure, method }) => secure && method === 'PLAIN')).toBe(true)
    expectNothingSaid(proxy)
  })

  test('who plays the server in clear after STARTTLS hears nothing', async () => {
    const impostor = await startImpostor()
    const failure = await failureOf(send(sender(impostor.port, { tls: 'starttls' })))
    expect(failure).toMatchObject({ code: 'tls_failed' })
    expect(impostor.heard()).not.toMatch(/AUTH|MAIL|RCPT|Hello/)
    await impostor.close()
  })
})

/** Neither a secret nor a word of the letter crossed the line in clear. */
function expectNothingSaid(proxy: SmtpProxy): void {
  const sent = proxy.sent()
  expect(sent).not.toContain(Buffer.from(`\0${SINK_USER}\0${SINK_PASSWORD}`).toString('base64'))
  expect(sent).not.toContain(Buffer.from(SINK_PASSWORD).toString('base64'))
  expect(sent).not.toMatch(/AUTH|MAIL FROM|RCPT TO/)
  expect(sent).not.toContain(new TextDecoder().decode(letter().bytes))
}

/** Says yes to everything, never in TLS. */
async function startImpostor(): Promise<{ port: number; heard(): string; close(): Promise<void> }> {
  let heard = ''
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.write('220 here\r\n')
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      socket.write(/^EHLO/.test(chunk.toString('latin1')) ? '250-here\r\n250 STARTTLS\r\n' : '220 yes\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    heard: () => heard,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
