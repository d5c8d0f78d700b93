/** What a Gmail account does that no other mail source does. */
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Criteria, newestFirst, type Position } from '../../src/core/criteria.ts'
import type { SearchKey } from '../../src/core/query/search-key.ts'
import { never } from '../mail-source/bench.ts'
import { at, letter } from '../mail-source/messages.ts'
import { type GmailSource, openSource } from './open-source.ts'
import { googleError } from './proxy.ts'
import { type GmailScene, gmailScene } from './scene.ts'

let scene: GmailScene
let source: GmailSource
beforeEach(async () => {
  scene = await gmailScene()
  source = openSource(scene)
})
afterEach(async () => {
  await source.close()
  await scene.close()
})

const NOT_GRANTED = {
  kind: 'answer',
  status: 403,
  body: googleError(403, 'insufficientPermissions', 'PERMISSION_DENIED'),
} as const

const find = (mailbox: string, criteria: Criteria = {}, take = 50) => source.find(mailbox, { criteria, take }, never())
const labelsOf = (id: string) => [...(scene.held().find((message) => message.id === id)?.labelIds ?? [])].sort()
/** Requests since the last time it was asked, without the look at the labels. */
const asked = () => scene.proxy.requests.splice(0).filter((line) => !line.endsWith('/labels'))

async function only(mailbox: string) {
  const { uids, uidvalidity } = await find(mailbox)
  expect(uids).toHaveLength(1)
  return { at: { mailbox, uidvalidity }, uid: uids[0] ?? 0 }
}

describe('round trips', () => {
  const deliver = async (count: number) => {
    for (let index = 0; index < count; index++) {
      await scene.deliver(letter({ subject: `number ${index}` }), { received: at('2024-05-05T10:00:00Z') + index })
    }
  }
  const list = async () => {
    const { uids, uidvalidity } = await find('INBOX', {}, 20)
    return source.summaries({ mailbox: 'INBOX', uidvalidity }, uids, 100, never())
  }

  test('the first twenty of a mailbox are one list and one batch, and need no bodies the second time', async () => {
    await deliver(20)
    const first = await list()
    expect(first).toHaveLength(20)
    const cold = asked()
    expect(cold.filter((line) => line.startsWith('GET /gmail/v1/users/me/messages?'))).toHaveLength(1)
    expect(cold.filter((line) => line.includes('format=raw'))).toHaveLength(20)
    expect(cold).toHaveLength(21)
    expect(await list()).toEqual(first)
    const warm = asked()
    expect(warm.filter((line) => line.includes('format=minimal'))).toHaveLength(20)
    expect(warm).toHaveLength(21)
  })

  test('a message that was opened is not fetched again for its parts', async () => {
    await deliver(1)
    const { at: place, uid } = await only('INBOX')
    await source.open(place, uid, never())
    await source.parts(place, uid, [{ id: '1', maxBytes: 100 }], never())
    await source.raw(place, uid, 100, never())
    expect(asked().filter((line) => line.includes('format=raw'))).toHaveLength(1)
  })

  test('more than a page of ids is listed to its end, and counted', async () => {
    await Promise.all(
      Array.from({ length: 1001 }, (_, index) => scene.deliver(letter({ subject: `${index}` }), { received: index })),
    )
    const first = await find('INBOX', {}, 3)
    expect(first).toMatchObject({ total: 1001, more: true, uids: [1001, 1000, 999], uidNext: 1002 })
    expect(asked().filter((line) => line.includes('/messages?'))).toHaveLength(4)
    const again = async () => (await find('INBOX', {}, 0)).total
    expect(await again()).toBe(1001)
    expect(asked().filter((line) => line.includes('/messages?'))).toEqual([])
    const id = await scene.deliver(letter({}), { received: 5000 })
    expect(await find('INBOX', {}, 1)).toMatchObject({ total: 1002, uids: [1002] })
    await scene.client.write({ method: 'POST', path: `messages/${id}/trash` }, never())
    expect(await again()).toBe(1001)
  })

  test('a long search is listed again when anything has changed', async () => {
    await Promise.all(
      Array.from({ length: 501 }, (_, index) => scene.deliver(letter({ subject: 'word' }), { received: index })),
    )
    const total = async () => (await find('INBOX', { unread: true, subject: 'word' }, 0)).total
    expect(await total()).toBe(501)
    asked()
    expect(await total()).toBe(501)
    expect(asked().filter((line) => line.includes('/messages?'))).toEqual([])
    const place = { mailbox: 'INBOX', uidvalidity: (await find('INBOX', {}, 0)).uidvalidity }
    await source.changeFlags(place, 7, 'add', ['\\Seen'], never())
    expect(await total()).toBe(500)
  })
})

