/** From page to page: nothing is lost and nothing comes twice, whatever happens in between. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { capabilityWithout } from '../dovecot/dovecot.ts'
import { at, letter } from '../mail-source/messages.ts'
import { messageId, type Stage, startStage, uidvalidityOf } from './harness.ts'
import { ids, letters, TOOL, uids, walk } from './pages.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

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

  test.each([2, 7, 30, 31, 50])('the whole mailbox in pages of %i, without gaps and repeats', async (limit) => {
    const whole = uids([await here.postern.call(TOOL, { mailbox: 'Walk', limit: 50 })])
    const pages = await walk(here.postern, { mailbox: 'Walk', limit })
    expect(uids(pages)).toEqual(whole)
    expect(whole).toEqual(Array.from({ length: 31 }, (_, index) => 31 - index))
    expect(pages).toHaveLength(Math.ceil(31 / limit))
    for (const { data } of pages) expect(data).toMatchObject({ status: 'ok', total: 31, failed: 0 })
  })

  test('a page costs few round trips, whatever its size', async () => {
    await here.postern.call(TOOL, { mailbox: 'Walk', limit: 1 })
    here.proxy.forget()
    const { data } = await here.postern.call(TOOL, { mailbox: 'Walk', limit: 50, include_snippet: true })
    expect(data.returned).toBe(31)
    expect(here.proxy.turns()).toBeLessThanOrEqual('capability' in options ? 3 : 2)
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
