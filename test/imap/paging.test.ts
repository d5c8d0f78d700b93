/** From page to page: nothing is lost, nothing comes twice, and a cursor is what it was made to be. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSeal } from '../../src/adapters/seal/seal.ts'
import { capabilityWithout } from '../dovecot/dovecot.ts'
import { at, letter } from '../mail-source/messages.ts'
import type { Envelope } from './answers.ts'
import { ADA, messageId, type Stage, startStage, uidOf, uidvalidityOf } from './harness.ts'
import { type Arguments, account, type Postern, startPostern } from './postern.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

const TOOL = 'imap_search_messages'
const LONGEST_CURSOR = 1024

const letters = (count: number, extra: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    raw: letter({ subject: `Letter ${index}` }),
    // Several share a moment, so that ties are cut by page ends.
    received: at('2024-01-01T00:00:00Z') + Math.floor(index / 3) * 60,
    ...extra,
  }))

/** Follows the cursors to the end. `args` go along with the first page only. */
async function walk(postern: Postern, args: Arguments, onPage: (page: Envelope) => Promise<unknown> | unknown = () => 0) {
  const pages: Envelope[] = []
  let page = await postern.call(TOOL, args)
  for (;;) {
    pages.push(page)
    await onPage(page)
    const { next_cursor: cursor, has_more } = page.data
    expect(has_more).toBe(cursor !== undefined)
    if (cursor === undefined) return pages
    expect(cursor.length).toBeLessThanOrEqual(LONGEST_CURSOR)
    page = await postern.call(TOOL, page.data.next_action.arguments)
  }
}

const uids = (pages: readonly Envelope[]): number[] => pages.flatMap(({ data }) => data.messages.map(({ uid }) => uid))
const ids = ({ data }: Envelope): string[] => data.messages.map(({ message_id }) => message_id)

