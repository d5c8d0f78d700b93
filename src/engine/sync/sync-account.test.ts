import { expect, test } from 'vitest'
import { MemoryFile, MemoryMirror, MemoryServer, memoryParts } from '../../../test/mirror/memory.ts'
import { Failure } from '../../core/failure.ts'
import type { MailFeed } from '../../ports/mail-feed.ts'
import type { SyncReport } from './full-sync.ts'
import { AccountSync } from './sync-account.ts'

const never = new AbortController().signal
const quiet = (): void => undefined

function scene(more: Parameters<typeof memoryParts>[2] = {}) {
  const server = new MemoryServer()
  const mirror = new MemoryMirror()
  const sync = new AccountSync(memoryParts(server, mirror, more))
  return { server, mirror, sync }
}

function done(report: SyncReport) {
  if (report.kind !== 'done') throw new Error('somebody else was at it')
  return report
}

test('what people look for first comes first, and all of it is there before any of it is indexed', async () => {
  const { server, mirror, sync } = scene()
  server.add('Trash', 1, 'trash')
  server.add('Lists', 1)
  server.add('[Gmail]', 0)
  server.add('Sent', 1, 'sent')
  server.add('INBOX', 1)
  const report = done(await sync.syncAll(quiet, never))
  const order = (call: string) => mirror.calls.filter((one) => one.startsWith(call)).map((one) => one.split(' ')[1])
  expect(order('remake')).toEqual(['INBOX', 'Sent', 'Lists', 'Trash'])
  expect(order('index')).toEqual(['INBOX', 'Sent', 'Lists', 'Trash'])
  expect(mirror.calls.findLastIndex((one) => one.startsWith('fill'))).toBeLessThan(mirror.calls.indexOf('index INBOX'))
  expect(report.folders.map(({ mailbox, kept, indexed }) => [mailbox, kept, indexed])).toEqual([
    ['INBOX', 1, 1],
    ['Sent', 1, 1],
    ['Lists', 1, 1],
    ['Trash', 1, 1],
  ])
})

test('a sync that was cut off goes on below what is there', async () => {
  const { server, mirror, sync } = scene()
  server.add('INBOX', 10)
  let rows = 0
  server.before = (call) => {
    if (call.startsWith('rows') && ++rows === 3) throw new Failure('unavailable', 'gone')
  }
  const first = done(await sync.syncAll(quiet, never))
  expect(first.folders[0]?.failure?.code).toBe('unavailable')
  server.before = () => undefined
  server.calls.length = 0
  server.deliver('INBOX', 1)
  server.flag('INBOX', 9, ['\\Seen'])
  server.expunge('INBOX', 10)
  await sync.syncAll(quiet, never)
  expect(server.calls.filter((call) => call.startsWith('rows'))).toEqual([
    'rows INBOX 11',
    'rows INBOX 4 3 2',
    'rows INBOX 1',
  ])
  expect(mirror.contents('INBOX')).toEqual([...[1, 2, 3, 4, 5, 6, 7, 8].map((uid) => `${uid}:`), '9:\\Seen', '11:'])
})

test('what happens while a folder is being filled is in it afterwards', async () => {
  const { server, mirror, sync } = scene()
  server.add('INBOX', 8)
  let rows = 0
  server.before = (call) => {
    if (!call.startsWith('rows') || ++rows !== 2) return
    server.deliver('INBOX', 2)
    server.flag('INBOX', 8, ['\\Flagged'])
    server.expunge('INBOX', 7)
  }
  await sync.syncAll(quiet, never)
  expect(mirror.contents('INBOX')).toEqual([...[1, 2, 3, 4, 5, 6].map((uid) => `${uid}:`), '8:\\Flagged', '9:', '10:'])
})

test('a folder that is another one by now is begun anew, alone', async () => {
  const { server, mirror, sync } = scene()
  server.add('INBOX', 4)
  server.add('Lists', 2)
  await sync.syncAll(quiet, never)
  server.boxes.delete('INBOX')
  server.add('INBOX', 2).uidvalidity = 8
  mirror.calls.length = 0
  await sync.syncAll(quiet, never)
  expect(mirror.calls.filter((call) => call.startsWith('remake'))).toEqual(['remake INBOX'])
  expect(mirror.contents('INBOX')).toEqual(['1:', '2:'])
})

test('one that becomes another one in the middle is begun anew at once', async () => {
  const { server, mirror, sync } = scene()
  server.add('INBOX', 8)
  let rows = 0
  server.before = (call) => {
    if (!call.startsWith('rows') || ++rows !== 2) return
    server.boxes.delete('INBOX')
    server.add('INBOX', 1).uidvalidity = 8
  }
  const report = done(await sync.syncAll(quiet, never))
  expect(report.folders[0]).toMatchObject({ kept: 1, indexed: 1 })
  expect(mirror.contents('INBOX')).toEqual(['1:'])
})

test('a folder that goes is dropped, whenever it goes, and one that fails stops no other', async () => {
  const { server, mirror, sync } = scene()
  for (const name of ['INBOX', 'a', 'b', 'c', 'd']) server.add(name, 1)
  await sync.syncAll(quiet, never)
  server.boxes.delete('a')
  for (const name of ['b', 'c', 'd']) server.deliver(name, 1)
  server.before = (call) => {
    if (call === 'changes b') server.boxes.delete('b')
    if (call === 'changes c') throw new Failure('rejected', 'no')
  }
  const report = done(await sync.syncAll(quiet, never))
  expect(report.dropped).toEqual(['a', 'b'])
  expect(report.folders.map(({ mailbox, failure }) => [mailbox, failure?.code])).toEqual([
    ['INBOX', undefined],
    ['c', 'rejected'],
    ['d', undefined],
  ])
  expect(mirror.contents('d')).toEqual(['1:', '2:'])
})

