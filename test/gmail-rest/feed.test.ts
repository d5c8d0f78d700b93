/** What the feed says of a Gmail account: where folders stand, what has happened in them, what their messages are. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import { parseHeader } from '../../src/core/mime/header.ts'
import { parseStructure } from '../../src/core/mime/structure.ts'
import type { Changes, FolderState, Row } from '../../src/core/mirror/state.ts'
import { never } from '../mail-source/bench.ts'
import { letter, MIXED } from '../mail-source/messages.ts'
import { type GmailMirrorScene, gmailMirrorScene } from './mirror-scene.ts'
import { googleError } from './proxy.ts'

let scene: GmailMirrorScene

beforeEach(async () => {
  scene = await gmailMirrorScene()
})
afterEach(() => scene.stop())

const EVERYTHING = { from: 1, to: 4_000_000_000 }

/** Oldest first. */
async function deliverSome(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    const received = 1_700_000_000 + at
    ids.push(await scene.other.deliver(letter({ subject: `number ${at}` }), { received }))
  }
  return ids
}

const state = (mailbox = 'INBOX'): Promise<FolderState> => scene.feed.state(mailbox, never())
const since = (before: FolderState, mailbox = 'INBOX'): Promise<Changes> => scene.feed.changes(mailbox, before, never())

async function changed(before: FolderState, mailbox = 'INBOX'): Promise<Extract<Changes, { kind: 'changed' }>> {
  const changes = await since(before, mailbox)
  if (changes.kind !== 'changed') throw new Error(`it is ${changes.kind}`)
  return changes
}

async function rows({ uidvalidity }: FolderState, mailbox = 'INBOX', within = EVERYTHING): Promise<Row[]> {
  const found: Row[] = []
  for await (const batch of scene.feed.rows({ mailbox, uidvalidity }, within, never())) found.push(...batch)
  return found
}

const subjects = (found: readonly Row[]): string[] =>
  found.map(({ header }) => parseHeader(header).find(({ name }) => name === 'Subject')?.value ?? '')

const NO_HISTORY = { kind: 'answer', status: 404, body: googleError(404, 'notFound', 'NOT_FOUND') } as const
const HISTORY = /^GET [^?]*\/history\?/
const LIST = /^GET [^?]*\/messages\?/

test('messages that were there before have uids, the newest the largest, and come newest first', async () => {
  await deliverSome(130)
  const before = await state()
  expect(before).toMatchObject({ uidNext: 131, messages: 130 })
  const batches: Row[][] = []
  for await (const batch of scene.feed.rows({ mailbox: 'INBOX', ...before }, EVERYTHING, never()))
    batches.push([...batch])
  const all = batches.flat()
  expect(batches.length).toBeGreaterThan(1)
  expect(all.map(({ uid }) => uid)).toEqual(Array.from({ length: 130 }, (_, at) => 130 - at))
  expect(subjects(all)).toEqual(Array.from({ length: 130 }, (_, at) => `number ${129 - at}`))
  const few = await rows(before, 'INBOX', { from: 5, to: 7 })
  expect(few.map(({ uid }) => uid)).toEqual([7, 6, 5])
})

test('a row holds the fields of a mirror as they stand, and what the message is made of', async () => {
  const raw = MIXED.replace(
    'Subject: parts',
    'X-Other: no\r\nSubject: parts\r\n and more\r\nReceived: by one\r\nRECEIVED: by two',
  )
  const received = 1_700_000_000
  await scene.other.deliver(raw, { labels: ['INBOX', 'STARRED'], received, thread: 'thr_1' })
  const before = await state()
  const [row] = await rows(before)
  expect(Buffer.from(row?.header ?? []).toString()).toBe(
    [
      'From: =?utf-8?Q?Zo=C3=AB?= <zoe@example.org>',
      'To: charles@example.net',
      'Subject: parts\r\n and more',
      'Received: by one',
      'RECEIVED: by two',
      'Message-ID: <mixed@example.org>',
      '\r\n',
    ]
      .join('\r\n')
      .replace(/\r\n\r\n\r\n$/, '\r\n\r\n'),
  )
  expect(row).toMatchObject({ uid: 1, received, size: raw.length, headerCut: false, serverThread: 'thr_1' })
  expect(row?.flags).toEqual(['\\Seen', '\\Flagged'])
  const { root } = parseStructure(Buffer.from(raw))
  expect(row?.structure).toMatchObject({ id: '', type: 'multipart/mixed' })
  expect(row?.structure.children.map(({ id, type, size }) => [id, type, size])).toEqual(
    root.children.map(({ id, type, size }) => [id, type, size]),
  )
})