describe.each([
  ['that sorts', {}],
  ['that does not sort', { capability: capabilityWithout('SORT', 'SORT=DISPLAY', 'ESORT') }],
])('a server %s', (_, options) => {
  let here: Stage

  beforeAll(async () => {
    here = 'capability' in options ? await startStage(options) : stage
    await here.put('Walk', letters(31))
  })
  afterAll(async () => {
    if (here !== stage) await here.close()
  })

  test.each([1, 7, 10, 30, 31, 50])('the whole mailbox in pages of %i, without gaps and repeats', async (limit) => {
    const whole = uids([await here.postern.call(TOOL, { mailbox: 'Walk', limit: 50 })])
    const pages = await walk(here.postern, { mailbox: 'Walk', limit })
    expect(uids(pages)).toEqual(whole)
    expect(whole).toEqual(Array.from({ length: 31 }, (_, index) => 31 - index))
    expect(pages).toHaveLength(Math.ceil(31 / limit))
    for (const { data } of pages) expect(data).toMatchObject({ status: 'ok', total: 31, failed: 0 })
  })

  test('the same cursor gives the same page again', async () => {
    const first = await here.postern.call(TOOL, { mailbox: 'Walk', limit: 4 })
    const args = { mailbox: 'Walk', limit: 4, cursor: first.data.next_cursor }
    const second = await here.postern.call(TOOL, args)
    await here.postern.call(TOOL, { mailbox: 'Walk', limit: 4, cursor: second.data.next_cursor })
    expect(ids(await here.postern.call(TOOL, args))).toEqual(ids(second))
  })

  test('a smaller limit takes the first of a page, and the rest follows', async () => {
    const first = await here.postern.call(TOOL, { mailbox: 'Walk', limit: 10 })
    const second = await here.postern.call(TOOL, { mailbox: 'Walk', limit: 3, cursor: first.data.next_cursor })
    const third = await here.postern.call(TOOL, { mailbox: 'Walk', limit: 50, cursor: second.data.next_cursor })
    const fourth = await here.postern.call(TOOL, { mailbox: 'Walk', limit: 50, cursor: third.data.next_cursor })
    expect(second.data.returned).toBe(3)
    expect(uids([first, second, third, fourth])).toEqual(Array.from({ length: 31 }, (_, index) => 31 - index))
    expect(fourth.data.has_more).toBe(false)
  })

  test('messages deleted between two pages count as failed, and nothing else is lost', async () => {
    await here.put('Vanishing', letters(9))
    const first = await here.postern.call(TOOL, { mailbox: 'Vanishing', limit: 3 })
    // 9 8 7 were shown, 6 5 4 are in the cursor; 9 and 7 are the ends that the position is known by.
    for (const uid of [9, 7, 5, 2]) await here.ada.vanish('Vanishing', uid)
    const second = await here.postern.call(TOOL, { mailbox: 'Vanishing', limit: 3, cursor: first.data.next_cursor })
    const gone = messageId('Vanishing', await uidvalidityOf(here.ada, 'Vanishing'), 5)
    expect(second.summary).toBe('2 message(s) returned of 5 that match; 1 no longer there')
    expect(second.data).toMatchObject({
      status: 'partial',
      issues: [{ code: 'not_found', stage: 'fetch', retryable: false, uid: 5, message_id: gone }],
      attempted: 3,
      returned: 2,
      failed: 1,
    })
    const third = await here.postern.call(TOOL, { mailbox: 'Vanishing', limit: 3, cursor: second.data.next_cursor })
    expect(uids([first, second, third])).toEqual([9, 8, 7, 6, 4, 3, 1])
    expect(third.data).toMatchObject({ status: 'ok', has_more: false })
  })

  test('the last message of a page, deleted, does not make the next page begin elsewhere', async () => {
    await here.put('Ends', letters(8))
    const first = await here.postern.call(TOOL, { mailbox: 'Ends', limit: 2 })
    for (const uid of [6, 5]) await here.ada.vanish('Ends', uid)
    const second = await here.postern.call(TOOL, { mailbox: 'Ends', limit: 2, cursor: first.data.next_cursor })
    expect(second.data).toMatchObject({ status: 'failed', attempted: 2, returned: 0, failed: 2, has_more: true })
    expect(second.data.issues.map(({ uid }) => uid)).toEqual([6, 5])
    const third = await here.postern.call(TOOL, { mailbox: 'Ends', limit: 50, cursor: second.data.next_cursor })
    const rest = third.data.has_more
      ? [third, await here.postern.call(TOOL, { mailbox: 'Ends', limit: 50, cursor: third.data.next_cursor })]
      : [third]
    expect(uids(rest)).toEqual([4, 3, 2, 1])
  })

  test('what arrives between two pages does not appear, even if it is dated before them', async () => {
    await here.put('Arriving', letters(6))
    const pages = await walk(here.postern, { mailbox: 'Arriving', limit: 2 }, () =>
      here.put('Arriving', [{ raw: letter({ subject: 'new' }), received: at('2020-01-01T00:00:00Z') }, letter({})]),
    )
    expect(uids(pages)).toEqual([6, 5, 4, 3, 2, 1])
    expect(pages.map(({ data }) => data.total)).toEqual([6, 6, 6])
  })

  test('marking as read what a page of unread_only showed loses nothing', async () => {
    await here.put('Unread', letters(11))
    const pages = await walk(here.postern, { mailbox: 'Unread', limit: 3, unread_only: true }, async ({ data }) => {
      for (const { message_id } of data.messages) {
        await here.postern.call('imap_update_message_flags', { message_id, add_flags: ['\\Seen'] })
      }
    })
    expect(uids(pages)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  })

  test('all criteria go on into the later pages', async () => {
    await here.put('Kept', [...letters(5), ...letters(5, { flags: ['\\Seen'] })])
    const criteria = {
      query: 'Letter',
      from: 'ada',
      to: 'charles',
      subject: 'Letter',
      unread_only: true,
      start_date: '2024-01-01',
      end_date: '2024-01-01',
    }
    const pages = await walk(here.postern, { mailbox: 'Kept', limit: 2, ...criteria })
    expect(uids(pages)).toEqual([5, 4, 3, 2, 1])
  })
})

describe('a cursor', () => {
  let first: Envelope
  const criteria = { subject: 'Letter', unread_only: true }

  beforeAll(async () => {
    await stage.put('Cursor', letters(9))
    await stage.put('Other', letters(2))
    await stage.bob.imap.mailboxCreate('Cursor')
    first = await stage.postern.call(TOOL, { mailbox: 'Cursor', limit: 3, ...criteria })
  })

  const next = (args: Arguments): Arguments => ({ mailbox: 'Cursor', limit: 3, cursor: first.data.next_cursor, ...args })

  test.each<[Arguments]>([[{}], [criteria], [{ unread_only: true, subject: 'Letter' }], [{ include_snippet: true }]])(
    'goes with the criteria that it was made with, or with none: %j',
    async (args) => {
      const page = await stage.postern.call(TOOL, next(args))
      expect(uids([page])).toEqual([6, 5, 4])
    },
  )

  test.each<[Arguments]>([
    [{ subject: 'letter' }],
    [{ subject: 'Letter' }],
    [{ unread_only: true }],
    [{ ...criteria, query: 'x' }],
    [{ ...criteria, last_days: 1 }],
    [{ start_date: '2024-01-01' }],
  ])('is refused with other criteria: %j', async (args) => {
    const refusal = await stage.postern.refusal(TOOL, next(args))
    expect(refusal).toMatchObject({
      message: 'cursor was made with other search criteria; send it alone or search anew',
      data: { code: 'invalid_input' },
    })
  })

  test('is refused in another mailbox and another account', async () => {
    for (const args of [{ mailbox: 'Other' }, { account_id: 'work' }]) {
      const refusal = await stage.postern.refusal(TOOL, next(args))
      expect(refusal).toMatchObject({
        message: 'cursor belongs to another account or mailbox; search anew without it',
        data: { code: 'invalid_input' },
      })
    }
  })

  test('that was cut, changed or made up is refused', async () => {
    const cursor = first.data.next_cursor ?? ''
    const flipped = cursor.replace(/^(.{20})(.)/, (_, head, char) => `${head}${char === 'A' ? 'B' : 'A'}`)
    const elsewhere = await createSeal({ directory: `${stage.postern.dataDir}/elsewhere` }).seal('[]')
    const wrong = [cursor.slice(0, -1), cursor.slice(1), `${cursor}A`, flipped, 'x', '.', '550e8400-e29b-41d4', elsewhere]
    for (const forged of wrong) {
      const refusal = await stage.postern.refusal(TOOL, next({ cursor: forged }))
      expect(refusal).toMatchObject({
        message: expect.stringMatching(/cursor.*search/),
        data: { code: 'invalid_input' },
      })
    }
  })

  test('dies after ten minutes', async () => {
    const seal = createSeal({ directory: stage.postern.dataDir })
    const aged = async (minutes: number): Promise<string> => {
      const fields: unknown[] = JSON.parse(await seal.open(first.data.next_cursor ?? ''))
      // The time at which it was made is its last field.
      return seal.seal(JSON.stringify(fields.with(-1, Number(fields.at(-1)) - minutes * 60_000)))
    }
    expect(uids([await stage.postern.call(TOOL, next({ cursor: await aged(9) }))])).toEqual([6, 5, 4])
    const refusal = await stage.postern.refusal(TOOL, next({ cursor: await aged(10.1) }))
    expect(refusal).toMatchObject({
      message: 'cursor is older than ten minutes; search again without it',
      data: { code: 'invalid_input' },
    })
  })

  test('works in another process of the same data directory', async () => {
    const second = await startPostern(account('default', stage.dovecot.port, ADA), stage.postern.dataDir)
    expect(uids([await second.call(TOOL, next({}))])).toEqual([6, 5, 4])
    await second.close()
  })

  test('of a mailbox made anew is a conflict', async () => {
    await stage.put('Rebuilt', letters(4))
    const before = await stage.postern.call(TOOL, { mailbox: 'Rebuilt', limit: 2 })
    await stage.ada.imap.mailboxDelete('Rebuilt')
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await stage.put('Rebuilt', letters(4))
    const cursor = before.data.next_cursor
    const refusal = await stage.postern.refusal(TOOL, { mailbox: 'Rebuilt', limit: 2, cursor })
    expect(refusal).toMatchObject({
      message: expect.stringMatching(/uidvalidity.*search again/),
      data: { code: 'conflict' },
    })
  })
})

describe('a cursor is at most 1 kB long', () => {
  // Names that no compression makes short.
  const noise = (length: number, seed: number): string =>
    Array.from({ length }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919 + seed * 104_729) % 20_000))).join('')

  test('with the longest criteria, which then have to be sent again beside it', async () => {
    const words = [noise(256, 1), noise(256, 2), noise(256, 3), noise(256, 4)]
    const [query = '', from = '', to = '', subject = ''] = words
    const raw = (index: number): string =>
      letter({ subject, from: `"${from}" <a@example.org>`, to: `"${to}" <b@example.org>`, body: `${query} ${index}` })
    await stage.put('Long criteria', Array.from({ length: 4 }, (_, index) => raw(index)))
    const criteria = { query, subject }
    const first = await stage.postern.call(TOOL, { mailbox: 'Long criteria', limit: 2, ...criteria })
    const { next_cursor: cursor = '', next_action } = first.data
    expect(first.data.total).toBe(4)
    expect(cursor.length).toBeLessThanOrEqual(LONGEST_CURSOR)
    expect(next_action.arguments).toMatchObject({ cursor, ...criteria })
    expect(uids([await stage.postern.call(TOOL, next_action.arguments)])).toEqual([2, 1])
    const refusal = await stage.postern.refusal(TOOL, { mailbox: 'Long criteria', limit: 2, cursor })
    expect(refusal).toMatchObject({
      message: 'cursor cannot carry criteria this long; send the same criteria again beside it',
      data: { code: 'invalid_input' },
    })
  })

  test('with the longest mailbox name and fifty uids far from each other', async () => {
    const name = [noise(60, 5), noise(60, 6), noise(60, 7), noise(60, 8)].join('/')
    const moments = letters(100).map(({ raw }, index) => ({ raw, received: at('2024-01-01T00:00:00Z') + ((index * 37) % 101) }))
    await stage.put(name, moments)
    const pages = await walk(stage.postern, { mailbox: name, limit: 50 })
    expect(new Set(uids(pages)).size).toBe(100)
  })
})

