import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { leaf } from '../../../test/policy/engine/generators.ts'
import type { MessageText, Row } from '../../core/mirror/state.ts'
import type { FolderDefinition } from '../../core/policy/folder.ts'
import type { DatabaseFiles } from '../../ports/database-files.ts'
import type { MirrorStore, Sift } from '../../ports/mirror-store.ts'
import { fileLocks } from '../lock/file-locks.ts'
import { databaseFiles } from '../sqlite/database-files.ts'
import { createMirrorStore } from './store.ts'

const NOW = 2_000_000_000

function newPath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'mirror-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return join(directory, 'a.db')
}

async function opened(path: string, databases: DatabaseFiles = databaseFiles): Promise<MirrorStore> {
  const store = createMirrorStore({ path, clock: { now: () => 1 }, locks: fileLocks, databases })
  onTestFinished(() => store.close())
  await store.lease()
  return store
}

/** From Ann where the uid is odd, else from Bob. */
const row = (uid: number): Row => ({
  uid,
  received: 1_000_000_000 + uid,
  size: 50,
  flags: [],
  header: new TextEncoder().encode(`From: ${uid % 2 === 1 ? 'ann' : 'bob'}@b.example\r\n`),
  headerCut: false,
  structure: leaf,
})
const text = (uid: number): MessageText => ({ uid, body: '', attachments: [], snippet: '' })
const state = (messages: number) => ({ uidvalidity: 7, uidNext: messages + 1, messages })
const still = { state: state(9), flags: [], gone: [], arrived: [] }
const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1)

async function keep(store: MirrorStore, mailbox: string, uids: readonly number[]): Promise<void> {
  await store.remake(mailbox, state(uids.length))
  await store.fill(mailbox, uids.map(row), 1)
  await store.index(mailbox, uids.map(text), 'full', undefined)
}

async function arrive(store: MirrorStore, mailbox: string, uids: readonly number[]): Promise<void> {
  await store.apply(mailbox, { ...still, arrived: uids.map(row) })
  await store.index(mailbox, uids.map(text), 'full', undefined)
}

const onlyFrom = (name: string): FolderDefinition => ({
  path: 'INBOX',
  mode: 'whitelist',
  default: 'NONE',
  rules: [{ match: { from: `${name}@b.example` }, level: 'BODY' }],
  capabilities: [],
})

test('of a folder that is not wholly indexed is counted anew, and not carried on', async () => {
  const store = await opened(newPath())
  const large = async () => (await store.find('INBOX', { criteria: { larger: 10 }, take: 9 })).total
  await store.remake('INBOX', state(3))
  await store.fill('INBOX', [3, 2, 1].map(row), 1)
  expect(await large()).toBe(3)
  await store.apply('INBOX', { ...still, arrived: [4, 5].map(row) })
  expect(await large()).toBe(5)
  await store.index('INBOX', upTo(5).map(text), 'full', undefined)
  expect(await large()).toBe(5)
  await store.apply('INBOX', { ...still, arrived: [row(6)] })
  expect(await large()).toBe(6)
  await store.index('INBOX', [text(6)], 'full', undefined)
  expect(await large()).toBe(6)
})

test('of beginnings of words is carried on, in some folders of several', async () => {
  const store = await opened(newPath())
  const boxes = ['INBOX', 'Archive', 'Other']
  for (const box of boxes) await keep(store, box, upTo(3))
  const query: Sift['query'] = { kind: 'words', field: 'from', pieces: ['a'], open: true }
  const asked = { query, criteria: {}, match: {}, rules: new Map(), nowSeconds: NOW, needed: 'NONE', take: 0 } as const
  const counted = async (...mailboxes: string[]) => (await store.sift(mailboxes, asked)).matched
  expect([await counted('INBOX'), await counted('INBOX', 'Other')]).toEqual([2, 4])
  for (const box of boxes) await arrive(store, box, [4, 5])
  expect([await counted('INBOX'), await counted('INBOX', 'Other')]).toEqual([3, 6])
})