test('a folder that the server cannot open for the moment is kept, and said', async () => {
  const server = new MemoryServer()
  const mirror = new MemoryMirror()
  let isTroubled = false
  const feed: MailFeed = {
    ...server.feed,
    states: async (names, signal) => (isTroubled ? names.map(() => undefined) : server.feed.states(names, signal)),
    state: async (name, signal) => {
      if (isTroubled && name === 'a') throw new Failure('unavailable', 'not now')
      return server.feed.state(name, signal)
    },
  }
  const sync = new AccountSync(memoryParts(server, mirror, { feed }))
  for (const name of ['INBOX', 'a', 'b']) server.add(name, 2)
  await sync.syncAll(quiet, never)
  isTroubled = true
  server.deliver('INBOX', 1)
  const report = done(await sync.syncAll(quiet, never))
  expect(report.dropped).toEqual([])
  expect(report.folders.map(({ mailbox, kept, failure }) => [mailbox, kept, failure?.code])).toEqual([
    ['INBOX', 3, undefined],
    ['a', 2, 'unavailable'],
    ['b', 2, undefined],
  ])
})

test('nothing new is two round trips for any number of folders, and one for a folder', async () => {
  const { server, sync } = scene()
  for (const name of ['INBOX', 'a', 'b', 'c']) server.add(name, 2)
  await sync.syncAll(quiet, never)
  server.calls.length = 0
  await sync.syncAll(quiet, never)
  expect(server.calls).toEqual(['mailboxes', 'states'])
  server.calls.length = 0
  expect(await sync.freshen('a', never)).toMatchObject({ kept: 2, indexed: 2 })
  expect(server.calls).toEqual(['changes a'])
})

test('many arrivals go to disk in pieces, oldest first, and a cut-off goes on with the piece it was in', async () => {
  const { server, mirror, sync } = scene()
  server.add('INBOX', 1)
  await sync.syncAll(quiet, never)
  server.batch = 500
  server.deliver('INBOX', 7000)
  server.before = (call) => {
    if (call.includes(' 4001 ')) throw new Failure('unavailable', 'gone')
  }
  await sync.syncAll(quiet, never)
  const halfway = await mirror.folder('INBOX')
  expect(halfway?.state.uidNext).toBeGreaterThan(1000)
  server.before = () => undefined
  server.calls.length = 0
  await sync.syncAll(quiet, never)
  const asked = server.calls.filter((call) => call.startsWith('rows')).flatMap((call) => call.split(' ').slice(2))
  expect(Math.min(...asked.map(Number))).toBeGreaterThanOrEqual(halfway?.state.uidNext ?? 0)
  expect(mirror.contents('INBOX')).toHaveLength(7001)
})

test('what a cut-off has left of many arrivals that lie close together is brought up like everything else', async () => {
  const { server, mirror, sync } = scene()
  const box = server.add('INBOX', 1)
  await sync.syncAll(quiet, never)
  server.batch = 500
  box.uidNext += 100_000
  server.deliver('INBOX', 6000)
  const last = box.uidNext - 1
  server.before = (call) => {
    if (call.includes(` ${last - 5500} `)) throw new Failure('unavailable', 'gone')
  }
  await sync.syncAll(quiet, never)
  server.before = () => undefined
  const some = Array.from({ length: 6 }, (_, index) => last - 100 - index * 1000)
  for (const uid of some) server.flag('INBOX', uid, ['\\Seen'])
  for (const uid of some) server.expunge('INBOX', uid - 1)
  await sync.syncAll(quiet, never)
  expect(mirror.contents('INBOX')).toEqual(box.letters.map(({ uid, flags }) => `${uid}:${flags.join(' ')}`))
  expect(Math.max(...mirror.sizes)).toBeLessThanOrEqual(4000)
})

test('another depth is another mirror', async () => {
  const file = new MemoryFile()
  const server = new MemoryServer()
  server.add('INBOX', 2)
  const mirror = new MemoryMirror(file)
  await new AccountSync(memoryParts(server, mirror)).syncAll(quiet, never)
  const full = new AccountSync(
    memoryParts(server, mirror, {
      depth: 'full',
      feed: { ...server.feed, texts: async () => [] },
    }),
  )
  expect(await full.freshen('INBOX', never)).toBeUndefined()
  await full.syncAll(quiet, never)
  expect(await full.freshen('INBOX', never)).toMatchObject({ depth: 'full' })
})

test('what was judged by the word of one server is not what another says', async () => {
  const server = new MemoryServer()
  server.add('INBOX', 2)
  const mirror = new MemoryMirror()
  await new AccountSync(memoryParts(server, mirror, { authservId: 'old.example' })).syncAll(quiet, never)
  const corrected = new AccountSync(memoryParts(server, mirror, { authservId: 'mx.example' }))
  expect(await corrected.freshen('INBOX', never)).toBeUndefined()
  await corrected.syncAll(quiet, never)
  expect(await corrected.freshen('INBOX', never)).toMatchObject({ authservId: 'mx.example', indexed: 2 })
})

test('a sync that is stopped says so and lets others write', async () => {
  const { server, mirror, sync } = scene()
  server.add('INBOX', 10)
  const stopping = new AbortController()
  server.before = (call) => {
    if (call.startsWith('rows')) stopping.abort(new Failure('cancelled', 'enough'))
    if (stopping.signal.aborted) throw new Failure('cancelled', 'enough')
  }
  await expect(sync.syncAll(quiet, stopping.signal)).rejects.toMatchObject({ code: 'cancelled' })
  expect(mirror.file.holder).toBeUndefined()
})