describe('a large mailbox', () => {
  const MOST = 20_000

  test(`up to ${MOST} matches can be paged through, one more is refused with their number`, async () => {
    const raw = letter({ subject: 'bulk' })
    const bulk = Array.from({ length: MOST + 1 }, (_, index) => ({ raw, received: 1_700_000_000 + index, seen: index === 0 }))
    await stage.dovecot.deliver(ADA, 'Bulk', bulk)
    const refusal = await stage.postern.refusal(TOOL, { mailbox: 'Bulk' })
    expect(refusal).toMatchObject({
      message: expect.stringContaining('20001'),
      data: { code: 'invalid_input', details: { matches: MOST + 1 } },
    })
    const { data } = await stage.postern.call(TOOL, { mailbox: 'Bulk', unread_only: true, limit: 50 })
    expect(data).toMatchObject({ total: MOST, returned: 50, has_more: true })
    expect(uidOf(ids({ summary: '', data, meta: { now_utc: '', duration_ms: 0 } })[0] ?? '')).toBe(MOST + 1)
    const second = await stage.postern.call(TOOL, { mailbox: 'Bulk', limit: 50, cursor: data.next_cursor })
    expect(uids([second])).toEqual(Array.from({ length: 50 }, (_, index) => MOST + 1 - 50 - index))
  })
})