test('parts come up to what is wanted of them, still encoded', async () => {
  await scene.other.deliver(MIXED)
  const before = await state()
  const at = { mailbox: 'INBOX', uidvalidity: before.uidvalidity }
  const wanted = [
    {
      uid: 1,
      parts: [
        { id: '1.1', maxBytes: 100 },
        { id: '1.2', maxBytes: 5 },
        { id: '9', maxBytes: 5 },
      ],
    },
    { uid: 2, parts: [{ id: '1', maxBytes: 5 }] },
  ]
  const found = await scene.feed.texts(at, wanted, never())
  expect(found.map(({ bytes, ...rest }) => ({ ...rest, text: Buffer.from(bytes).toString() }))).toEqual([
    { uid: 1, id: '1.1', text: 'Gr=C3=BC=C3=9Fe', complete: true },
    { uid: 1, id: '1.2', text: '<p>he', complete: false },
  ])
})

test('nothing has happened: one request says so', async () => {
  await deliverSome(3)
  const before = await state()
  scene.gmail.proxy.requests.length = 0
  expect(await since(before)).toEqual({ kind: 'same' })
  expect(scene.gmail.proxy.requests).toEqual([expect.stringMatching(HISTORY)])
})

test('of all folders one request says so', async () => {
  await deliverSome(3)
  const names = ['INBOX', 'All Mail', 'Sent', 'Trash', 'Starred', 'nowhere']
  const before = await scene.feed.states(names, never())
  expect(before.map((one) => one?.messages)).toEqual([3, 3, 0, 0, 0, undefined])
  scene.gmail.proxy.requests.length = 0
  const known = names.slice(0, -1)
  expect(await scene.feed.states(known, never())).toEqual(before.slice(0, -1))
  expect(scene.gmail.proxy.requests).toEqual([expect.stringMatching(HISTORY)])
})

test('what came, what was read and starred, what was moved and deleted', async () => {
  const lists = await scene.gmail.createLabel('Lists')
  const ids = await deliverSome(6)
  const [inbox, listed, trash] = [await state(), await state('Lists'), await state('Trash')]
  const [one, two, three, four] = ids as [string, string, string, string]
  await scene.other.label(one, ['STARRED'], ['UNREAD'])
  await scene.other.label(two, [lists], ['INBOX'])
  await scene.other.trash(three)
  await scene.other.remove(four)
  await deliverSome(1)
  const changes = await changed(inbox)
  expect(changes.flags).toEqual([{ uid: 1, flags: ['\\Seen', '\\Flagged'] }])
  expect(changes.gone).toEqual({ kind: 'these', uids: [2, 3, 4] })
  expect(changes.state).toMatchObject({ uidvalidity: inbox.uidvalidity, uidNext: 8, messages: 4 })
  expect(await since(changes.state)).toEqual({ kind: 'same' })
  expect((await rows(changes.state)).map(({ uid }) => uid)).toEqual([7, 6, 5, 1])
  const inLists = await changed(listed, 'Lists')
  expect([inLists.state.uidNext, inLists.state.messages]).toEqual([2, 1])
  expect(subjects(await rows(inLists.state, 'Lists'))).toEqual(['number 1'])
  const inTrash = await changed(trash, 'Trash')
  expect(subjects(await rows(inTrash.state, 'Trash'))).toEqual(['number 2'])
})

test('what came and went again within one look was never there', async () => {
  const before = await state()
  const [id] = (await deliverSome(1)) as [string]
  await scene.other.remove(id)
  const { flags, state: after } = await changed(before)
  expect([flags, after.messages, after.uidNext]).toEqual([[], 0, 1])
})

test('one that left and came back keeps its uid where nobody noticed, and has a new one where somebody did', async () => {
  const [one, two] = (await deliverSome(3)) as [string, string]
  const before = await state()
  await scene.other.label([one, two], [], ['INBOX'])
  // Another process lists the folder meanwhile.
  await scene.uids.drop('INBOX', [two], never())
  await scene.other.label([one, two], ['INBOX'])
  const { gone, flags, state: after } = await changed(before)
  expect(gone).toEqual({ kind: 'all_but', uids: [1, 3] })
  expect(flags.map(({ uid }) => uid)).toEqual([1])
  expect(after).toMatchObject({ uidNext: 5, messages: 3 })
  expect(subjects(await rows(after))).toEqual(['number 1', 'number 2', 'number 0'])
})