test('after the file was replaced while a search was being prepared, each has its own rules', async () => {
  const path = newPath()
  const store = await opened(path)
  await keep(store, 'INBOX', upTo(6))
  const another = await opened(`${path}.new`)
  await keep(another, 'INBOX', upTo(6))
  await another.close()
  const seen = async (name: string): Promise<readonly number[]> => {
    const rules = new Map([['INBOX', onlyFrom(name)]])
    const asked = { query: { kind: 'all' }, criteria: {}, match: {}, nowSeconds: NOW, needed: 'BODY', take: 9 } as const
    return (await store.sift(['INBOX'], { ...asked, rules })).rows.map(({ uid }) => uid)
  }
  const first = seen('bob')
  await Promise.resolve()
  for (const ending of ['-wal', '-shm', '']) rmSync(path + ending, { force: true })
  renameSync(`${path}.new`, path)
  await store.folder('INBOX')
  expect(await Promise.all([first, seen('ann')])).toEqual([
    [6, 4, 2],
    [5, 3, 1],
  ])
  expect(await seen('ann')).toEqual([5, 3, 1])
})

test('of a file that an older one was copied into is of that one', async () => {
  const path = newPath()
  const store = await opened(path)
  await keep(store, 'INBOX', upTo(4))
  const older = new Sqlite(path)
  await older.backup(`${path}.old`)
  older.close()
  const counted = async () => Object.fromEntries(await store.countLevels('INBOX', onlyFrom('ann'), NOW))
  await arrive(store, 'INBOX', [5, 6, 7])
  expect(await counted()).toEqual({ NONE: 3, BODY: 4 })
  const copy = new Sqlite(`${path}.old`)
  await copy.backup(path)
  copy.close()
  expect(await counted()).toEqual({ NONE: 2, BODY: 2 })
  await arrive(store, 'INBOX', [9])
  expect(await counted()).toEqual({ NONE: 2, BODY: 3 })
})

test('what a disk that failed has undone is worked out again', async () => {
  let isFailing = false
  const store = await opened(newPath(), {
    file(path, kind) {
      const file = databaseFiles.file(path, kind)
      const run = file.run.bind(file)
      file.run = (sql, ...values) => {
        if (isFailing && sql.includes('into temp.')) throw Object.assign(new Error('EIO'), { code: 'SQLITE_IOERR' })
        return run(sql, ...values)
      }
      return file
    },
  })
  await keep(store, 'INBOX', upTo(6))
  const counted = async () => Object.fromEntries(await store.countLevels('INBOX', onlyFrom('ann'), NOW))
  expect(await counted()).toEqual({ NONE: 3, BODY: 3 })
  await store.apply('INBOX', { ...still, gone: [1, 3] })
  await arrive(store, 'INBOX', [7])
  isFailing = true
  await expect(counted()).rejects.toMatchObject({ code: 'unavailable' })
  isFailing = false
  expect(await counted()).toEqual({ NONE: 3, BODY: 2 })
})

test('of those that many have gone from is right, though others have their keys', async () => {
  const store = await opened(newPath())
  await keep(store, 'INBOX', upTo(1200))
  // Keys tell folders apart by the last eight bits of their numbers.
  for (let number = 2; number <= 257; number += 1) await store.remake('Other', state(0))
  const counted = async () => (await store.countLevels('INBOX', onlyFrom('ann'), NOW)).get('BODY')
  expect(await counted()).toBe(600)
  await store.apply('INBOX', { ...still, gone: upTo(1100) })
  await arrive(store, 'Other', [5, 6, 7])
  expect(await counted()).toBe(50)
})

test('a folder that is dropped or made anew leaves nothing of its messages, nor of those it had lost', async () => {
  const path = newPath()
  const store = await opened(path)
  const file = new Sqlite(path, { readonly: true })
  onTestFinished(() => void file.close())
  const noted = () => file.prepare('select count(*) from removed').pluck().get()
  const counted = async (box: string) => (await store.countLevels(box, onlyFrom('ann'), NOW)).get('BODY')
  for (const box of ['INBOX', 'Other']) await keep(store, box, upTo(6))
  for (const gone of [() => store.drop(['Other']), () => store.remake('Other', state(0))]) {
    await keep(store, 'Other', upTo(6))
    expect([await counted('INBOX'), await counted('Other')]).toEqual([3, 3])
    await store.apply('Other', { ...still, gone: [1] })
    expect(noted()).toBe(1)
    await gone()
    expect(noted()).toBe(0)
    expect(await counted('INBOX')).toBe(3)
  }
})
