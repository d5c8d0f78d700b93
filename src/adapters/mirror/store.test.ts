import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Part } from '../../core/mime/part.ts'
import type { Row } from '../../core/mirror/state.ts'
import { parseQuery } from '../../core/query/parse.ts'
import type { Query } from '../../core/query/query.ts'
import { forgetAccount } from '../../engine/sync/forget-account.ts'
import type { DatabaseFile, DatabaseFiles } from '../../ports/database-files.ts'
import type { MirrorStore, Sift } from '../../ports/mirror-store.ts'
import { fileLocks } from '../lock/file-locks.ts'
import { databaseFiles } from '../sqlite/database-files.ts'
import { mirrorPath } from './file/path.ts'
import { MIRROR_FILE } from './file/schema.ts'
import { createMirrorStore } from './store.ts'

let directory: string
let path: string
let store: MirrorStore

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mirror-'))
  path = join(directory, 'deep', 'a.db')
  store = createMirrorStore({ path, clock: { now: () => 42 }, locks: fileLocks, databases: databaseFiles })
})

afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true })
})

const plain: Part = {
  id: '1',
  type: 'text/plain',
  parameters: { charset: 'utf-8' },
  disposition: undefined,
  filename: undefined,
  contentId: undefined,
  encoding: '7bit',
  size: 3,
  children: [],
}
const STATE = { uidvalidity: 7, uidNext: 10, messages: 3, modseq: '99' }

function row(uid: number, subject = 'hello'): Row {
  const header = `From: Ann <ann@a.example>\r\nSubject: ${subject}\r\nMessage-ID: <${uid}@x>\r\n`
  const bytes = new TextEncoder().encode(header)
  return { uid, received: 1000 + uid, size: 5, flags: ['\\Seen'], header: bytes, headerCut: false, structure: plain }
}

const text = (uid: number, body = '') => ({ uid, body, attachments: [], snippet: body })
const word = (piece: string): Query => ({ kind: 'words', field: 'any', pieces: [piece], open: false })
const asking = (query: Query): Sift => ({
  query,
  criteria: {},
  match: {},
  rules: new Map(),
  nowSeconds: 0,
  needed: 'NONE',
  take: 20,
})
const found = async (piece: string, ...mailboxes: string[]) =>
  (await store.sift(mailboxes, asking(word(piece)))).rows.map(({ uid }) => uid)

async function filled(mailbox: string, subject?: string): Promise<void> {
  await store.remake(mailbox, STATE)
  await store.fill(mailbox, [row(3, subject), row(2, subject), row(1, subject)], 1)
  await store.index(mailbox, [text(3), text(2, 'secret words'), text(1)], 'full', undefined)
}