test('a history that names messages and no labels is enough', async () => {
  const lists = await scene.gmail.createLabel('Lists')
  const one = await scene.other.deliver(letter({}), { labels: [lists, 'TRASH'] })
  const two = await scene.other.deliver(letter({}), { labels: [lists] })
  const before = await state('Lists')
  await scene.other.label(one, [], ['TRASH'])
  await scene.other.remove(two)
  const told = (id: string) => ({ message: { id, threadId: 'thr' } })
  const records = [{ labelsRemoved: [{ ...told(one), labelIds: ['TRASH'] }] }, { messagesDeleted: [told(two)] }]
  const body = {
    history: records.map((record, at) => ({ id: String(at), ...record })),
    historyId: '99999999999999999999999',
  }
  scene.gmail.proxy.fault({ on: HISTORY, what: { kind: 'answer', status: 200, body } })
  const { gone, state: after } = await changed(before, 'Lists')
  expect(gone).toMatchObject({ uids: [] })
  expect(after).toMatchObject({ uidNext: 3, messages: 1 })
  expect((await rows(after, 'Lists')).map(({ uid }) => uid)).toEqual([2])
})

test('a uid that somebody else took out of the store is gone all the same', async () => {
  const [one] = (await deliverSome(2)) as [string]
  const before = await state()
  await scene.other.label(one, [], ['INBOX'])
  await scene.uids.drop('INBOX', [one], never())
  expect((await changed(before)).gone).toEqual({ kind: 'all_but', uids: [2] })
})

test('a mark that only we know is told like a flag, once', async () => {
  await deliverSome(2)
  const before = await state()
  await scene.uids.mark('INBOX', [2], true, never())
  const { flags, gone, state: after } = await changed(before)
  expect(flags).toEqual([{ uid: 2, flags: ['\\Deleted'] }])
  expect(gone).toEqual({ kind: 'these', uids: [] })
  expect(await since(after)).toEqual({ kind: 'same' })
  await scene.uids.mark('INBOX', [2], false, never())
  expect((await changed(after)).flags).toEqual([{ uid: 2, flags: [] }])
})

test('a history that Gmail no longer has: everything is looked at', async () => {
  const [one, two] = (await deliverSome(4)) as [string, string]
  const before = await state()
  await scene.other.label(one, ['STARRED'], ['UNREAD'])
  await scene.other.remove(two)
  await deliverSome(1)
  scene.gmail.proxy.fault({ on: HISTORY, what: NO_HISTORY })
  const { flags, gone, state: after } = await changed(before)
  expect(gone).toEqual({ kind: 'all_but', uids: [1, 3, 4] })
  expect(flags).toEqual([
    { uid: 1, flags: ['\\Seen', '\\Flagged'] },
    { uid: 3, flags: [] },
    { uid: 4, flags: [] },
  ])
  expect(after).toMatchObject({ uidNext: 6, messages: 4 })
  expect(await since(after)).toEqual({ kind: 'same' })
  scene.gmail.proxy.fault({ on: HISTORY, what: NO_HISTORY })
  expect(await state()).toEqual(after)
})

test('one that Gmail leaves out of a list is looked at before it is taken for gone', async () => {
  const [one, two, three] = (await deliverSome(3)) as [string, string, string]
  const before = await state()
  await scene.other.remove(one)
  scene.gmail.proxy.fault({ on: HISTORY, what: NO_HISTORY })
  const body = { messages: [{ id: three, threadId: 'thr' }] }
  scene.gmail.proxy.fault({ on: LIST, what: { kind: 'answer', status: 200, body } })
  const { gone, state: after } = await changed(before)
  expect(gone).toEqual({ kind: 'all_but', uids: [2, 3] })
  expect(after).toMatchObject({ uidNext: 4, messages: 2 })
  expect((await scene.uids.lookUp('INBOX', [2], never())).get(2)?.id).toBe(two)
})

test('so much has happened that the folder is listed, five hundred at a time', async () => {
  const ids = Array.from({ length: 1010 }, (_, at) => `id-${at}`)
  await Promise.all(ids.map(() => scene.gmail.deliver(letter({}), { received: 1_700_000_000 })))
  const before = await state()
  const held = scene.gmail.held().map(({ id }) => id)
  await scene.other.label(held, [], ['UNREAD'])
  scene.gmail.proxy.requests.length = 0
  const { flags } = await changed(before)
  expect(flags).toHaveLength(1010)
  expect(flags.every(({ flags: all }) => all.join() === '\\Seen')).toBe(true)
  expect(scene.gmail.proxy.requests.length).toBeLessThan(20)
})

test('one that history does not tell of, though it has a uid: the folder is looked through', async () => {
  await deliverSome(2)
  const before = await state()
  // Somebody took a list that was not whole for all there is.
  await scene.uids.settle('INBOX', [], before.uidNext, never())
  await scene.uids.assign('INBOX', [...scene.gmail.held().map(({ id }) => id)].reverse(), never())
  const { gone, state: after } = await changed(before)
  expect(gone).toEqual({ kind: 'all_but', uids: [] })
  expect(after).toMatchObject({ uidNext: 5, messages: 2 })
})