describe('mailboxes', () => {
  test('have the names that people see, and categories are hidden', async () => {
    await scene.createLabel('Work/Receipts')
    const mailboxes = await source.mailboxes(never())
    expect(mailboxes.map(({ name, role, selectable }) => [name, role, selectable])).toEqual([
      ['INBOX', undefined, true],
      ['Starred', 'flagged', true],
      ['Important', undefined, true],
      ['Sent', 'sent', true],
      ['Drafts', 'drafts', true],
      ['All Mail', 'all', true],
      ['Spam', 'junk', true],
      ['Trash', 'trash', true],
      ['Work/Receipts', undefined, true],
      ['Work', undefined, false],
    ])
  })

  test.each([
    '../../etc/passwd',
    'a?b=c&d#e',
    '%2e%2e',
    '"quoted" OR in:trash',
    '-in:inbox',
    'constructor',
    '__proto__',
    'x'.repeat(225),
    '\u202eevil',
  ])('a label named %j is a mailbox like any other', async (name) => {
    const id = await scene.createLabel(name)
    await scene.deliver(letter({}), { labels: [id] })
    expect(await find(name)).toMatchObject({ total: 1 })
    expect(await source.counts([name], never())).toEqual([1])
  })

  test('a label that is named like one of Gmail is told apart, one with a control character is not shown', async () => {
    const twin = await scene.createLabel('All Mail')
    await scene.createLabel('bell\u0007')
    await scene.deliver(letter({}), { labels: [twin] })
    expect(await find('All Mail (label)')).toMatchObject({ total: 1 })
    await scene.deliver(letter({}))
    expect(await find('All Mail')).toMatchObject({ total: 2 })
    expect((await source.mailboxes(never())).filter(({ name }) => name.includes('bell'))).toEqual([])
  })

  test('a label made anew under the same name is another mailbox', async () => {
    const id = await scene.createLabel('again')
    await scene.deliver(letter({}), { labels: [id] })
    const before = await only('again')
    await scene.client.write({ method: 'DELETE', path: `labels/${id}` }, never())
    const anew = await scene.createLabel('again')
    await scene.deliver(letter({}), { labels: [anew] })
    const after = await only('again')
    expect(after.at.uidvalidity).not.toBe(before.at.uidvalidity)
    await expect(source.flags(before.at, before.uid, never())).rejects.toMatchObject({ code: 'conflict' })
  })

  test('a label that has another name is found by that alone', async () => {
    const [id, other] = [await scene.createLabel('public'), await scene.createLabel('other')]
    await scene.deliver(letter({}), { labels: [id] })
    expect(await find('public')).toMatchObject({ total: 1 })
    await scene.client.write({ method: 'PATCH', path: `labels/${id}`, body: { name: 'private' } }, never())
    await expect(find('public')).rejects.toMatchObject({ code: 'not_found' })
    expect(await find('private')).toMatchObject({ total: 1 })
    await scene.client.write({ method: 'PATCH', path: `labels/${other}`, body: { name: 'public' } }, never())
    expect(await find('public')).toMatchObject({ total: 0 })
    await scene.client.write({ method: 'PATCH', path: `labels/${other}`, body: { name: 'gone' } }, never())
    const message = { bytes: Buffer.from(letter({})), flags: [] }
    await expect(source.append('public', message, never())).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a label that is gone is not found', async () => {
    const id = await scene.createLabel('short')
    await find('short')
    await scene.client.write({ method: 'DELETE', path: `labels/${id}` }, never())
    await expect(find('short')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('All Mail is everything but Trash and Spam', async () => {
    const archived = await scene.deliver(letter({}), { labels: [] })
    await scene.deliver(letter({}))
    await scene.deliver(letter({}), { labels: ['TRASH', 'INBOX'] })
    await scene.deliver(letter({}), { labels: ['SPAM'] })
    const { uids, uidvalidity, total } = await find('All Mail')
    expect(total).toBe(2)
    const ids = await source.idsOf({ mailbox: 'All Mail', uidvalidity }, uids, never())
    expect(ids.map(({ message }) => message)).toContain(archived)
    expect(await source.counts(['All Mail', 'Trash', 'Spam'], never())).toEqual([2, 1, 1])
    expect(await find('INBOX')).toMatchObject({ total: 1 })
    expect(await find('Trash')).toMatchObject({ total: 1 })
  })
})

describe('uids', () => {
  test('are given oldest first, and each label has its own', async () => {
    const work = await scene.createLabel('work')
    const received = at('2024-01-01T00:00:00Z')
    await scene.deliver(letter({ subject: 'newest' }), { received: received + 20 })
    await scene.deliver(letter({ subject: 'oldest' }), { received, labels: ['INBOX', work] })
    await scene.deliver(letter({ subject: 'middle' }), { received: received + 10 })
    expect((await find('INBOX')).uids).toEqual([3, 2, 1])
    expect((await find('work')).uids).toEqual([1])
    await scene.deliver(letter({ subject: 'older still' }), { received: received - 10 })
    expect((await find('INBOX')).uids).toEqual([3, 2, 1, 4])
  })

  test('of a message that left and came back is a new one', async () => {
    const id = await scene.deliver(letter({}))
    await scene.deliver(letter({ subject: 'stays' }))
    const before = (await find('INBOX')).uids
    const modify = (body: object) =>
      scene.client.write({ method: 'POST', path: `messages/${id}/modify`, body: { ...body } }, never())
    await modify({ removeLabelIds: ['INBOX'] })
    expect((await find('INBOX')).total).toBe(1)
    await modify({ addLabelIds: ['INBOX'] })
    const { uids, uidNext } = await find('INBOX')
    expect(uids).toHaveLength(2)
    expect(Math.max(...uids)).toBeGreaterThan(Math.max(...before))
    expect(uidNext).toBe(4)
  })

  test('of a message that Gmail does not list yet stays', async () => {
    const placed = await source.append('INBOX', { bytes: Buffer.from(letter({})), flags: [] }, never())
    scene.proxy.fault({ on: /\/messages\?/, what: { kind: 'answer', status: 200, body: { resultSizeEstimate: 0 } } })
    expect(await find('INBOX')).toMatchObject({ total: 0, uidNext: 2 })
    expect(await find('INBOX')).toMatchObject({ total: 1, uids: [placed?.uid] })
  })

  test('of a message that is gone between the list and the look at it is not there', async () => {
    await scene.deliver(letter({}))
    await scene.deliver(letter({}))
    const { uids, uidvalidity } = await find('INBOX')
    scene.proxy.fault({ on: /messages\/[^/]+\?format=raw/, what: { kind: 'answer', status: 404 } })
    const place = { mailbox: 'INBOX', uidvalidity }
    expect(await source.summaries(place, uids, 0, never())).toHaveLength(1)
    scene.proxy.fault({ on: /messages\/[^/]+\?format=minimal/, what: { kind: 'answer', status: 404 } })
    await expect(source.flags(place, uids[0] ?? 0, never())).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of a message that another took out of the label is not there either', async () => {
    const [trashed, archived] = [await scene.deliver(letter({})), await scene.deliver(letter({}))]
    const { uids, uidvalidity } = await find('INBOX')
    await scene.client.write({ method: 'POST', path: `messages/${trashed}/trash` }, never())
    const body = { removeLabelIds: ['INBOX'] }
    await scene.client.write({ method: 'POST', path: `messages/${archived}/modify`, body }, never())
    const place = { mailbox: 'INBOX', uidvalidity }
    for (const uid of uids) {
      await expect(source.open(place, uid, never())).rejects.toMatchObject({ code: 'not_found' })
      await expect(source.move(place, uid, 'Sent', never())).rejects.toMatchObject({ code: 'not_found' })
    }
    expect(uids).toHaveLength(2)
  })
})

test('pages show every message once, newest first, whatever came when and was seen when', async () => {
  const second = fc.integer({ min: 0, max: 3 })
  const run = fc.record({ early: fc.array(second, { maxLength: 12 }), late: fc.array(second, { maxLength: 12 }) })
  let runs = 0
  await fc.assert(
    fc.asyncProperty(run, fc.integer({ min: 1, max: 5 }), fc.boolean(), async ({ early, late }, take, isRead) => {
      const mailbox = `pages ${++runs}`
      const labels = [await scene.createLabel(mailbox)]
      for (const received of early) await scene.deliver(letter({}), { labels, received })
      const seen = await find(mailbox)
      if (isRead) await source.summaries({ mailbox, uidvalidity: seen.uidvalidity }, seen.uids, 0, never())
      for (const received of late) await scene.deliver(letter({}), { labels, received })
      const shown = await walk(mailbox, take)
      expect(shown).toHaveLength(early.length + late.length)
      expect(shown).toEqual(shown.toSorted(newestFirst))
      expect(new Set(shown.map(({ uid }) => uid)).size).toBe(shown.length)
    }),
    { numRuns: 25 },
  )
})

/** Reads a mailbox page by page the way cursors do. */
async function walk(mailbox: string, take: number): Promise<Position[]> {
  const shown: Position[] = []
  for (let more = true; more; ) {
    const after = shown.at(-1)
    const page = await source.find(mailbox, { criteria: {}, take, ...(after && { after }) }, never())
    const place = { mailbox, uidvalidity: page.uidvalidity }
    const summaries = await source.summaries(place, page.uids, 0, never())
    shown.push(...summaries.map(({ uid, received }) => ({ uid, received })))
    more = page.more
  }
  return shown
}

describe('searching', () => {
  test('leaves to Gmail what it can say, and no words of the caller can be operators', async () => {
    await scene.deliver(letter({ subject: 'the annual report' }))
    await scene.deliver(letter({ subject: 'in:trash OR x' }))
    expect(await find('INBOX', { subject: 'annual report' })).toMatchObject({ total: 1 })
    expect(asked()).toHaveLength(1)
    expect(await find('INBOX', { subject: 'in:trash OR x' })).toMatchObject({ total: 1 })
    const [listed] = asked()
    expect(listed).toContain('q=subject:"in trash or x"')
  })

  test('by key is as wide as the key, flags and sizes exact', async () => {
    const small = letter({ subject: 'small' })
    await scene.deliver(small, { labels: ['INBOX'] })
    await scene.deliver(letter({ subject: 'unread' }))
    await scene.deliver(letter({ subject: 'large', body: 'x'.repeat(5000) }), { labels: ['INBOX', 'STARRED'] })
    const total = async (key: SearchKey) => (await source.find('INBOX', { criteria: {}, key, take: 9 }, never())).total
    expect(await total({ kind: 'flag', flag: '\\Seen' })).toBe(2)
    expect(await total({ kind: 'unflag', flag: '\\Flagged' })).toBe(2)
    expect(await total({ kind: 'flag', flag: '\\Answered' })).toBe(0)
    expect(await total({ kind: 'unflag', flag: 'todo' })).toBe(3)
    expect(await total({ kind: 'larger', bytes: small.length })).toBe(2)
    expect(await total({ kind: 'larger', bytes: small.length + 1 })).toBe(1)
    expect(await total({ kind: 'subject', contains: 'large' })).toBe(1)
    expect(await total({ kind: 'none' })).toBe(0)
    const either: SearchKey[] = [
      { kind: 'subject', contains: 'small' },
      { kind: 'flag', flag: '\\Flagged' },
    ]
    expect(await total({ kind: 'or', of: either })).toBe(2)
    expect(await total({ kind: 'header', name: 'Message-ID', contains: 'seed@example.org' })).toBe(3)
  })

  test('by a query knows words from their beginnings', async () => {
    await scene.deliver(letter({ subject: 'invoices and more' }))
    await scene.deliver(letter({ subject: 'invoice' }))
    const key = { kind: 'subject', contains: 'invoice' } as const
    const total = async (open: boolean) => {
      const query = { kind: 'words', field: 'subject', pieces: ['invoice'], open } as const
      return (await source.find('INBOX', { criteria: {}, key, query, take: 9 }, never())).total
    }
    expect(await total(false)).toBe(1)
    expect(await total(true)).toBe(2)
    const answered = { kind: 'flag', flag: '\\Answered' } as const
    const search = { criteria: {}, key: answered, query: answered, take: 9 }
    expect(await source.find('INBOX', search, never())).toMatchObject({ total: 0 })
  })

  test('a day is exact to the second', async () => {
    for (const time of [
      '2024-01-01T23:59:59Z',
      '2024-01-02T00:00:00Z',
      '2024-01-02T23:59:59Z',
      '2024-01-03T00:00:00Z',
    ]) {
      await scene.deliver(letter({}), { received: at(time) })
    }
    const found = await find('INBOX', { since: '2024-01-02', until: '2024-01-02' })
    expect(found).toMatchObject({ total: 2, uids: [3, 2] })
  })
})

describe('writing', () => {
  test('a draft is a draft of Gmail', async () => {
    const placed = await source.append(
      'Drafts',
      { bytes: Buffer.from(letter({})), flags: ['\\Draft', '\\Seen'] },
      never(),
    )
    expect(asked().some((line) => line.startsWith('POST /gmail/v1/users/me/drafts'))).toBe(true)
    const { at: place, uid } = await only('Drafts')
    expect(placed).toEqual({ uid, uidvalidity: place.uidvalidity, draft: expect.stringMatching(/^r-?[0-9]+$/) })
    expect(await source.locate(placed?.draft ?? '', never())).toEqual({ ...place, uid })
    expect(await source.flags(place, uid, never())).toEqual(['\\Seen', '\\Draft'])
    await expect(source.copy(place, uid, 'INBOX', never())).rejects.toMatchObject({ code: 'unsupported' })
    await source.move(place, uid, 'Trash', never())
    expect(await find('Drafts')).toMatchObject({ total: 0 })
  })

  test.each(['Sent', 'Drafts'])('%s is filled by Gmail alone', async (mailbox) => {
    await scene.deliver(letter({}))
    const { at: place, uid } = await only('INBOX')
    await expect(source.copy(place, uid, mailbox, never())).rejects.toMatchObject({ code: 'unsupported' })
    await expect(source.move(place, uid, mailbox, never())).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('a move swaps two labels in one request', async () => {
    const work = await scene.createLabel('work')
    const id = await scene.deliver(letter({}), { labels: ['INBOX', 'UNREAD', 'IMPORTANT'] })
    const { at: place, uid } = await only('INBOX')
    asked()
    await source.swapLabel(place, uid, 'work', never())
    expect(asked().filter((line) => line.startsWith('POST'))).toHaveLength(1)
    expect(labelsOf(id)).toEqual(['IMPORTANT', 'UNREAD', work].sort())
  })

  test('a move to Trash takes it out of every folder, and one out of it into just one', async () => {
    const work = await scene.createLabel('work')
    const id = await scene.deliver(letter({}), { labels: ['INBOX', work] })
    const { at: place, uid } = await only('INBOX')
    await source.move(place, uid, 'Trash', never())
    expect(await find('work')).toMatchObject({ total: 0 })
    const trashed = await only('Trash')
    await expect(source.copy(trashed.at, trashed.uid, 'INBOX', never())).rejects.toMatchObject({ code: 'unsupported' })
    await source.move(trashed.at, trashed.uid, 'work', never())
    expect(labelsOf(id)).toEqual([work])
  })

  test('a move to All Mail archives', async () => {
    const id = await scene.deliver(letter({}), { labels: ['INBOX'] })
    const { at: place, uid } = await only('INBOX')
    const placed = await source.move(place, uid, 'All Mail', never())
    expect(labelsOf(id)).toEqual([])
    expect((await only('All Mail')).uid).toBe(placed?.uid)
  })

  test('one of several copies is removed by its label, the last one for good', async () => {
    await scene.createLabel('work')
    const id = await scene.deliver(letter({}), { labels: ['INBOX'] })
    const inbox = await only('INBOX')
    await source.copy(inbox.at, inbox.uid, 'work', never())
    const work = await only('work')
    for (const { at: place, uid } of [inbox, work]) await source.changeFlags(place, uid, 'add', ['\\Deleted'], never())
    await source.expunge(inbox.at, inbox.uid, never())
    expect(scene.held().map((message) => message.id)).toEqual([id])
    expect(await find('INBOX')).toMatchObject({ total: 0 })
    await source.expunge(work.at, work.uid, never())
    expect(scene.held()).toEqual([])
  })

  test('removing for good where that was not granted says so, and leaves it', async () => {
    await scene.deliver(letter({}))
    const { at: place, uid } = await only('INBOX')
    await source.changeFlags(place, uid, 'add', ['\\Deleted'], never())
    scene.proxy.fault({ on: /^DELETE/, what: NOT_GRANTED })
    await expect(source.expunge(place, uid, never())).rejects.toMatchObject({
      code: 'auth_failed',
      message: expect.stringContaining('Trash'),
    })
    scene.proxy.fault({ on: /batchDelete/, what: NOT_GRANTED })
    expect(await source.removeMany(place, [uid], never())).toBe('flagged')
    expect(scene.held()).toHaveLength(1)
    expect(await source.flags(place, uid, never())).toContain('\\Deleted')
  })

  test('a write whose answer is lost is done once and is outcome_unknown', async () => {
    const work = await scene.createLabel('work')
    const id = await scene.deliver(letter({}), { labels: ['INBOX'] })
    const { at: place, uid } = await only('INBOX')
    scene.proxy.fault({ on: /modify/, what: { kind: 'drop_after' } })
    await expect(source.move(place, uid, 'work', never())).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(scene.proxy.requests.filter((line) => line.includes('modify'))).toHaveLength(1)
    expect(labelsOf(id)).toEqual([work])
    scene.proxy.fault({ on: /^POST .*\/messages\?/, what: { kind: 'drop_after' } })
    const messages = ['one', 'two', 'three'].map((subject) => ({ bytes: Buffer.from(letter({ subject })), flags: [] }))
    const endings = await source.appendEach('INBOX', messages, never())
    expect(endings.map(({ kind }) => kind).toSorted()).toEqual(['done', 'done', 'unknown'])
    expect(await find('INBOX')).toMatchObject({ total: 3 })
  })

  test('flags are labels', async () => {
    const id = await scene.deliver(letter({}))
    const { at: place, uid } = await only('INBOX')
    await source.changeFlags(place, uid, 'add', ['\\Seen', '\\Flagged'], never())
    expect(labelsOf(id)).toEqual(['INBOX', 'STARRED'])
    expect((await only('Starred')).uid).toBe(1)
    await source.changeFlags(place, uid, 'remove', ['\\SEEN', '\\flagged'], never())
    expect(labelsOf(id)).toEqual(['INBOX', 'UNREAD'])
    for (const flag of ['todo', '\\Answered', '\\Draft']) {
      const adding = source.changeFlags(place, uid, 'add', [flag], never())
      await expect(adding).rejects.toMatchObject({ code: 'unsupported' })
    }
  })
})

describe("Gmail's own ids", () => {
  test('tell which message it is and which thread, under any label', async () => {
    const work = await scene.createLabel('work')
    const first = await scene.deliver(letter({}), { labels: ['INBOX', work], received: 1_700_000_000 })
    const thread = scene.held()[0]?.threadId ?? ''
    const second = await scene.deliver(letter({}), { labels: ['SENT'], thread, received: 1_700_000_001 })
    const { at: inbox, uid } = await only('INBOX')
    expect(await source.idsOf(inbox, [uid, uid + 7], never())).toEqual([{ uid, message: first, thread }])
    const place = { mailbox: 'INBOX', uidvalidity: inbox.uidvalidity, uid }
    expect(await source.locate(first, never())).toEqual(place)
    const sent = await source.locate(second, never())
    expect(sent?.mailbox).toBe('Sent')
    expect(await source.thread(thread, never())).toEqual([place, sent])
    expect(await source.open(sent ?? place, sent?.uid ?? 0, never())).toMatchObject({ received: 1_700_000_001 })
    const inAllMail = await find('All Mail')
    const [identity] = await source.identities(inbox, [uid], never())
    expect(identity).toEqual({ uid, gmMsgid: first, allMailUid: inAllMail.uids[1] })
  })

  test.each(['none', '', '..', 'a/b?c', '17f'.repeat(2000)])('%j is nowhere', async (id) => {
    expect(await source.locate(id, never())).toBeUndefined()
    expect(await source.thread(id, never())).toEqual([])
  })
})