describe('filling and changing', () => {
  beforeEach(() => store.lease())

  test('a folder is filled from above, and says how far', async () => {
    await store.remake('INBOX', STATE)
    expect(await store.folder('INBOX')).toMatchObject({ state: STATE, filledDownTo: 10, kept: 0, indexed: 0 })
    await store.fill('INBOX', [row(3)], 3)
    await store.fill('INBOX', [row(2), row(3, 'again')], 2)
    expect(await store.folder('INBOX')).toMatchObject({ filledDownTo: 2, kept: 2, indexed: 0, checkedAt: 42 })
    expect(await store.uids('INBOX')).toEqual([2, 3])
    await expect(store.find('INBOX', { criteria: {}, take: 9 })).rejects.toMatchObject({ code: 'conflict' })
    await store.fill('INBOX', [], 1)
    expect((await store.find('INBOX', { criteria: {}, take: 9 })).uids).toEqual([3, 2])
    expect((await store.unread('INBOX', 1)).map(({ uid }) => uid)).toEqual([3])
    const [kept] = await store.summaries({ mailbox: 'INBOX', uidvalidity: 7 }, [3])
    expect(kept?.header.find(({ name }) => name === 'Subject')?.value).toBe('hello')
  })

  test('of long headers few are looked up at once', async () => {
    const long = Array.from({ length: 100 }, (_, at) => row(100 - at, 'x'.repeat(250_000)))
    await store.remake('INBOX', { ...STATE, uidNext: 101, messages: 100 })
    await store.fill('INBOX', long, 1)
    const unread = await store.unread('INBOX', 90)
    expect(unread.map(({ uid }) => uid)).toEqual(long.slice(0, 67).map(({ uid }) => uid))
  })

  test('an empty folder is complete from the beginning', async () => {
    await store.remake('INBOX', { uidvalidity: 1, uidNext: 5, messages: 0 })
    expect(await store.folder('INBOX')).toMatchObject({ filledDownTo: 1, kept: 0 })
    await store.index('INBOX', [], 'full', undefined)
    expect(await store.folder('INBOX')).toMatchObject({ depth: 'full' })
  })

  test('what is not indexed is neither searched nor judged', async () => {
    await store.remake('INBOX', STATE)
    await store.fill('INBOX', [row(3)], 1)
    const rules = { path: 'INBOX', mode: 'blacklist', default: 'FULL', rules: [], capabilities: [] } as const
    await expect(store.sift(['INBOX'], asking(word('hello')))).rejects.toThrow('before it was indexed')
    await expect(store.countLevels('INBOX', rules, 0)).rejects.toThrow('before it was indexed')
    await expect(store.find('INBOX', { criteria: { subject: 'x' }, take: 1 })).rejects.toThrow('before it was indexed')
  })

  test('the index of what comes in many pieces is in few places, before it is tidied and afterwards', async () => {
    const uids = Array.from({ length: 600 }, (_, index) => 600 - index)
    await store.remake('INBOX', { ...STATE, uidNext: 601, messages: 600 })
    await store.fill(
      'INBOX',
      uids.map((uid) => row(uid)),
      1,
    )
    for (const uid of uids) await store.index('INBOX', [text(uid, `word${uid}`)], 'full', undefined)
    const places = (): unknown => {
      const reader = new Sqlite(path, { readonly: true })
      try {
        return reader.prepare('select count(distinct segid) from words_idx').pluck().get()
      } finally {
        reader.close()
      }
    }
    expect(places()).toBeLessThan(200)
    expect(await found('word3', 'INBOX')).toEqual([3])
    await store.tidy()
    expect(places()).toBe(1)
    expect(await found('word599', 'INBOX')).toEqual([599])
  })

  test('a change is all of it: gone, arrived, flagged, and the state it leads to', async () => {
    await filled('INBOX')
    const state = { uidvalidity: 7, uidNext: 12, messages: 3 }
    const flags = [{ uid: 3, flags: ['\\Flagged', 'Work'] }]
    await store.apply('INBOX', { state, flags, gone: [2, 77], arrived: [row(11, 'news')] })
    expect(await store.folder('INBOX')).toMatchObject({ state, kept: 3, indexed: 2, depth: 'full' })
    await store.index('INBOX', [text(11)], 'full', undefined)
    expect(await found('secret', 'INBOX')).toEqual([])
    expect(await found('news', 'INBOX')).toEqual([11])
    const flagged = await store.sift(['INBOX'], asking({ kind: 'flag', flag: 'WORK' }))
    expect(flagged.rows.map(({ uid }) => uid)).toEqual([3])
    const [traits] = await store.traits({ mailbox: 'INBOX', uidvalidity: 7 }, [3], ['subject'])
    expect(traits).toEqual({
      uid: 3,
      received: 1003,
      size: 5,
      flags: ['\\Flagged', 'Work'],
      header: [{ name: 'Subject', value: 'hello' }],
      headerCut: false,
      structure: plain,
    })
  })

  test('rows come in the order asked for, those that are there, of the folder that was seen', async () => {
    await filled('INBOX')
    const summaries = await store.summaries({ mailbox: 'INBOX', uidvalidity: 0 }, [1, 9, 3])
    expect(summaries.map(({ uid }) => uid)).toEqual([1, 3])
    expect(await store.snippets({ mailbox: 'INBOX', uidvalidity: 7 }, [1, 2])).toEqual(new Map([[2, 'secret words']]))
    await expect(store.summaries({ mailbox: 'INBOX', uidvalidity: 8 }, [1])).rejects.toMatchObject({ code: 'conflict' })
    await expect(store.uids('Nowhere')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a message that is indexed again is found by its new words alone', async () => {
    await filled('INBOX')
    await store.index('INBOX', [text(2, 'other things')], 'full', undefined)
    expect(await found('secret', 'INBOX')).toEqual([])
    expect(await found('other', 'INBOX')).toEqual([2])
    expect(await store.folder('INBOX')).toMatchObject({ kept: 3, indexed: 3 })
    await store.index('INBOX', [text(2, 'other things')], 'headers', undefined)
    expect(await found('other', 'INBOX')).toEqual([])
    expect(await store.folder('INBOX')).toMatchObject({ depth: 'headers' })
  })

  test('how many match is of this moment, whoever has written, and whatever was asked before', async () => {
    await filled('INBOX')
    const other = createMirrorStore({ path, clock: { now: () => 42 }, locks: fileLocks, databases: databaseFiles })
    const unseen: Query = { kind: 'not', of: { kind: 'flag', flag: '\\Seen' } }
    const counted = (query: Query) =>
      Promise.all([store, other].map(async (one) => (await one.sift(['INBOX'], asking(query))).matched))
    const since = (received: number): Query => ({ kind: 'received', from: received, before: 2000 })
    expect([await counted(unseen), await counted(word('secret'))]).toEqual([
      [0, 0],
      [1, 1],
    ])
    expect([await counted(since(1001)), await counted(since(1003))]).toEqual([
      [3, 3],
      [1, 1],
    ])
    const none = { state: STATE, gone: [], arrived: [] }
    await store.apply('INBOX', { ...none, flags: [1, 3].map((uid) => ({ uid, flags: [] })) })
    expect(await counted(unseen)).toEqual([2, 2])
    await store.apply('INBOX', { ...none, gone: [2, 3], flags: [] })
    expect([await counted(unseen), await counted(word('secret'))]).toEqual([
      [1, 1],
      [0, 0],
    ])
    await other.close()
  })

  test('a folder that is remade or dropped leaves nothing that can be found', async () => {
    await filled('INBOX', 'unheard')
    await filled('Other', 'unheard')
    await store.remake('INBOX', { ...STATE, messages: 0, uidvalidity: 8 })
    expect(await found('unheard', 'INBOX', 'Other')).toEqual([3, 2, 1])
    await store.drop(['Other', 'Nowhere'])
    expect(await store.folders()).toMatchObject([{ mailbox: 'INBOX', kept: 0, indexed: 0 }])
    expect(await found('unheard', 'INBOX')).toEqual([])
    await store.tidy()
    await store.close()
    const db = new Sqlite(path)
    for (const table of ['message', 'content', 'folded', 'words', 'sender_set', 'recipient_set', 'subject_set']) {
      expect(db.prepare(`select count(*) as many from ${table}`).get(), table).toEqual({ many: 0 })
    }
    db.exec("create virtual table vocabulary using fts5vocab('words', 'row')")
    expect(db.prepare('select count(*) as many from vocabulary').get()).toEqual({ many: 0 })
    db.close()
  })

  test('a message of the same key as one that is gone is judged anew', async () => {
    const rules = {
      path: 'INBOX',
      mode: 'whitelist',
      default: 'NONE',
      rules: [{ match: { subject_contains: 'OPEN' }, level: 'FULL' }],
      capabilities: [],
    } as const
    await filled('INBOX', 'open')
    expect(await store.countLevels('INBOX', rules, 0)).toEqual(new Map([['FULL', 3]]))
    await filled('INBOX', 'shut')
    expect(await store.countLevels('INBOX', rules, 0)).toEqual(new Map([['NONE', 3]]))
  })

  test('messages of one second whose uids end alike are all kept, in one order', async () => {
    const same = [1, 1 + 2 ** 23, 1 + 2 ** 24].map((uid) => ({ ...row(1), uid }))
    await store.remake('INBOX', STATE)
    await store.fill('INBOX', same, 1)
    const { uids } = await store.find('INBOX', { criteria: {}, take: 9 })
    expect([...uids].sort((a, b) => a - b)).toEqual(same.map(({ uid }) => uid))
  })

  test.each([
    ['of one second', 7, 1000],
    ['that are the last of their second', 0, 1000],
    ['from before all time', 0, 0],
  ])(
    'hundreds of messages whose uids end alike, %s, are all found, page by page and by day',
    async (_what, end, day) => {
      const received = day * 86_400
      const twins = Array.from({ length: 400 }, (_, index) => ({
        ...row(1),
        uid: end + (index + 1) * 2 ** 23,
        received,
      }))
      const others = [2, 3, 4].map((uid) => ({ ...row(uid), received }))
      await store.remake('INBOX', { ...STATE, uidNext: 2 ** 32 - 1 })
      await store.fill('INBOX', [...twins, ...others], 1)
      const seen: number[] = []
      for (let more = true; more && seen.length <= 403; ) {
        const uid = seen.at(-1)
        const page = await store.find('INBOX', { criteria: {}, take: 30, ...(uid && { after: { received, uid } }) })
        seen.push(...page.uids)
        more = page.more
      }
      const all = [...others, ...twins].map(({ uid }) => uid)
      expect(seen.toSorted((a, b) => a - b)).toEqual(all)
      await store.index(
        'INBOX',
        all.map((uid) => text(uid)),
        'full',
        undefined,
      )
      const thatSecond: Query = { kind: 'received', from: received, before: received + 1 }
      expect(await store.sift(['INBOX'], asking(thatSecond))).toMatchObject({ visible: all.length })
      const rest = { ...asking(thatSecond), after: { received, uid: seen.at(-3) ?? 0 } }
      expect((await store.sift(['INBOX'], rest)).rows.map(({ uid }) => uid)).toEqual(seen.slice(-2))
    },
  )

  test('many at once are kept like one by one, whichever are there already or have a key that is taken', async () => {
    const rows = Array.from({ length: 230 }, (_, index) => row(index + 1, `number ${index + 1}`))
    const twin = { ...row(60, 'twin'), uid: 60 + 2 ** 23 }
    await store.remake('INBOX', STATE)
    await store.fill('INBOX', [row(7, 'first'), row(120, 'first')], 1)
    await store.fill('INBOX', [...rows, twin, ...rows.slice(0, 60)], 1)
    expect(await store.folder('INBOX')).toMatchObject({ kept: 231 })
    const uids = await store.uids('INBOX')
    expect([...uids].sort((a, b) => a - b)).toEqual([...rows, twin].map(({ uid }) => uid))
    const db = new Sqlite(path)
    const subjects = db
      .prepare('select uid, cast(header as text) as header from message join content using (key) order by uid')
      .all() as { uid: number; header: string }[]
    expect(db.prepare('select count(*) as many from content').get()).toEqual({ many: 231 })
    db.close()
    const subjectOf = (uid: number): string => ([7, 120].includes(uid) ? 'first' : uid > 230 ? 'twin' : `number ${uid}`)
    for (const { uid, header } of subjects) expect(header).toContain(`Subject: ${subjectOf(uid)}\r\n`)
  })

  test('a thread is its messages in all folders, newest first', async () => {
    const answer = { ...row(5), header: new TextEncoder().encode('References: <1@x>\r\nMessage-ID: <5@x>\r\n') }
    await filled('INBOX')
    await store.remake('Other', STATE)
    await store.fill('Other', [answer], 1)
    await store.index('Other', [text(5)], 'headers', undefined)
    const db = new Sqlite(path)
    const { thread } = db.prepare('select thread from message where uid = 5').get() as { thread: string }
    db.close()
    expect(await store.thread(thread)).toEqual([
      { mailbox: 'Other', uid: 5 },
      { mailbox: 'INBOX', uid: 1 },
    ])
  })
})

describe('the file', () => {
  test('is its owner’s alone, and forgetting it leaves none', async () => {
    await store.lease()
    await filled('INBOX')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    await store.forget()
    expect(() => statSync(path)).toThrow()
    expect(() => statSync(`${path}-wal`)).toThrow()
    expect(await store.folders()).toEqual([])
  })

  test('of a newer version is refused by whoever opens it, with what to do', async () => {
    await store.folders()
    await store.close()
    const db = new Sqlite(path)
    db.pragma('user_version = 1000')
    db.close()
    const bytes = readFileSync(path)
    store = createMirrorStore({ path, clock: { now: () => 1 }, locks: fileLocks, databases: databaseFiles })
    const refused = { code: 'unsupported', details: { reason: 'schema' }, message: expect.stringContaining('upgrade') }
    await expect(store.folders()).rejects.toMatchObject(refused)
    await expect(store.lease()).rejects.toMatchObject(refused)
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  test('of an older version is brought up by a writer and refused to a reader', () => {
    const scripts = ['create table first (a)', 'create table second (a)']
    const open = (known: number): DatabaseFile =>
      databaseFiles.file(path, { ...MIRROR_FILE, scripts: scripts.slice(0, known) })
    const version = (file: DatabaseFile): number | undefined =>
      file.get<{ user_version: number }>('pragma user_version')?.user_version
    const first = open(1)
    first.write(() => expect(version(first)).toBe(1))
    first.close()
    const reader = open(2)
    expect(() => version(reader)).toThrow('run postern sync')
    reader.write(() => expect(version(reader)).toBe(2))
    expect(reader.get('select count(*) as many from second')).toEqual({ many: 0 })
    reader.close()
  })

  test('that the first version wrote is brought up with all that is in it', async () => {
    const first: DatabaseFiles = {
      file: (place, kind) => databaseFiles.file(place, { ...kind, scripts: kind.scripts.slice(0, 1) }),
    }
    await store.close()
    store = createMirrorStore({ path, clock: { now: () => 42 }, locks: fileLocks, databases: first })
    await store.lease()
    await filled('INBOX')
    const known = await store.folders()
    await store.close()
    store = createMirrorStore({ path, clock: { now: () => 42 }, locks: fileLocks, databases: databaseFiles })
    await expect(store.folders()).rejects.toMatchObject({ details: { reason: 'schema' } })
    await store.lease()
    await store.fill('INBOX', [row(3, 'again'), row(2)], 1)
    expect(await store.folders()).toEqual(known)
    expect(await store.uids('INBOX')).toEqual([1, 2, 3])
    expect(await found('secret', 'INBOX')).toEqual([2])
  })

  test('of the version that read less of messages has those indexed again', async () => {
    const older: DatabaseFiles = {
      file: (place, kind) => databaseFiles.file(place, { ...kind, scripts: kind.scripts.slice(0, 3) }),
    }
    const { header } = row(1)
    const part = (type: string, size: number, ...children: Part[]): Part => ({ ...plain, type, size, children })
    const mixed = (...children: Part[]): Part => part('multipart/mixed', 0, ...children)
    const versions = part('multipart/alternative', 0, plain, part('text/html', 60_000))
    const structures = new Map<number, Part>([
      [1, plain],
      [2, part('text/html', 65_537)],
      [3, mixed(versions, part('image/png', 100_000))],
      [4, mixed(plain, part('text/html', 10))],
      [5, mixed(part('image/png', 1), mixed(versions, plain))],
    ])
    const rows = [...structures].map(([uid, structure]) => ({ ...row(uid), structure }))
    const eightBit = { ...row(6), header: Buffer.concat([header, Buffer.from('To: \xd6\xd0\r\n', 'latin1')]) }
    await store.close()
    store = createMirrorStore({ path, clock: { now: () => 42 }, locks: fileLocks, databases: older })
    await store.lease()
    await store.remake('INBOX', { ...STATE, messages: 6 })
    await store.fill('INBOX', [eightBit, ...rows.toReversed()], 1)
    const texts = [6, 5, 4, 3, 2, 1].map((uid) => text(uid, 'secret words'))
    await store.index('INBOX', texts, 'full', undefined)
    await store.close()
    store = createMirrorStore({ path, clock: { now: () => 42 }, locks: fileLocks, databases: databaseFiles })
    await store.lease()
    const again = await store.unread('INBOX', 10)
    // The third has an HTML part, whose text a later version judges otherwise.
    expect(again.map(({ uid }) => uid)).toEqual([6, 5, 4, 3, 2])
    expect(await store.folder('INBOX')).toMatchObject({ kept: 6, indexed: 1 })
    await store.index(
      'INBOX',
      [{ ...text(2, 'other words'), partial: true }, text(3, 'secret words'), text(4), text(5), text(6)],
      'full',
      undefined,
    )
    expect(await found('secret', 'INBOX')).toEqual([3, 1])
    expect(await found('other', 'INBOX')).toEqual([2])
    expect(await store.partial({ mailbox: 'INBOX', uidvalidity: 7 })).toEqual([2])
  })

  test('of the version before uncertain text has pages and documents indexed again', async () => {
    const older: DatabaseFiles = {
      file: (place, kind) => databaseFiles.file(place, { ...kind, scripts: kind.scripts.slice(0, 4) }),
    }
    const part = (type: string, ...children: Part[]): Part => ({ ...plain, type, children })
    const structures = [
      plain,
      part('text/html'),
      part('multipart/alternative', plain, part('text/html')),
      part('multipart/mixed', plain, part('application/pdf')),
      part('multipart/mixed', plain, part('image/png')),
    ]
    const rows = structures.map((structure, at) => ({ ...row(at + 1), structure }))
    await store.close()
    store = createMirrorStore({ path, clock: { now: () => 42 }, locks: fileLocks, databases: older })
    await store.lease()
    await store.remake('INBOX', { ...STATE, messages: 5 })
    await store.fill('INBOX', rows.toReversed(), 1)
    await store.index(
      'INBOX',
      [5, 4, 3, 2, 1].map((uid) => text(uid)),
      'full',
      undefined,
    )
    await store.close()
    store = createMirrorStore({ path, clock: { now: () => 42 }, locks: fileLocks, databases: databaseFiles })
    await store.lease()
    expect((await store.unread('INBOX', 10)).map(({ uid }) => uid)).toEqual([4, 3, 2])
    await store.index('INBOX', [{ ...text(2, 'seen'), uncertain: 'maybe' }, text(3), text(4)], 'full', undefined)
    const asked = async (query: string) => (await store.sift(['INBOX'], asking(parseQuery(query, 0)))).rows
    expect(await asked('maybe')).toEqual([])
    expect(await asked('has:uncertain maybe')).toMatchObject([{ uid: 2 }])
    await store.index('INBOX', [text(2, 'seen')], 'full', undefined)
    expect(await asked('has:uncertain')).toEqual([])
  })

  test('is brought up only once nobody who knows an older version is writing it', async () => {
    const older: DatabaseFiles = {
      file: (place, kind) => databaseFiles.file(place, { ...kind, scripts: kind.scripts.slice(0, -1) }),
    }
    const old = createMirrorStore({ path, clock: { now: () => 42 }, locks: fileLocks, databases: older })
    onTestFinished(() => old.close())
    expect(await old.lease()).toBeDefined()
    await old.remake('INBOX', STATE)
    expect(await store.lease()).toBeUndefined()
    expect(versionOf()).toBe(MIRROR_FILE.scripts.length - 1)
    await old.fill('INBOX', [row(3)], 1)
    await old.close()
    expect(await store.lease()).toBeDefined()
    expect(versionOf()).toBe(MIRROR_FILE.scripts.length)
    expect(await store.uids('INBOX')).toEqual([3])
  })

  test('that a newer version has brought up while it was open is written no more', async () => {
    const lease = await store.lease()
    await lease?.release()
    versionOf(1000)
    const refused = { code: 'unsupported', details: { reason: 'schema' }, message: expect.stringContaining('upgrade') }
    await expect(store.lease()).rejects.toMatchObject(refused)
    await expect(store.remake('INBOX', STATE)).rejects.toThrow('without its lease')
  })

  test('older by its number is refused to a reader, with what to run', async () => {
    await store.folders()
    await store.close()
    const db = new Sqlite(path)
    db.pragma('user_version = 0')
    db.close()
    store = createMirrorStore({ path, clock: { now: () => 1 }, locks: fileLocks, databases: databaseFiles })
    const refused = { code: 'unsupported', details: { reason: 'schema' }, message: expect.stringContaining('sync') }
    await expect(store.folders()).rejects.toMatchObject(refused)
  })

  test.each([
    ['that is damaged', () => writeFileSync(path, 'rubbish '.repeat(1000))],
    ['of a newer version', () => void versionOf(1000)],
  ])('%s can be forgotten, as whoever finds it is told', async (_what, spoil) => {
    await store.lease()
    await store.close()
    spoil()
    store = createMirrorStore({ path, clock: { now: () => 1 }, locks: fileLocks, databases: databaseFiles })
    await expect(store.lease()).rejects.toThrow('postern forget')
    expect(await forgetAccount(store, 'work')).toEqual({})
    expect(await store.folders()).toEqual([])
  })

  test('that somebody is writing is not forgotten', async () => {
    const other = createMirrorStore({ path, clock: { now: () => 1 }, locks: fileLocks, databases: databaseFiles })
    onTestFinished(() => other.close())
    await other.lease()
    await other.remake('INBOX', STATE)
    await expect(forgetAccount(store, 'work')).rejects.toMatchObject({ code: 'conflict' })
    expect(await store.folders()).toHaveLength(1)
    await other.close()
    expect(await forgetAccount(store, 'work')).toEqual({ folders: 1, messages: 0 })
  })

  test('that is none of ours is left as it is', async () => {
    mkdirSync(dirname(path))
    writeFileSync(path, 'something else entirely, and long enough to be looked at as if it were a database'.repeat(20))
    await expect(store.folders()).rejects.toMatchObject({ code: 'unreadable' })
    rmSync(path)
    const db = new Sqlite(path)
    db.exec('create table theirs (a)')
    db.close()
    await expect(store.lease()).rejects.toMatchObject({ code: 'unreadable' })
  })

  test('has a name that tells accounts apart and holds nothing odd', () => {
    expect(mirrorPath('d', 'work')).toMatch(/^d[/\\]work-[0-9a-f]{12}\.db$/)
    expect(mirrorPath('d', 'a/../b')).toMatch(/^d[/\\]a____b-[0-9a-f]{12}\.db$/)
    expect(mirrorPath('d', 'a/b')).not.toBe(mirrorPath('d', 'a_b'))
  })
})

function versionOf(version?: number): unknown {
  const db = new Sqlite(path)
  try {
    if (version !== undefined) db.pragma(`user_version = ${version}`)
    return db.pragma('user_version', { simple: true })
  } finally {
    db.close()
  }
}

test('what is closed says so', async () => {
  await store.close()
  await expect(store.folders()).rejects.toMatchObject({ code: 'unavailable' })
})