test('what happens elsewhere is nothing to a folder, until there is so much of it that its place in history moves on', async () => {
  const lists = await scene.gmail.createLabel('Lists')
  await scene.other.deliver(letter({}), { labels: [lists] })
  const ids = await deliverSome(51)
  const before = await state('Lists')
  await scene.other.label(ids.slice(1), ['STARRED'])
  expect(await since(before, 'Lists')).toEqual({ kind: 'same' })
  await scene.other.label(ids.slice(0, 1), ['STARRED'])
  const { flags, gone, state: after } = await changed(before, 'Lists')
  expect([flags, gone]).toEqual([[], { kind: 'these', uids: [] }])
  expect(BigInt(after.modseq ?? 0)).toBeGreaterThan(BigInt(before.modseq ?? 0))
  expect(after).toEqual({ ...before, modseq: after.modseq })
})

test('a label made anew under the same name is another folder', async () => {
  const lists = await scene.gmail.createLabel('Lists')
  await scene.other.deliver(letter({}), { labels: [lists] })
  const before = await state('Lists')
  await scene.other.removeLabel(lists)
  const again = await scene.gmail.createLabel('Lists')
  await scene.other.deliver(letter({}), { labels: [again] })
  const changes = await since(before, 'Lists')
  expect(changes).toMatchObject({ kind: 'remade', state: { messages: 1, uidNext: 2 } })
  const stale = scene.feed.rows({ mailbox: 'Lists', uidvalidity: before.uidvalidity }, EVERYTHING, never())
  await expect(stale[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'conflict' })
})

test('a label that was given to another name, or removed, is no longer there under this one', async () => {
  const [lists, other] = [await scene.gmail.createLabel('Lists'), await scene.gmail.createLabel('Other')]
  await scene.other.deliver(letter({}), { labels: [lists] })
  const [before, its] = [await state('Lists'), await state('Other')]
  await scene.other.renameLabel(lists, 'Away')
  await expect(since(before, 'Lists')).rejects.toMatchObject({ code: 'not_found' })
  await scene.other.renameLabel(other, 'Lists')
  expect(await since(before, 'Lists')).toMatchObject({ kind: 'remade', state: { ...its, modseq: expect.anything() } })
  await scene.other.removeLabel(other)
  await expect(since(its, 'Lists')).rejects.toMatchObject({ code: 'not_found' })
})

test('a folder that is not there', async () => {
  await expect(state('nowhere')).rejects.toMatchObject({ code: 'not_found' })
  await expect(since({ uidvalidity: 1, uidNext: 1, messages: 0 }, 'nowhere')).rejects.toThrow(Failure)
})

test('whoever watches hears of what happens, and nothing of what does not', async () => {
  await deliverSome(1)
  const leaving = new AbortController()
  let heard = 0
  const watching = scene.feed.watch('INBOX', () => heard++, leaving.signal)
  const until = async (count: number): Promise<void> => {
    while (heard < count) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await until(1)
  await deliverSome(1)
  await until(2)
  scene.gmail.proxy.requests.length = 0
  while (scene.gmail.proxy.requests.length < 5) await new Promise((resolve) => setTimeout(resolve, 2))
  expect(heard).toBe(2)
  scene.gmail.proxy.fault({ on: HISTORY, what: NO_HISTORY })
  await until(3)
  leaving.abort()
  await watching
})

test('whoever leaves at once has watched nothing', async () => {
  await scene.feed.watch('INBOX', () => expect.unreachable(), AbortSignal.abort())
  await expect(scene.feed.watch('nowhere', () => undefined, never())).rejects.toMatchObject({ code: 'not_found' })
})

test('a watch ends with the connection', async () => {
  const watching = scene.feed.watch('INBOX', () => undefined, never())
  scene.gmail.proxy.fault({ on: HISTORY, times: 99, what: { kind: 'drop_before' } })
  await expect(watching).rejects.toMatchObject({ code: 'unavailable' })
})

test('nothing that a feed does changes anything', async () => {
  await deliverSome(2)
  const held = JSON.stringify(scene.gmail.held())
  const before = await state()
  await rows(before)
  scene.gmail.proxy.fault({ on: HISTORY, what: NO_HISTORY })
  await since(before)
  expect(JSON.stringify(scene.gmail.held())).toBe(held)
  expect(scene.gmail.proxy.requests.every((line) => line.startsWith('GET '))).toBe(true)
  expect(scene.gmail.proxy.requests.some((line) => LIST.test(line))).toBe(true)
})
