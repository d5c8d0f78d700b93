/** Wherever the line breaks: what we say of a message agrees with what became of it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { FailureCode } from '../../src/core/failure.ts'
import { closeSenders, failureOf, letter, send, sender } from './desk.ts'
import { type Fault, type SmtpProxy, startProxy } from './proxy.ts'
import { SINK_PASSWORD, type Sink, startSink } from './sink.ts'

const END = /\r\n\.\r\n$/
/** More than the system holds back for a reader that does not read. */
const LARGE = letter({ body: `${'x'.repeat(70)}\r\n`.repeat(400_000) })

let sinks: readonly Sink[]
let proxies: readonly SmtpProxy[]
beforeAll(async () => {
  sinks = await Promise.all([startSink({ pipelining: false }), startSink()])
  proxies = await Promise.all(sinks.map(({ port }) => startProxy(port)))
})
afterEach(async () => {
  await closeSenders()
  for (const proxy of proxies) proxy.arrange()
  for (const sink of sinks) sink.forget()
})
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()))
  await Promise.all(sinks.map((sink) => sink.close()))
})

interface Case {
  readonly fault: Fault
  readonly code: FailureCode
  /** How many messages the server has accepted. */
  readonly arrived: 0 | 1
}

const lost = (at: RegExp | undefined, does: Fault['does']): Case => ({
  fault: { ...(at === undefined ? {} : { at }), does },
  code: 'unavailable',
  arrived: 0,
})

/** Step by step: a server that takes one command at a time. */
const STEPS: Record<string, Case> = {
  'before the greeting': lost(undefined, 'cut'),
  'in the greeting': lost(undefined, { part: 2 }),
  'before EHLO arrived': lost(/^EHLO/, 'swallow'),
  'after EHLO': lost(/^EHLO/, 'cut'),
  'in the answer to EHLO': lost(/^EHLO/, { part: 20 }),
  'before AUTH arrived': lost(/^AUTH/m, 'swallow'),
  'during AUTH': lost(/^AUTH/m, 'cut'),
  'in the answer to AUTH': lost(/^AUTH/m, { part: 3 }),
  'before MAIL arrived': lost(/^MAIL/m, 'swallow'),
  'after MAIL': lost(/^MAIL/m, 'cut'),
  'before RCPT arrived': lost(/^RCPT/m, 'swallow'),
  'after RCPT': lost(/^RCPT/m, 'cut'),
  'before DATA arrived': lost(/^DATA\r\n/m, 'swallow'),
  'after DATA': lost(/^DATA\r\n/m, 'cut'),
  'in the answer to DATA': lost(/^DATA\r\n/m, { part: 2 }),
  'before the last byte arrived': { fault: { at: END, does: 'swallow' }, code: 'outcome_unknown', arrived: 0 },
  'after the last byte': { fault: { at: END, does: 'cut' }, code: 'outcome_unknown', arrived: 1 },
  'after the first byte of the answer': { fault: { at: END, does: { part: 1 } }, code: 'outcome_unknown', arrived: 1 },
  'before the end of the answer': { fault: { at: END, does: { part: 8 } }, code: 'outcome_unknown', arrived: 1 },
}

/** All of the envelope in one go. */
const PIPELINED: Record<string, Case> = {
  'before the envelope arrived': lost(/^DATA\r\n/m, 'swallow'),
  'after the envelope': lost(/^DATA\r\n/m, 'cut'),
  'in the answers to it': lost(/^DATA\r\n/m, { part: 30 }),
  'after the last byte': { fault: { at: END, does: 'cut' }, code: 'outcome_unknown', arrived: 1 },
}

const LISTS = [STEPS, PIPELINED].flatMap((list, which) =>
  Object.entries(list).map(([name, each]): [string, number, Case] => [name, which, each]),
)

