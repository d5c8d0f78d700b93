/** The part of the contract that lists and searches. */
import { describe, expect, test } from 'vitest'
import type { Criteria, Position } from '../../src/core/criteria.ts'
import { type Bench, type Filled, never } from './bench.ts'
import { at, letter, type SeedMessage } from './messages.ts'

const NAMES = [
  'plain',
  'with:colon',
  'with "quotes"',
  'back\\slash',
  'R&D',
  'per%cent * star',
  'Entwürfe',
  '受信トレイ',
  'post 📬 box',
  'curly {5}',
  'plus {5+}',
]

const LETTERS: readonly (SeedMessage & { readonly is: string })[] = [
  { is: 'first', raw: letter({ subject: 'Quarterly report', body: 'numbers' }), received: at('2024-01-01T00:00:00Z') },
  { is: 'unread', raw: letter({ subject: 'Grüße aus Köln' }), received: at('2024-01-02T12:00:00Z') },
  {
    is: 'seen',
    raw: letter({ from: 'Bob <bob@example.com>' }),
    received: at('2024-01-03T23:59:59Z'),
    flags: ['\\Seen'],
  },
  {
    is: 'to',
    raw: letter({ to: 'team@example.com' }),
    received: at('2024-01-04T00:00:00Z'),
    flags: ['\\Seen', '\\Flagged'],
  },
  { is: 'body', raw: letter({ body: 'the quick brown fox 東京' }), received: at('2024-01-05T12:00:00Z') },
  { is: 'odd', raw: letter({ subject: 'say "hi" {5} \\o/ 100%' }), received: at('2024-01-06T12:00:00Z') },
]

const SEARCHES: readonly [string, Criteria, readonly string[]][] = [
  ['everything', {}, ['odd', 'body', 'to', 'seen', 'unread', 'first']],
  ['a word of a subject, whatever its case', { subject: 'QUARTERLY' }, ['first']],
  ['a non-ASCII word of an encoded subject', { subject: 'Grüße' }, ['unread']],
  ['a sender', { from: 'bob@example.com' }, ['seen']],
  ['a sender by name', { from: 'lovelace' }, ['odd', 'body', 'to', 'unread', 'first']],
  ['a recipient', { to: 'team@' }, ['to']],
  ['a phrase of a body', { text: 'quick brown' }, ['body']],
  ['a non-ASCII phrase of a body', { text: '東京' }, ['body']],
  ['text that stands in a header', { text: 'quarterly' }, ['first']],
  ['what is unread', { unread: true }, ['odd', 'body', 'unread', 'first']],
  ['what is flagged', { flagged: true }, ['to']],
  ['what is not flagged', { flagged: false, unread: true, since: '2024-01-02' }, ['odd', 'body', 'unread']],
  ['nothing larger than anything', { larger: 5_000_000_000 }, []],
  ['everything larger than nothing', { larger: -1, smaller: 5_000_000_000, from: 'bob' }, ['seen']],
  ['nothing smaller than nothing', { smaller: 0 }, []],
  ['the day it came and later', { since: '2024-01-04' }, ['odd', 'body', 'to']],
  ['the day it came and earlier', { until: '2024-01-03' }, ['seen', 'unread', 'first']],
  ['one day', { since: '2024-01-03', until: '2024-01-03' }, ['seen']],
  ['terms together', { unread: true, since: '2024-01-02', subject: 'köln' }, ['unread']],
  ['quotes', { subject: 'say "hi"' }, ['odd']],
  ['what looks like a literal', { subject: '{5}' }, ['odd']],
  ['a backslash', { subject: '\\o/' }, ['odd']],
  ['a wildcard as the character it is', { subject: '100%' }, ['odd']],
  ['an asterisk as the character it is', { subject: '*' }, []],
  ['nothing', { text: 'no such words anywhere' }, []],
]

