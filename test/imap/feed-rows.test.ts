/** Rows and texts in bulk: complete, in order, the same as when messages are looked at one by one. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MIRRORED_FIELDS } from '../../src/core/mirror/state.ts'
import type { TextBytes } from '../../src/ports/mail-feed.ts'
import type { MailboxAt } from '../../src/ports/mail-source.ts'
import { USER } from '../dovecot/desk.ts'
import { capabilityWithout } from '../dovecot/dovecot.ts'
import { never } from '../mail-source/bench.ts'
import { letter, MIXED, at as moment } from '../mail-source/messages.ts'
import { allRows, type FeedDesk, feedDesk } from './feed-desk.ts'

const MANY = 4000
const GONE = '100:300,1900:3000,3050'
const TEXT = new TextDecoder()

describe('rows', () => {
  let desk: FeedDesk
  let at: MailboxAt
  beforeAll(async () => {
    desk = await feedDesk()
    const letters = Array.from({ length: MANY }, (_, index) => ({
      raw:
        index % 7 === 0 ? MIXED : letter({ subject: `number ${index}`, extra: ['X-Other: no', 'Received: by relay'] }),
      received: moment('2024-01-01T00:00:00Z') + index,
      seen: index % 2 === 0,
    }))
    await desk.dovecot.deliver(USER, 'INBOX', letters)
    at = { mailbox: 'INBOX', uidvalidity: (await desk.feed.state('INBOX', never())).uidvalidity }
  })
  afterAll(() => desk.stop())

  test('come complete, the largest uid first, and are what a single look shows', async () => {
    const rows = await allRows(desk.feed, at, 1, 0xffff_ffff)
    expect(rows.map(({ uid }) => uid)).toEqual(Array.from({ length: MANY }, (_, index) => MANY - index))
    const some = rows.filter(({ uid }) => uid % 499 === 1)
    const traits = await desk.feed.traits(
      at,
      some.map(({ uid }) => uid),
      { fields: MIRRORED_FIELDS, structure: true },
      never(),
    )
    expect(some.map(({ header: _, serverThread: __, ...row }) => row)).toEqual(
      traits.map(({ header: _, ...one }) => ({ ...one, flags: one.flags.filter((flag) => flag !== '\\Recent') })),
    )
    const [first] = rows.slice(-2)
    expect(TEXT.decode(first?.header)).toBe(
      [
        'From: Ada Lovelace <ada@example.org>\r\nTo: Charles <charles@example.net>\r\nSubject: number 1\r\n',
        'Message-ID: <seed@example.org>\r\nDate: Mon, 01 Jan 2024 12:00:00 +0000\r\nReceived: by relay\r\n\r\n',
      ].join(''),
    )
  })

  test('are only those within, and none where there are none', async () => {
    const rows = await allRows(desk.feed, at, 10, 12)
    expect(rows.map(({ uid }) => uid)).toEqual([12, 11, 10])
    expect(await allRows(desk.feed, at, MANY + 1, MANY + 50)).toEqual([])
    expect(await allRows(desk.feed, at, 5, 4)).toEqual([])
  })

  test('are asked for one batch ahead of what is used, and no further', async () => {
    desk.proxy.reset()
    const fetches = (): number => desk.proxy.sent().split('UID FETCH').length - 1
    let used = 0
    for await (const batch of desk.feed.rows(at, { from: 1, to: MANY }, never())) {
      used += 1
      await expect.poll(fetches).toBe(Math.min(used + 1, 3))
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect([batch.length > 0, fetches()]).toEqual([true, Math.min(used + 1, 3)])
    }
    expect(used).toBe(3)
  })

  test('can be left before their end, and the connection goes on', async () => {
    for await (const batch of desk.feed.rows(at, { from: 1, to: MANY }, never())) {
      expect(batch[0]?.uid).toBe(MANY)
      break
    }
    expect((await desk.feed.state('INBOX', never())).messages).toBe(MANY)
  })

  test('of another uidvalidity are a conflict', async () => {
    const stale = { ...at, uidvalidity: at.uidvalidity + 1 }
    await expect(allRows(desk.feed, stale, 1, 5)).rejects.toMatchObject({ code: 'conflict' })
  })

  test('end when they are cancelled, and when the connection is cut again and again', async () => {
    const cancel = new AbortController()
    const cancelled = (async () => {
      for await (const _ of desk.feed.rows(at, { from: 1, to: MANY }, cancel.signal)) cancel.abort()
    })()
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' })
    const cut = (async () => {
      for await (const _ of desk.feed.rows(at, { from: 1, to: MANY }, never())) desk.proxy.cutAfter(50_000)
    })()
    await expect(cut).rejects.toMatchObject({ code: 'unavailable' })
    desk.proxy.cutAll()
    expect(await allRows(desk.feed, at, 1, 3)).toHaveLength(3)
  })

  test('show flags of this moment, whatever the open connections were shown before', async () => {
    const three = Array.from({ length: 3 }, () => desk.feed.find('INBOX', { criteria: {}, take: 1 }, never()))
    await Promise.all(three)
    await desk.other.imap.mailboxOpen('INBOX')
    await desk.other.imap.messageFlagsAdd('5', ['\\Flagged'], { uid: true })
    const [row] = await allRows(desk.feed, at, 5, 5)
    expect(row?.flags).toContain('\\Flagged')
  })
})

test('long headers come whole, a few at a time', async () => {
  const desk = await feedDesk()
  onTestFinished(() => desk.stop())
  const recipients = Array.from({ length: 1500 }, (_, at) => `person${at}@example.org`).join(',\r\n ')
  const lengthOf = (index: number): string => (index % 5 === 0 ? 'Charles <charles@example.net>' : recipients)
  const letters = Array.from({ length: 2000 }, (_, index) => ({
    raw: letter({ to: index < 100 ? lengthOf(index) : 'short@example.org' }),
  }))
  await desk.dovecot.deliver(USER, 'INBOX', letters)
  const { uidvalidity } = await desk.feed.state('INBOX', never())
  const uids: number[] = []
  const long: number[] = []
  for await (const batch of desk.feed.rows({ mailbox: 'INBOX', uidvalidity }, { from: 1, to: 2000 }, never())) {
    const texts = batch.map(({ header }) => TEXT.decode(header))
    for (const [at, { uid, headerCut }] of batch.entries()) {
      const expected = uid <= 100 ? lengthOf(uid - 1) : 'short@example.org'
      expect([uid, headerCut, texts[at]?.includes(`To: ${expected}\r\n`)]).toEqual([uid, false, true])
    }
    uids.push(...batch.map(({ uid }) => uid))
    long.push(texts.filter(({ length }) => length > 16_384).length)
  }
  expect(uids).toEqual(Array.from({ length: 2000 }, (_, index) => 2000 - index))
  expect(long.reduce((sum, count) => sum + count)).toBe(80)
  expect(Math.max(...long)).toBe(16)
})

describe.each([
  ['with ESEARCH', {}],
  ['without ESEARCH', { capability: capabilityWithout('ESEARCH') }],
])('a mailbox with gaps, of a server %s', (_, server) => {
  let desk: FeedDesk
  beforeAll(async () => {
    desk = await feedDesk(server)
    await desk.dovecot.deliver(
      USER,
      'INBOX',
      Array.from({ length: MANY }, () => ({ raw: letter({}) })),
    )
    await desk.other.imap.mailboxOpen('INBOX')
    await desk.other.imap.messageDelete(GONE, { uid: true })
  })
  afterAll(() => desk.stop())

  test.each([
    ['all of it', 1, MANY],
    ['from a gap to a gap', 200, 3100],
    ['more than there is', 1, MANY + 5000],
    ['nothing but a gap', 2000, 2900],
  ])('comes whole: %s', async (_name, from, to) => {
    const { uidvalidity } = await desk.feed.state('INBOX', never())
    const rows = await allRows(desk.feed, { mailbox: 'INBOX', uidvalidity }, from, to)
    const there = Array.from({ length: MANY }, (_uid, index) => MANY - index).filter((uid) => !isGone(uid))
    expect(rows.map(({ uid }) => uid)).toEqual(there.filter((uid) => uid >= from && uid <= to))
  })

  test('few are asked for once, whoever else there is', async () => {
    const { uidvalidity } = await desk.feed.state('INBOX', never())
    desk.proxy.reset()
    expect(await allRows(desk.feed, { mailbox: 'INBOX', uidvalidity }, MANY - 900, MANY)).toHaveLength(901)
    expect(desk.proxy.sent()).not.toContain('SEARCH')
  })
})

describe('odd mail', () => {
  let desk: FeedDesk
  beforeAll(async () => {
    desk = await feedDesk()
  })
  afterAll(() => desk.stop())

  test('a long header is read to its end, and one that is too long is given as cut', async () => {
    const to = (people: number): string =>
      Array.from({ length: people }, (_, index) => `person${index}@example.org`).join(',\r\n ')
    const mails = [letter({}), letter({ to: to(1000) }), letter({ to: to(20_000) })]
    await desk.other.seed(
      'long',
      mails.map((raw) => ({ raw })),
    )
    const { uidvalidity } = await desk.feed.state('long', never())
    const rows = await allRows(desk.feed, { mailbox: 'long', uidvalidity }, 1, 9)
    expect(rows.map(({ headerCut }) => headerCut)).toEqual([true, false, false])
    expect(TEXT.decode(rows[1]?.header)).toContain('person999@example.org\r\nSubject: no subject')
    expect(rows[0]?.header.length).toBeLessThanOrEqual(262_144)
  })

  test('a structure that is too long spoils nothing', async () => {
    const head = 'From: e@evil.example\r\nSubject: bomb\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n'
    const huge = `${head}From: ${'a,'.repeat(70_000)}\r\nSubject: x\r\n\r\nhi\r\n`
    await desk.dovecot.deliver(USER, 'huge', [{ raw: letter({}) }, { raw: huge }, { raw: letter({}) }])
    const { uidvalidity } = await desk.feed.state('huge', never())
    const rows = await allRows(desk.feed, { mailbox: 'huge', uidvalidity }, 1, 9)
    expect(rows.map(({ uid, structure }) => [uid, structure.type])).toEqual([
      [3, 'text/plain'],
      [2, 'application/octet-stream'],
      [1, 'text/plain'],
    ])
  })
})

function isGone(uid: number): boolean {
  return (uid >= 100 && uid <= 300) || (uid >= 1900 && uid <= 3000) || uid === 3050
}

describe('texts', () => {
  let desk: FeedDesk
  let at: MailboxAt
  beforeAll(async () => {
    desk = await feedDesk()
    const seeds = Array.from({ length: 40 }, (_, index) => ({
      raw: index % 3 === 0 ? MIXED : letter({ body: 'Grüße '.repeat(index * 40) }),
    }))
    await desk.other.seed('box', seeds)
    at = { mailbox: 'box', uidvalidity: (await desk.feed.state('box', never())).uidvalidity }
  })
  afterAll(() => desk.stop())

  test('are what the parts are, one by one, in one round trip', async () => {
    const wanted = Array.from({ length: 40 }, (_, index) => ({
      uid: 40 - index,
      parts:
        (40 - index) % 3 === 1
          ? [
              { id: '1.1', maxBytes: 500 },
              { id: '', maxBytes: 7 },
            ]
          : [{ id: '1', maxBytes: 2000 }],
    }))
    desk.proxy.reset()
    const texts = await desk.feed.texts(at, wanted, never())
    expect(desk.proxy.roundTrips()).toBe(1)
    expect(desk.proxy.sent().split('UID FETCH').length - 1).toBe(2)
    const expected: TextBytes[] = []
    for (const { uid, parts } of wanted) {
      for (const part of await desk.feed.parts(at, uid, parts, never())) expected.push({ uid, ...part })
    }
    expect(texts).toEqual(expected)
    expect(new Set(texts.map(({ complete }) => complete))).toEqual(new Set([true, false]))
    expect(await desk.other.flags('box', 1)).not.toContain('\\Seen')
  })

  test('of messages that are gone, or of parts that are not, are not there', async () => {
    const wanted = [999, 2, 1].map((uid) => ({
      uid,
      parts: [
        { id: '1', maxBytes: 5 },
        { id: '77', maxBytes: 5 },
      ],
    }))
    const texts = await desk.feed.texts(at, [...wanted, { uid: 3, parts: [] }], never())
    expect(texts.filter(({ id }) => id === '1').map(({ uid }) => uid)).toEqual([2, 1])
  })

  test('are read in turns where they may be large', async () => {
    desk.proxy.reset()
    const wanted = Array.from({ length: 40 }, (_, index) => ({
      uid: index + 1,
      parts: [{ id: '1', maxBytes: 1_000_000 }],
    }))
    expect((await desk.feed.texts(at, wanted, never())).length).toBe(40)
    expect(desk.proxy.roundTrips()).toBe(3)
  })

  test('end when they are cancelled, and are a conflict under another uidvalidity', async () => {
    const wanted = [{ uid: 1, parts: [{ id: '1', maxBytes: 5 }] }]
    await expect(desk.feed.texts(at, wanted, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
    const stale = { ...at, uidvalidity: 1 }
    await expect(desk.feed.texts(stale, wanted, never())).rejects.toMatchObject({ code: 'conflict' })
    onTestFinished(() => desk.proxy.stall(false))
    desk.proxy.stall(true)
    const cancel = new AbortController()
    const stalled = desk.feed.changes('box', { uidvalidity: 1, uidNext: 1, messages: 0 }, cancel.signal)
    cancel.abort()
    await expect(stalled).rejects.toMatchObject({ code: 'cancelled' })
  })
})