describe('a line cut', () => {
  test.each(LISTS)('%s (server %i)', async (_, which, { fault, code, arrived }) => {
    const [proxy, sink] = [proxies[which], sinks[which]]
    if (proxy === undefined || sink === undefined) throw new Error('no such server')
    proxy.arrange(fault)
    const failure = await failureOf(send(sender(proxy.port)))
    expect(failure).toMatchObject({ name: 'Failure', code, retryable: code === 'unavailable' })
    await until(() => sink.messages.length >= arrived)
    expect(sink.messages).toHaveLength(arrived)
  })

  test('in the middle of a large message is certain', async () => {
    const [proxy, sink] = steps()
    proxy.arrange({ at: /^Subject/m, does: 'swallow' })
    expect(await failureOf(send(sender(proxy.port), LARGE))).toMatchObject({ code: 'unavailable' })
    expect(sink.messages).toEqual([])
  })

  test('on a connection that was used before is mended, until the message was asked for', async () => {
    const [proxy, sink] = steps()
    const by = sender(proxy.port)
    await send(by)
    for (const at of [/^MAIL/m, /^RCPT/m, /^DATA\r\n/m]) {
      for (const does of ['cut', 'swallow', { answer: '421 bye\r\n', close: true }] as const) {
        proxy.arrange({ at, does })
        await send(by)
      }
    }
    expect(sink.messages).toHaveLength(10)
    proxy.arrange({ at: END, does: 'cut' })
    expect(await failureOf(send(by))).toMatchObject({ code: 'outcome_unknown' })
    await until(() => sink.messages.length >= 11)
    expect(sink.messages).toHaveLength(11)
  })

  test('on two connections in a row is not mended again and again', async () => {
    const [proxy, sink] = steps()
    const by = sender(proxy.port)
    await send(by)
    const before = proxy.connections()
    proxy.arrange({ at: /^MAIL/m, does: 'cut', always: true })
    expect(await failureOf(send(by))).toMatchObject({ code: 'unavailable' })
    expect([proxy.connections() - before, sink.messages.length]).toEqual([1, 1])
  })
})

describe('one of several lines at once, cut', () => {
  test.each([
    ['in the message is the failure of one letter', /^DATA\r\n/m, 'unavailable', 2],
    ['after the last byte leaves one letter unknown', END, 'outcome_unknown', 3],
  ] as const)('%s', async (_, at, code, arrived) => {
    const [proxy, sink] = steps()
    proxy.arrange({ at, does: 'cut' })
    const by = sender(proxy.port)
    const mails = [1, 2, 3].map((at) => letter({ body: `letter ${at}\r\n` }))
    const endings = await Promise.allSettled(mails.map((mail) => send(by, mail)))
    const failed = endings.flatMap((ending) => (ending.status === 'rejected' ? [ending.reason] : []))
    expect(failed).toMatchObject([{ code }])
    await until(() => sink.messages.length >= arrived)
    expect(new Set(sink.messages.map(({ bytes }) => bytes.toString('latin1'))).size).toBe(arrived)
    expect(sink.messages).toHaveLength(arrived)
  })

  test('before the greeting is no failure: the others carry its letter', async () => {
    const [proxy, sink] = steps()
    proxy.arrange({ does: 'cut' })
    const by = sender(proxy.port)
    await Promise.all([1, 2, 3].map(() => send(by)))
    expect(sink.messages).toHaveLength(3)
  })
})

describe('silence', () => {
  const quick = { socketTimeoutMs: 2500, greetingTimeoutMs: 2500 }
  test.each([
    ['instead of a greeting', undefined, 'timeout', 0],
    ['after EHLO', /^EHLO/, 'timeout', 0],
    ['after AUTH', /^AUTH/m, 'timeout', 0],
    ['after MAIL', /^MAIL/m, 'timeout', 0],
    ['after DATA', /^DATA\r\n/m, 'timeout', 0],
    ['after the last byte', END, 'outcome_unknown', 1],
  ] as const)('%s', async (_, at, code, arrived) => {
    const [proxy, sink] = steps()
    proxy.arrange({ ...(at === undefined ? {} : { at }), does: 'stall' })
    expect(await failureOf(send(sender(proxy.port, quick)))).toMatchObject({ code })
    await until(() => sink.messages.length >= arrived)
    expect(sink.messages).toHaveLength(arrived)
  })

  test('instead of a greeting is no failure where another line carries the letter', async () => {
    const [proxy, sink] = steps()
    proxy.arrange({ does: 'stall' })
    const by = sender(proxy.port, quick)
    await Promise.all([send(by), send(by)])
    expect(sink.messages).toHaveLength(2)
  })

  test('that ends is waited for', async () => {
    const [proxy, sink] = steps()
    proxy.arrange({ at: END, does: { wait: 150 } })
    expect(await send(sender(proxy.port))).toEqual({ refused: [] })
    expect(sink.messages).toHaveLength(1)
  })
})