export function findingContract(bench: Bench): void {
  describe('mailboxes', () => {
    test('INBOX is always there and can be selected', async () => {
      const inbox = (await bench.source.mailboxes(never())).find(({ name }) => name === 'INBOX')
      expect(inbox?.selectable).toBe(true)
    })

    test.each(NAMES)('the name %j is listed as it is and can be searched', async (label) => {
      const { mailbox, uids } = await bench.mailbox(label, [{ raw: letter({}) }])
      const names = (await bench.source.mailboxes(never())).map(({ name }) => name)
      expect(names.filter((name) => name === mailbox)).toEqual([mailbox])
      expect((await find(bench, mailbox, {})).uids).toEqual(uids)
    })

    test('inbox is INBOX however it is written', async () => {
      await bench.seed('INBOX', [{ raw: letter({}) }])
      const [upper, lower] = await Promise.all([find(bench, 'INBOX', {}), find(bench, 'inbox', {})])
      expect(lower).toEqual(upper)
    })

    test.each(['no such box', 'no/such/box', ''])('the mailbox %j is not found', async (mailbox) => {
      await expect(find(bench, mailbox, {})).rejects.toMatchObject({ name: 'Failure', code: 'not_found' })
    })

    test.each(['a\r\nb', 'a\nb', 'a\0b'])('the mailbox name %j is refused', async (mailbox) => {
      await expect(find(bench, mailbox, {})).rejects.toMatchObject({ name: 'Failure', code: 'invalid_input' })
    })
  })

  describe('find', () => {
    test('an empty mailbox has no matches', async () => {
      const { mailbox } = await bench.mailbox('empty', [])
      expect(await find(bench, mailbox, {})).toMatchObject({ total: 0, uids: [], more: false })
    })

    let letters: Promise<Filled> | undefined
    test.each(SEARCHES)('finds %s', async (_what, criteria, expected) => {
      letters ??= bench.mailbox('search', LETTERS)
      const { mailbox, uids } = await letters
      const found = await find(bench, mailbox, criteria)
      expect(found.uids.map((uid) => LETTERS[uids.indexOf(uid)]?.is)).toEqual(expected)
      expect(found.total).toBe(expected.length)
      expect(found.uidNext).toBeGreaterThan(Math.max(...uids))
    })

    test.each(['text', 'from', 'to', 'subject'] as const)('refuses line breaks and NUL in %s', async (field) => {
      const { mailbox } = await bench.mailbox('refuse', [])
      for (const value of ['a\r\nx LOGOUT', 'a\nb', 'a\rb', 'a\0b']) {
        await expect(find(bench, mailbox, { [field]: value })).rejects.toMatchObject({ code: 'invalid_input' })
      }
    })

    test('compares sizes in bytes, without the bound itself', async () => {
      const raws = [10, 1000, 5000].map((length) => letter({ body: 'x'.repeat(length) }))
      const { mailbox, uids } = await bench.mailbox(
        'sizes',
        raws.map((raw) => ({ raw })),
      )
      const size = raws[1]?.length ?? 0
      expect((await find(bench, mailbox, { larger: size })).uids).toEqual([uids[2]])
      expect((await find(bench, mailbox, { smaller: size })).uids).toEqual([uids[0]])
      expect((await find(bench, mailbox, { larger: size - 1, smaller: size + 1 })).uids).toEqual([uids[1]])
      expect((await find(bench, mailbox, { larger: size - 0.5, smaller: size + 0.5 })).uids).toEqual([uids[1]])
    })

    test('with more matches than it may order, only counts', async () => {
      const { mailbox, uids } = await bench.mailbox('most', sameDay(4))
      const few = await bench.source.find(mailbox, { criteria: {}, take: 9, most: 3 }, never())
      expect(few).toMatchObject({ total: 4, uids: [], more: true })
      const all = await bench.source.find(mailbox, { criteria: {}, take: 9, most: 4 }, never())
      expect(all).toMatchObject({ total: 4, uids: [...uids].reverse(), more: false })
      const large = await bench.source.find(mailbox, { criteria: {}, take: 100_000, most: 100_000 }, never())
      expect(large).toMatchObject({ total: 4, uids: [...uids].reverse(), more: false })
    })

    test('orders by received time, then uid, both descending', async () => {
      const times = ['2024-03-02', '2024-03-01', '2024-03-02', '2024-03-03', '2024-03-01'].map((day) =>
        at(`${day}T08:00:00Z`),
      )
      const { mailbox, uids } = await bench.mailbox(
        'order',
        times.map((received) => ({ raw: letter({}), received })),
      )
      const order = [3, 2, 0, 4, 1].map((index) => uids[index])
      expect((await find(bench, mailbox, {})).uids).toEqual(order)
    })

    test('sees a message that came a moment ago', async () => {
      const { mailbox } = await bench.mailbox('fresh', [{ raw: letter({}) }])
      const before = await find(bench, mailbox, {})
      const [uid] = await bench.seed(mailbox, [{ raw: letter({}) }])
      const after = await find(bench, mailbox, {})
      expect(after.total).toBe(before.total + 1)
      expect(after.uidNext).toBeGreaterThan(uid ?? Number.POSITIVE_INFINITY)
      const summaries = await bench.source.summaries(
        { mailbox, uidvalidity: after.uidvalidity },
        [uid ?? 0],
        0,
        never(),
      )
      expect(summaries.map((summary) => summary.uid)).toEqual([uid])
    })

    test('pages show every message once, in order', async () => {
      const filled = await bench.mailbox('pages', sameDay(11))
      expect(await walk(bench, filled.mailbox, 4)).toEqual([...filled.uids].reverse())
    })

    test('a page goes on behind a message that has vanished', async () => {
      const { mailbox, uidvalidity, uids } = await bench.mailbox('gap', sameDay(5))
      const [, , , fourth] = uids
      const [summary] = await bench.source.summaries({ mailbox, uidvalidity }, [fourth ?? 0], 0, never())
      const after: Position = { uid: fourth ?? 0, received: summary?.received ?? 0 }
      await bench.vanish(mailbox, after.uid)
      const page = await bench.source.find(mailbox, { criteria: {}, after, take: 10 }, never())
      expect(page.uids).toEqual([uids[2], uids[1], uids[0]])
      expect(page.total).toBe(4)
    })

    test('belowUid leaves out what came later', async () => {
      const { mailbox, uids } = await bench.mailbox('below', sameDay(3))
      const belowUid = uids[2] ?? 0
      const found = await bench.source.find(mailbox, { criteria: {}, belowUid, take: 10 }, never())
      expect(found).toMatchObject({ uids: [uids[1], uids[0]], total: 2, more: false })
      const none = await bench.source.find(mailbox, { criteria: {}, belowUid: uids[0] ?? 0, take: 10 }, never())
      expect(none).toMatchObject({ uids: [], total: 0 })
    })

    test('skip leaves uids out of the answer but not out of the total', async () => {
      const { mailbox, uids } = await bench.mailbox('skip', sameDay(4))
      const skip = new Set([uids[3] ?? 0, uids[1] ?? 0])
      const found = await bench.source.find(mailbox, { criteria: {}, skip, take: 1 }, never())
      expect(found).toMatchObject({ uids: [uids[2]], total: 4, more: true })
    })

    test('many searches at once are all answered', async () => {
      const { mailbox, uids } = await bench.mailbox('crowd', sameDay(3))
      const all = await Promise.all(Array.from({ length: 40 }, () => find(bench, mailbox, {})))
      expect(all.every((found) => found.total === uids.length)).toBe(true)
    })

    test('an aborted search is cancelled', async () => {
      const signal = AbortSignal.abort()
      await expect(bench.source.find('INBOX', { criteria: {}, take: 1 }, signal)).rejects.toMatchObject({
        code: 'cancelled',
      })
    })
  })
}

function find(bench: Bench, mailbox: string, criteria: Criteria) {
  return bench.source.find(mailbox, { criteria, take: 50 }, never())
}

function sameDay(count: number): SeedMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    raw: letter({ subject: `number ${index}` }),
    received: at('2024-05-05T10:00:00Z') + Math.floor(index / 3),
  }))
}

/** Reads a mailbox page by page the way cursors do, and returns all uids met. */
async function walk(bench: Bench, mailbox: string, take: number): Promise<number[]> {
  const seen: number[] = []
  let after: Position | undefined
  for (let more = true; more; ) {
    const page = await bench.source.find(
      mailbox,
      { criteria: {}, take, ...(after === undefined ? {} : { after }) },
      never(),
    )
    seen.push(...page.uids)
    more = page.more
    const last = page.uids.at(-1) ?? 0
    const [summary] = await bench.source.summaries({ mailbox, uidvalidity: page.uidvalidity }, [last], 0, never())
    after = { uid: last, received: summary?.received ?? 0 }
  }
  return seen
}
