/** What a cursor is bound to, how long it lives and how long it is. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSeal } from '../../src/adapters/seal/seal.ts'
import { at, letter } from '../mail-source/messages.ts'
import type { Envelope } from './answers.ts'
import { ADA, type Stage, startStage } from './harness.ts'
import { LONGEST_CURSOR, letters, TOOL, uids, walk } from './pages.ts'
import { type Arguments, account, startPostern } from './postern.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

describe('a cursor', () => {
  let first: Envelope
  const criteria = { subject: 'Letter', unread_only: true }

  beforeAll(async () => {
    await stage.put('Cursor', letters(9))
    await stage.put('Other', letters(2))
    await stage.bob.imap.mailboxCreate('Cursor')
    first = await stage.postern.call(TOOL, { mailbox: 'Cursor', limit: 3, ...criteria })
  })

  const next = (args: Arguments): Arguments => ({
    mailbox: 'Cursor',
    limit: 3,
    cursor: first.data.next_cursor,
    ...args,
  })

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
        message: 'cursor belongs to another caller, account or mailbox; search anew without it',
        data: { code: 'invalid_input' },
      })
    }
  })

  test('that was cut, changed or made up is refused', async () => {
    const cursor = first.data.next_cursor ?? ''
    const flipped = cursor.replace(/^(.{20})(.)/, (_, head, char) => `${head}${char === 'A' ? 'B' : 'A'}`)
    const elsewhere = await createSeal({ directory: `${stage.postern.dataDir}/elsewhere` }).seal('[]')
    const wrong = [
      cursor.slice(0, -1),
      cursor.slice(1),
      `${cursor}A`,
      flipped,
      'x',
      '.',
      '550e8400-e29b-41d4',
      elsewhere,
    ]
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
    Array.from({ length }, (_, index) =>
      String.fromCodePoint(0x4e00 + ((index * 7919 + seed * 104_729) % 20_000)),
    ).join('')

  test('with the longest criteria, which then have to be sent again beside it', async () => {
    const words = [noise(256, 1), noise(256, 2), noise(256, 3), noise(256, 4)]
    const [query = '', from = '', to = '', subject = ''] = words
    const raw = (index: number): string =>
      letter({ subject, from: `"${from}" <a@example.org>`, to: `"${to}" <b@example.org>`, body: `${query} ${index}` })
    await stage.put(
      'Long criteria',
      Array.from({ length: 4 }, (_, index) => raw(index)),
    )
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

  test('with a long mailbox name and fifty uids in no order', async () => {
    const name = [noise(60, 5), noise(60, 6), noise(60, 7), noise(60, 8)].join('/')
    const moments = letters(100).map(({ raw }, index) => ({
      raw,
      received: at('2024-01-01T00:00:00Z') + ((index * 37) % 101),
    }))
    await stage.put(name, moments)
    const pages = await walk(stage.postern, { mailbox: name, limit: 50 })
    expect(new Set(uids(pages)).size).toBe(100)
  })
})

describe('a large mailbox', () => {
  const MOST = 20_000

  test(`up to ${MOST} matches can be paged through, one more is refused with their number, unless there are no criteria`, async () => {
    const raw = letter({ subject: 'bulk' })
    const bulk = Array.from({ length: MOST + 1 }, (_, index) => ({
      raw,
      received: 1_700_000_000 + index,
      seen: index === 0,
    }))
    await stage.dovecot.deliver(ADA, 'Bulk', bulk)
    const listed = await stage.postern.call(TOOL, { mailbox: 'Bulk', limit: 1 })
    expect(listed.data).toMatchObject({ total: MOST + 1, returned: 1, has_more: true })
    const refusal = await stage.postern.refusal(TOOL, { mailbox: 'Bulk', subject: 'bulk' })
    expect(refusal).toMatchObject({
      message: expect.stringContaining('20001'),
      data: { code: 'invalid_input', details: { matches: MOST + 1 } },
    })
    const { data } = await stage.postern.call(TOOL, { mailbox: 'Bulk', unread_only: true, limit: 50 })
    expect(data).toMatchObject({ total: MOST, returned: 50, has_more: true })
    expect(data.messages[0]?.uid).toBe(MOST + 1)
    // Midnight is 6,400 seconds after the first of them.
    const dated = await stage.postern.call(TOOL, { mailbox: 'Bulk', start_date: '2023-11-15', limit: 1 })
    expect(dated.data.total).toBe(MOST + 1 - 6400)
    const second = await stage.postern.call(TOOL, { mailbox: 'Bulk', limit: 50, cursor: data.next_cursor })
    expect(uids([second])).toEqual(Array.from({ length: 50 }, (_, index) => MOST + 1 - 50 - index))
  })
})