describe('whoever leaves', () => {
  test.each([
    ['before the greeting', undefined, 'cancelled', 0],
    ['during AUTH', /^AUTH/m, 'cancelled', 0],
    ['after RCPT', /^RCPT/m, 'cancelled', 0],
    ['after the last byte', END, 'outcome_unknown', 1],
  ] as const)('%s', async (_, at, code, arrived) => {
    const [proxy, sink] = steps()
    proxy.arrange({ ...(at === undefined ? {} : { at }), does: 'stall' })
    const leaving = new AbortController()
    const failing = failureOf(send(sender(proxy.port), letter(), leaving.signal))
    if (at === undefined) await until(() => sink.connections() > 0)
    else await proxy.seen(at)
    leaving.abort()
    expect(await failing).toMatchObject({ code })
    await until(() => sink.messages.length >= arrived)
    expect(sink.messages).toHaveLength(arrived)
  })

  test('by closing the sender after the last byte does not know either', async () => {
    const [proxy] = steps()
    proxy.arrange({ at: END, does: 'stall' })
    const by = sender(proxy.port)
    const failing = failureOf(send(by))
    await proxy.seen(END)
    await by.close()
    expect(await failing).toMatchObject({ code: 'outcome_unknown' })
  })

  test('by closing it before is certain', async () => {
    const [proxy, sink] = steps()
    proxy.arrange({ at: /^RCPT/m, does: 'stall' })
    const by = sender(proxy.port)
    const failing = failureOf(send(by))
    await proxy.seen(/^RCPT/m)
    await by.close()
    expect(await failing).toMatchObject({ code: 'unavailable' })
    expect(sink.messages).toEqual([])
  })
})

/** Its answer to the end of the message, and what we make of it. In truth it has accepted it. */
const LIES: [answer: string, code: FailureCode | 'accepted'][] = [
  ['250 ok\r\n', 'accepted'],
  ['250\r\n', 'accepted'],
  ['250-one\r\n250 two\r\n', 'accepted'],
  ['\r\n\r\n250 ok\r\n', 'accepted'],
  ['550 no\r\n', 'rejected'],
  ['552 5.3.4 too big\r\n', 'too_large'],
  ['451 later\r\n', 'unavailable'],
  ['421 bye\r\n', 'unavailable'],
  ['5\r\n', 'outcome_unknown'],
  ['2\r\n', 'outcome_unknown'],
  ['25 ok\r\n', 'outcome_unknown'],
  ['2500 ok\r\n', 'outcome_unknown'],
  ['2xx ok\r\n', 'outcome_unknown'],
  ['hello\r\n', 'outcome_unknown'],
  ['354 go on\r\n', 'outcome_unknown'],
  ['250-ok\r\n550 no\r\n', 'outcome_unknown'],
  ['550-no\r\n250 ok\r\n', 'outcome_unknown'],
  ['550-no\r\nwhatever\r\n', 'outcome_unknown'],
  ['\0\0\0\r\n', 'outcome_unknown'],
  ['\xff\xfe250 ok\r\n', 'outcome_unknown'],
  [`250-${'x'.repeat(100)}\r\n`.repeat(2000), 'outcome_unknown'],
  ['y'.repeat(100_000), 'outcome_unknown'],
]

