/** Mailboxes of all kinds: large ones, rebuilt ones, nested ones, in other time zones. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { never } from '../mail-source/bench.ts'
import { at, letter, MIXED } from '../mail-source/messages.ts'
import { type Desk, startDesk, USER } from './desk.ts'
import { capabilityWithout, type DovecotOptions } from './dovecot.ts'

async function start(server: Partial<DovecotOptions> = {}): Promise<Desk> {
  const desk = await startDesk(server)
  onTestFinished(() => desk.stop())
  return desk
}

describe('listing', () => {
  test('gives roles, nesting and what cannot be opened', async () => {
    const { source, other } = await start()
    await other.imap.mailboxCreate('Projekte/Köln/R&D')
    const byName = new Map((await source.mailboxes(never())).map((mailbox) => [mailbox.name, mailbox]))
    const attributes = ['\\HasNoChildren', '\\Sent']
    expect(byName.get('Sent')).toEqual({ name: 'Sent', delimiter: '/', role: 'sent', selectable: true, attributes })
    expect(byName.get('Trash')?.role).toBe('trash')
    expect(byName.get('Projekte')?.selectable).toBe(false)
    expect(byName.get('Projekte/Köln/R&D')?.selectable).toBe(true)
    const opening = source.find('Projekte', { criteria: {}, take: 1 }, never())
    await expect(opening).rejects.toMatchObject({ code: 'not_found' })
    expect((await source.find('Projekte/Köln/R&D', { criteria: {}, take: 1 }, never())).total).toBe(0)
  })

  test('names may hold the characters that other servers use as separators', async () => {
    const extra = 'mail_plugins = listescape\nnamespace inbox {\n  separator = |\n}'
    const { source, other } = await start({ extra })
    const names = ['a/b', 'a:b', 'a.b', 'x|y/z', '"', "it's", '100%', 'R&D']
    for (const name of names) await other.imap.mailboxCreate(name)
    const listed = await source.mailboxes(never())
    for (const name of names) {
      expect(listed.find((mailbox) => mailbox.name === name)).toMatchObject({ name, delimiter: '|', selectable: true })
      const [uid] = await other.seed(name, [{ raw: letter({}) }])
      expect((await source.find(name, { criteria: {}, take: 1 }, never())).uids).toEqual([uid])
    }
  })
})

describe('a mailbox that was rebuilt', () => {
  test('is a conflict, also on a connection that has the old one open', async () => {
    const { source, other } = await start()
    const [uid = 0] = await other.seed('rebuilt', [{ raw: letter({}) }])
    const { uidvalidity } = await source.find('rebuilt', { criteria: {}, take: 1 }, never())
    const place = { mailbox: 'rebuilt', uidvalidity }
    await source.raw(place, uid, 10, never())
    await other.imap.mailboxDelete('rebuilt')
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await other.seed('rebuilt', [{ raw: letter({ subject: 'another message' }) }])
    const now = (await source.find('rebuilt', { criteria: {}, take: 1 }, never())).uidvalidity
    expect(now).not.toBe(uidvalidity)
    await expect(source.raw(place, uid, 10, never())).rejects.toMatchObject({ code: 'conflict' })
    await expect(source.changeFlags(place, uid, 'add', ['\\Seen'], never())).rejects.toMatchObject({ code: 'conflict' })
  })

  test('that is gone is not_found, and says so to a connection that had it open', async () => {
    const { source, other } = await start()
    const [uid = 0] = await other.seed('gone', [{ raw: letter({}) }])
    const { uidvalidity } = await source.find('gone', { criteria: {}, take: 1 }, never())
    await other.imap.mailboxDelete('gone')
    const place = { mailbox: 'gone', uidvalidity }
    await expect(source.open(place, uid, never())).rejects.toMatchObject({ code: 'not_found' })
    await expect(source.flags(place, uid, never())).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe.each([
  ['with SORT', undefined],
  ['without SORT', capabilityWithout('SORT', 'SORT=DISPLAY', 'ESORT')],
])('a server %s', (_name, capability) => {
  const shape = capability === undefined ? {} : { capability }

  test('with 20,001 matches says how many, and with fewer gives a page', async () => {
    const { source, dovecot } = await start(shape)
    const raw = letter({ body: '' })
    const many = Array.from({ length: 20_001 }, (_, index) => ({
      raw,
      received: 1_700_000_000 + index,
      seen: index === 0,
    }))
    await dovecot.deliver(USER, 'INBOX', many)
    const all = await source.find('INBOX', { criteria: {}, take: 20 }, never())
    expect(all).toMatchObject({ total: 20_001, uids: [], more: true, uidNext: 20_002 })
    const unread = await source.find('INBOX', { criteria: { unread: true }, take: 3 }, never())
    expect(unread).toMatchObject({ total: 20_000, uids: [20_001, 20_000, 19_999], more: true })
    const summaries = await source.summaries(
      { mailbox: 'INBOX', uidvalidity: all.uidvalidity },
      unread.uids,
      0,
      never(),
    )
    const [last] = summaries.slice(-1)
    const after = { uid: last?.uid ?? 0, received: last?.received ?? 0 }
    const next = await source.find('INBOX', { criteria: { unread: true }, after, take: 2 }, never())
    expect(next.uids).toEqual([19_998, 19_997])
  })

  test.each(['Asia/Tokyo', 'America/Los_Angeles'])('in %s keeps days in UTC', async (timezone) => {
    const { source, other } = await start({ ...shape, timezone })
    const times = ['2024-01-09T23:59:59Z', '2024-01-10T00:00:00Z', '2024-01-10T23:59:59Z', '2024-01-11T00:00:00Z']
    const uids = await other.seed(
      'days',
      times.map((iso) => ({ raw: letter({}), received: at(iso) })),
    )
    const find = async (since: string, until: string) =>
      (await source.find('days', { criteria: { since, until }, take: 9 }, never())).uids
    expect(await find('2024-01-10', '2024-01-10')).toEqual([uids[2], uids[1]])
    expect(await find('2024-01-09', '2024-01-09')).toEqual([uids[0]])
    expect(await find('2024-01-11', '2024-02-01')).toEqual([uids[3]])
    expect((await source.find('days', { criteria: { since: '2024-01-10' }, take: 1 }, never())).total).toBe(3)
  })
})

test('nothing that reads sets a flag, as somebody else sees it', async () => {
  const { source, other } = await start()
  const [uid = 0] = await other.seed('unread', [{ raw: MIXED }])
  const { uidvalidity } = await source.find('unread', { criteria: { text: 'hello' }, take: 1 }, never())
  const place = { mailbox: 'unread', uidvalidity }
  await source.changeFlags(place, uid, 'add', ['\\Flagged'], never())
  await source.summaries(place, [uid], 500, never())
  await source.open(place, uid, never())
  await source.parts(
    place,
    uid,
    [
      { id: '1.1', maxBytes: 9 },
      { id: '3', maxBytes: 9 },
    ],
    never(),
  )
  await source.raw(place, uid, 999, never())
  expect((await other.flags('unread', uid)).filter((flag) => flag !== '\\Recent')).toEqual(['\\Flagged'])
})

test('a message removed next to one that somebody else has marked leaves that one alone', async () => {
  const { source, other } = await start()
  const [theirs = 0, ours = 0] = await other.seed('shared', [
    { raw: letter({}), flags: ['\\Deleted'] },
    { raw: letter({}) },
  ])
  const { uidvalidity } = await source.find('shared', { criteria: {}, take: 1 }, never())
  const place = { mailbox: 'shared', uidvalidity }
  await source.changeFlags(place, ours, 'add', ['\\Deleted'], never())
  await source.expunge(place, ours, never())
  await source.close()
  expect(await other.uids('shared')).toEqual([theirs])
})
