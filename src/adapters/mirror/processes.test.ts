import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { fileLocks } from '../lock/file-locks.ts'
import { databaseFiles } from '../sqlite/database-files.ts'
import { createMirrorStore } from './store.ts'

const STORE = join(import.meta.dirname, 'store.ts')

/** What every process begins with. */
const OPENING = `
  const { createMirrorStore } = await import(process.argv[1])
  const { fileLocks: locks } = await import(process.argv[1].replace('mirror/store.ts', 'lock/file-locks.ts'))
  const files = process.argv[1].replace('mirror/store.ts', 'sqlite/database-files.ts')
  const { databaseFiles: databases } = await import(files)
  const store = createMirrorStore({ path: process.argv[2], clock: { now: () => 1 }, locks, databases })
  const structure = { id: '1', type: 'text/plain', parameters: {}, encoding: '7bit', size: 1, children: [] }
  const row = (uid) => ({ uid, received: 1000 + uid, size: 1, flags: [], headerCut: false, structure,
    header: new TextEncoder().encode('From: a@b.example\\r\\nSubject: word' + (uid % 10) + ' every\\r\\n') })
  const state = (uidNext) => ({ uidvalidity: 1, uidNext, messages: uidNext - 1 })
`
/** Adds ten messages at a time, and takes the oldest ten away again once there are a hundred. */
const WRITER = `${OPENING}
  if (await store.lease() === undefined) process.exit(3)
  if (await store.folder('INBOX') === undefined) await store.remake('INBOX', state(1))
  console.log('ready')
  let next = (await store.folder('INBOX')).state.uidNext
  for (;;) {
    const unread = await store.unread('INBOX', 100)
    const texts = unread.map(({ uid }) => ({ uid, body: 'body' + uid, attachments: [], snippet: '' }))
    await store.index('INBOX', texts, 'full', undefined)
    const arrived = Array.from({ length: 10 }, (_, at) => row(next + at))
    const gone = arrived.map(({ uid }) => uid - 100).filter((uid) => uid > 0)
    next += 10
    await store.apply('INBOX', { state: state(next), flags: [], gone, arrived })
    console.log(next)
  }
`
/** Looks thirty times, and says when what it saw does not fit together. */
const READER = `${OPENING}
  const query = { kind: 'words', field: 'subject', pieces: ['every'], open: false }
  const asked = { query, criteria: {}, match: {}, rules: new Map(), nowSeconds: 0, needed: 'NONE', take: 200 }
  let looks = 0
  while (looks < 30) {
    const { kept, indexed } = await store.folder('INBOX')
    const uids = await store.uids('INBOX')
    if (uids.length % 10 !== 0 || uids.at(-1) - uids[0] !== uids.length - 1) console.log('a part of a change: ' + uids)
    try {
      const { matched, rows } = await store.sift(['INBOX'], asked)
      if (matched !== rows.length || matched % 10 !== 0) console.log('a part of a search: ' + matched + ' ' + rows.length)
      looks += 1
    } catch (error) {
      if (!/before it was indexed/.test(error.message)) throw error
    }
  }
  await store.close()
  console.log('done')
`

function start(code: string, path: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, STORE, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => said.push(line))
  // A process closes what it writes to before it has ended.
  const ended = Promise.all([once(lines, 'close'), once(child, 'close')])
  const saying = (count: number) => expect.poll(() => said.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(count)
  return { child, said, saying, ended }
}

function newPath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'mirror-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return join(directory, 'a.db')
}

function open(path: string) {
  const store = createMirrorStore({ path, clock: { now: () => 1 }, locks: fileLocks, databases: databaseFiles })
  onTestFinished(() => store.close())
  return store
}

test('of two stores one has the lease; whoever has it may take it again, and gives it back', async () => {
  const path = newPath()
  const [one, other] = [open(path), open(path)]
  const lease = await one.lease()
  expect(lease).toBeDefined()
  expect(await one.lease()).toBeDefined()
  expect(await other.lease()).toBeUndefined()
  const state = { uidvalidity: 1, uidNext: 1, messages: 0 }
  await expect(other.remake('INBOX', state)).rejects.toThrow('without its lease')
  await lease?.release()
  expect(await other.lease()).toBeDefined()
  await expect(one.remake('INBOX', state)).rejects.toThrow('without its lease')
  await other.close()
  expect(await one.lease()).toBeDefined()
})

test('the lease of a process that was killed is free at once, and nothing that it wrote is there by half', async () => {
  const path = newPath()
  for (let round = 0; round < 4; round += 1) {
    const { child, said, saying, ended } = start(WRITER, path)
    await saying(1)
    const store = open(path)
    expect(await store.lease()).toBeUndefined()
    await saying(4 + round * 3)
    child.kill('SIGKILL')
    await ended
    expect(await store.lease()).toBeDefined()
    const folder = await store.folder('INBOX')
    const last = Number(said.at(-1))
    // One change may have been written and not yet told.
    expect([last, last + 10]).toContain(folder?.state.uidNext)
    const uids = await store.uids('INBOX')
    expect(uids.length).toBe(folder?.kept)
    expect(uids.length).toBe(Math.min(100, (folder?.state.uidNext ?? 0) - 1))
    await store.close()
    const db = new Sqlite(path)
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(() => db.exec("insert into words (words) values ('integrity-check')")).not.toThrow()
    const counts = db.prepare(
      `select (select count(*) from message where entered is not null) as indexed, (select count(*) from folded) as folded,
        (select count(*) from words where words match '"every"') as words, (select indexed from folder) as known`,
    )
    const { indexed, ...others } = counts.get() as Record<string, number>
    expect(Object.values(others)).toEqual([indexed, indexed, indexed])
    db.close()
  }
})

test('five processes read while one writes, and each sees whole changes', async () => {
  const path = newPath()
  const writer = start(WRITER, path)
  await writer.saying(12)
  const readers = Array.from({ length: 5 }, () => start(READER, path))
  await Promise.all(readers.map(({ ended }) => ended))
  for (const { said } of readers) expect(said).toEqual(['done'])
  const before = writer.said.length
  await writer.saying(before + 1)
})