describe('a server that answers the message with', () => {
  test.each(LIES.map(([answer, code]) => [JSON.stringify(answer).slice(0, 40), code, answer] as const))(
    '%s: %s',
    async (_, code, answer) => {
      const [proxy] = steps()
      proxy.arrange({ at: END, does: { answer } })
      const by = sender(proxy.port)
      if (code === 'accepted') expect(await send(by)).toEqual({ refused: [] })
      else expect(await failureOf(send(by))).toMatchObject({ code })
    },
  )

  test('yes, and then goes', async () => {
    const [proxy, sink] = steps()
    const by = sender(proxy.port)
    proxy.arrange({ at: END, does: { answer: '250 ok\r\n', close: true } })
    await send(by)
    await send(by)
    expect(sink.messages).toHaveLength(2)
  })

  test('half a no, and then goes', async () => {
    const [proxy] = steps()
    proxy.arrange({ at: END, does: { answer: '550 no', close: true } })
    expect(await failureOf(send(sender(proxy.port)))).toMatchObject({ code: 'outcome_unknown' })
  })

  test('more yes than was asked for does not answer for the next', async () => {
    const [proxy, sink] = steps()
    const by = sender(proxy.port)
    proxy.arrange({ at: END, does: { more: '250 ok\r\n250 ok\r\n250 ok\r\n250 ok\r\n250 ok\r\n' } })
    await send(by)
    await send(by).catch((error: unknown) => expect(error).toMatchObject({ retryable: true }))
    const { length } = sink.messages
    await send(by)
    expect(sink.messages).toHaveLength(length + 1)
  })

  test('yes before it has seen it', async () => {
    const [proxy, sink] = steps()
    proxy.arrange({ at: /^DATA\r\n/m, does: { more: '250 ok\r\n' } })
    const failure = await failureOf(send(sender(proxy.port), LARGE))
    expect(failure).toMatchObject({ code: 'outcome_unknown' })
    expect(sink.messages).toEqual([])
  })

  test('no before it has seen it', async () => {
    const [proxy, sink] = steps()
    proxy.arrange({ at: /^DATA\r\n/m, does: { more: '552 5.3.4 enough\r\n' } })
    expect(await failureOf(send(sender(proxy.port), LARGE))).toMatchObject({ code: 'too_large' })
    expect(sink.messages).toEqual([])
  })

  test('yes to DATA instead of asking for the message is not given it', async () => {
    const [proxy, sink] = steps()
    proxy.arrange({ at: /^DATA\r\n/m, does: { answer: '250 ok\r\n' } })
    const failure = await failureOf(send(sender(proxy.port)))
    expect(failure).toMatchObject({ code: 'unavailable' })
    expect(sink.messages).toEqual([])
    expect(proxy.sent().slice(proxy.sent().lastIndexOf('DATA\r\n'))).toBe('DATA\r\n')
  })
})

describe('a server that answers before the message with', () => {
  const words = [
    'hello\r\n',
    '999 what\r\n',
    '\r\n\0\r\n',
    '250-a\r\n'.repeat(20_000),
    'z'.repeat(100_000),
    `535 ${SINK_PASSWORD}\r\n`,
  ]
  const places = [undefined, /^EHLO/, /^AUTH/m, /^MAIL/m, /^RCPT/m, /^DATA\r\n/m]
  const cases = places.flatMap((at) =>
    words.map((answer) => [String(at), JSON.stringify(answer).slice(0, 30), at, answer] as const),
  )
  test.each(cases)('at %s %s', async (_at, _answer, at, answer) => {
    const [proxy, sink] = steps()
    proxy.arrange({ ...(at === undefined ? {} : { at }), does: { answer, close: true } })
    const failure = await failureOf(send(sender(proxy.port)))
    expect(failure.name).toBe('Failure')
    expect(['unavailable', 'rejected', 'auth_failed']).toContain(failure.code)
    expect([failure.message, String(failure.cause)].join()).not.toContain(SINK_PASSWORD)
    expect(sink.messages).toEqual([])
  })
})

function steps(): [SmtpProxy, Sink] {
  const [proxy, sink] = [proxies[0], sinks[0]]
  if (proxy === undefined || sink === undefined) throw new Error('no server')
  return [proxy, sink]
}

/** The server gets what was sent after we have gone. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !isTrue(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 10))
}
