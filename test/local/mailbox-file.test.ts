/** The local mailbox as a file: who may read it, which versions open it, what several processes do to it at once. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { LocalMailbox } from '../../src/ports/local-mailbox.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'

const never = new AbortController().signal
const letter = (subject: string): Buffer => Buffer.from(`Subject: ${subject}\r\n\r\nText of ${subject}.\r\n`)
let directory = ''
let count = 0
const opened: MailSource[] = []

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'postern-file-'))
})
afterAll(async () => {
  await Promise.all(opened.map((source) => source.close()))
  rmSync(directory, { recursive: true })
})

function freshPath(): string {
  count += 1
  return join(directory, `box-${count}`, 'mail.db')
}

function open(path: string, account = 'me'): MailSource & LocalMailbox {
  const source = createLocalSource({ path, account, databases: databaseFiles })
  opened.push(source)
  return source
}

async function inbox(source: MailSource, criteria = {}) {
  return source.find('INBOX', { criteria, take: 50 }, never)
}

describe('the file', () => {
  test('and its directory are readable by their owner alone', async () => {
    const path = freshPath()
    await open(path).append('INBOX', { bytes: letter('private'), flags: [] }, never)
    const mode = (file: string): number => statSync(file).mode & 0o777
    expect([mode(path), mode(`${path}-wal`), mode(join(path, '..'))]).toEqual([0o600, 0o600, 0o700])
  })

  test('keeps what was stored when it is opened again, and its uids go on', async () => {
    const path = freshPath()
    const first = open(path)
    const before = await first.append('INBOX', { bytes: letter('one'), flags: ['\\Flagged'] }, never)
    await first.close()
    const after = await open(path).append('INBOX', { bytes: letter('two'), flags: [] }, never)
    expect(after).toEqual({ uidvalidity: before?.uidvalidity, uid: (before?.uid ?? 0) + 1 })
  })

  test('of the version that kept fewer words lets messages be found that may hold any', async () => {
    const path = freshPath()
    const first = open(path)
    for (const words of ['short', 'long '.repeat(60_000)]) {
      await first.append('INBOX', { bytes: Buffer.from(`Subject: x\r\n\r\n${words}\r\n`), flags: [] }, never)
    }
    await first.close()
    const db = new Sqlite(path)
    db.exec('alter table search_text drop column cut')
    db.pragma('user_version = 1')
    db.close()
    const search = { criteria: {}, key: { kind: 'body', contains: 'elsewhere' }, take: 9 } as const
    expect((await open(path).find('INBOX', search, never)).uids).toEqual([2])
  })

  test('is not touched when it was written by a newer version', async () => {
    const path = freshPath()
    await open(path).probe(never)
    await opened.at(-1)?.close()
    const db = new Sqlite(path)
    db.pragma('user_version = 99')
    db.close()
    await expect(open(path).probe(never)).rejects.toMatchObject({
      name: 'Failure',
      code: 'unsupported',
      message: expect.stringContaining('newer version'),
    })
    expect(new Sqlite(path, { readonly: true }).pragma('user_version', { simple: true })).toBe(99)
  })

  test.each([
    ['no database', Buffer.from('this is a letter, not a database, and long enough to be looked at. '.repeat(40))],
    ['the database of another program', otherDatabase()],
  ])('that is %s is refused and left as it is', async (_what, bytes) => {
    const path = join(directory, `foreign-${bytes.length}.db`)
    writeFileSync(path, bytes)
    await expect(open(path).probe(never)).rejects.toMatchObject({ name: 'Failure', code: 'unreadable' })
    expect(readFileSync(path).includes(bytes.subarray(100, 200))).toBe(true)
  })

  test('that cannot be made is unavailable', async () => {
    await expect(open('/dev/null/mail.db').probe(never)).rejects.toMatchObject({ name: 'Failure', code: 'unavailable' })
  })

  test('answers no call after it was closed', async () => {
    const source = open(freshPath())
    await source.close()
    await expect(source.probe(never)).rejects.toMatchObject({ name: 'Failure', code: 'unavailable' })
  })

  test('holds nothing any more of a message that was expunged', async () => {
    const path = freshPath()
    const source = open(path)
    const placed = await source.append('INBOX', { bytes: letter('xyzzy-plugh'), flags: ['\\Deleted'] }, never)
    const at = { mailbox: 'INBOX', uidvalidity: placed?.uidvalidity ?? 0 }
    await source.expunge(at, placed?.uid ?? 0, never)
    await source.close()
    expect(readFileSync(path).includes('xyzzy-plugh')).toBe(false)
  })
})

describe('mailboxes', () => {
  test('are listed with their roles, and names that only hold others cannot be selected', async () => {
    const source = open(freshPath())
    await source.createMailbox('Projects/Atlas/2024')
    await source.createMailbox('Sent', 'sent')
    await source.createMailbox('Projects/Atlas')
    const listed = await source.mailboxes(never)
    expect(listed.map(({ name, role, selectable }) => [name, role, selectable])).toEqual([
      ['INBOX', undefined, true],
      ['Projects', undefined, false],
      ['Projects/Atlas', undefined, true],
      ['Projects/Atlas/2024', undefined, true],
      ['Sent', 'sent', true],
    ])
  })

  test('of two accounts in one file are apart', async () => {
    const path = freshPath()
    const [mine, yours] = [open(path, 'mine'), open(path, 'yours')]
    await mine.append('INBOX', { bytes: letter('mine'), flags: [] }, never)
    expect((await inbox(yours)).total).toBe(0)
    expect((await inbox(mine)).uidvalidity).not.toBe((await inbox(yours)).uidvalidity)
  })

  test.each(['', '/a', 'a/', 'a//b', 'x'.repeat(1001), 'a\nb'])('cannot be called %j', async (name) => {
    await expect(open(freshPath()).createMailbox(name)).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

describe('uids', () => {
  test('are never given out twice, not even when the newest message is gone', async () => {
    const source = open(freshPath())
    const first = await source.append('INBOX', { bytes: letter('first'), flags: ['\\Deleted'] }, never)
    await source.expunge({ mailbox: 'INBOX', uidvalidity: first?.uidvalidity ?? 0 }, first?.uid ?? 0, never)
    const second = await source.append('INBOX', { bytes: letter('second'), flags: [] }, never)
    expect(second?.uid).toBe((first?.uid ?? 0) + 1)
    expect((await inbox(source)).uidNext).toBe((second?.uid ?? 0) + 1)
  })
})

describe('bytes', () => {
  test('of a message of many chunks come back whole and in pieces', async () => {
    const source = open(freshPath())
    const body = Buffer.alloc(300_000, 'abcdefghijklmnopqrstuvwxyz\r\n')
    const bytes = Buffer.concat([Buffer.from('Subject: long\r\n\r\n'), body])
    const placed = await source.append('INBOX', { bytes, flags: [] }, never)
    const at = { mailbox: 'INBOX', uidvalidity: placed?.uidvalidity ?? 0 }
    const uid = placed?.uid ?? 0
    expect(Buffer.from((await source.raw(at, uid, 1e9, never)).bytes).equals(bytes)).toBe(true)
    expect((await source.raw(at, uid, 65_537, never)).bytes.length).toBe(65_537)
    const [part] = await source.parts(at, uid, [{ id: '1', maxBytes: 200_000 }], never)
    expect(Buffer.from(part?.bytes ?? []).equals(body.subarray(0, 200_000))).toBe(true)
    const [summary] = await source.summaries(at, [uid], 100_000, never)
    expect(Buffer.from(summary?.bodyStart ?? []).equals(body.subarray(0, 100_000))).toBe(true)
  })

  test('that are the same are kept once, until the last message with them is gone', async () => {
    const path = freshPath()
    const source = open(path)
    await source.createMailbox('Copies')
    const placed = await source.append('INBOX', { bytes: letter('same'), flags: ['\\Deleted'] }, never)
    const at = { mailbox: 'INBOX', uidvalidity: placed?.uidvalidity ?? 0 }
    const copy = await source.copy(at, placed?.uid ?? 0, 'Copies', never)
    const contents = (): unknown =>
      new Sqlite(path, { readonly: true }).prepare('select count(*) from content').pluck().get()
    expect(contents()).toBe(1)
    await source.expunge(at, placed?.uid ?? 0, never)
    const there = { mailbox: 'Copies', uidvalidity: copy?.uidvalidity ?? 0 }
    expect((await source.raw(there, copy?.uid ?? 0, 1000, never)).size).toBe(letter('same').length)
    await source.expunge(there, copy?.uid ?? 0, never)
    expect(contents()).toBe(0)
  })

  test('of no length are refused', async () => {
    const empty = { bytes: new Uint8Array(), flags: [] }
    await expect(open(freshPath()).append('INBOX', empty, never)).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

describe('search', () => {
  test('of more than 20,000 matches gives their number alone', async () => {
    const source = open(freshPath())
    const bytes = letter('the same every day')
    const batch = Array.from({ length: 20_001 }, (_, at) => ({
      mailbox: 'INBOX',
      bytes,
      flags: at === 0 ? ['\\Seen'] : [],
      received: at,
    }))
    await source.appendMany(batch, undefined, never)
    expect(await inbox(source, { text: 'every day' })).toMatchObject({ total: 20_001, uids: [] })
    expect(await inbox(source, { unread: true })).toMatchObject({ total: 20_000, more: true })
    expect((await inbox(source, { unread: true })).uids.length).toBe(50)
  })

  test('stops when nobody waits for it any more', async () => {
    const source = open(freshPath())
    const batch = Array.from({ length: 3000 }, (_, at) => ({
      mailbox: 'INBOX',
      bytes: letter(`number ${at}`),
      flags: [],
    }))
    await source.appendMany(batch, undefined, never)
    const stopping = new AbortController()
    const search = source.find('INBOX', { criteria: { text: 'number' }, take: 5 }, stopping.signal)
    stopping.abort(new DOMException('too slow', 'TimeoutError'))
    await expect(search).rejects.toMatchObject({ code: 'timeout' })
  })
})

describe('filling in bulk', () => {
  test('leaves out what is there under the same key, in that mailbox alone', async () => {
    const source = open(freshPath())
    const one = { mailbox: 'INBOX', bytes: letter('one'), flags: [], key: 'k1' }
    const first = await source.appendMany([one, one, { ...one, mailbox: 'Other' }], undefined, never)
    expect(first.added).toEqual([true, false, true])
    const second = await source.appendMany([one, { ...one, key: 'k2' }], undefined, never)
    expect(second.added).toEqual([false, true])
  })

  test('is all or nothing, bookmark and all', async () => {
    const source = open(freshPath())
    const good = { mailbox: 'INBOX', bytes: letter('good'), flags: [] }
    await source.appendMany([good], { source: 's', position: '1' }, never)
    const bad = { mailbox: 'INBOX', bytes: letter('bad'), flags: ['not a flag'] }
    await expect(source.appendMany([good, bad], { source: 's', position: '2' }, never)).rejects.toMatchObject({
      code: 'invalid_input',
    })
    expect((await inbox(source)).total).toBe(1)
    expect(await source.bookmark('s')).toBe('1')
    await source.forgetBookmark('s')
    expect(await source.bookmark('s')).toBeUndefined()
  })
})

test('several processes open and fill a new file at once, and no message and no uid is lost', async () => {
  const path = freshPath()
  const script = join(import.meta.dirname, 'append-many.ts')
  const children = Array.from({ length: 4 }, (_, at) => fork(script, [path, String(at), '25'], { execArgv: [] }))
  const codes = await Promise.all(children.map(exitCode))
  expect(codes).toEqual([0, 0, 0, 0])
  const found = await open(path).find('INBOX', { criteria: {}, take: 1000 }, never)
  expect(found.total).toBe(100)
  expect([...found.uids].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1))
})

test('a write waits for the write of another process, and other calls are answered meanwhile', async () => {
  const path = freshPath()
  const source = open(path)
  await source.append('INBOX', { bytes: letter('first'), flags: [] }, never)
  const other = new Sqlite(path)
  other.exec('begin immediate')
  const order: string[] = []
  const writing = source
    .append('INBOX', { bytes: letter('second'), flags: [] }, never)
    .then(() => order.push('written'))
  order.push(`read ${(await inbox(source)).total}`)
  await new Promise((resolve) => setTimeout(resolve, 300))
  order.push('released')
  other.exec('commit')
  await writing
  other.close()
  expect(order).toEqual(['read 1', 'released', 'written'])
})

test('a write that waits stops when nobody wants it any more', async () => {
  const path = freshPath()
  const source = open(path)
  await source.probe(never)
  const other = new Sqlite(path)
  other.exec('begin immediate')
  const stopping = new AbortController()
  const writing = source.append('INBOX', { bytes: letter('never'), flags: [] }, stopping.signal)
  setTimeout(() => stopping.abort(), 50)
  await expect(writing).rejects.toMatchObject({ code: 'cancelled' })
  other.close()
  expect((await inbox(source)).total).toBe(0)
})

async function exitCode(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, 'exit')
  return code
}

function otherDatabase(): Buffer {
  const db = new Sqlite(':memory:')
  db.exec("create table invoices (id integer primary key, text text); insert into invoices (text) values ('mine')")
  const bytes = db.serialize()
  db.close()
  return bytes
}
