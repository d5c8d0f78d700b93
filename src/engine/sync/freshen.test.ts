import { beforeEach, describe, expect, test } from 'vitest'
import { MemoryFile, MemoryMirror, MemoryServer, memoryParts } from '../../../test/mirror/memory.ts'
import { Failure } from '../../core/failure.ts'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import { AccountSync } from './sync-account.ts'

const never = new AbortController().signal
const quiet = (): void => undefined

let server: MemoryServer
let file: MemoryFile
let mirror: MemoryMirror
let sync: AccountSync

beforeEach(async () => {
  server = new MemoryServer()
  file = new MemoryFile()
  mirror = new MemoryMirror(file)
  sync = new AccountSync(memoryParts(server, mirror))
  server.add('INBOX', 5)
  await sync.syncAll(quiet, never)
})

function otherProcess(): { sync: AccountSync; mirror: MemoryMirror } {
  const other = new MemoryMirror(file)
  return { mirror: other, sync: new AccountSync(memoryParts(server, other)) }
}

test('what others did is there, and indexed', async () => {
  server.deliver('INBOX', 200)
  server.flag('INBOX', 1, ['\\Seen'])
  server.expunge('INBOX', 2)
  expect(await sync.freshen('INBOX', never)).toMatchObject({ kept: 204, indexed: 204 })
  expect(mirror.contents('INBOX').slice(0, 3)).toEqual(['1:\\Seen', '3:', '4:'])
})

test.each([
  ['a folder that is not mirrored', () => server.add('New', 1), 'New'],
  ['too much new mail', () => server.deliver('INBOX', 201), 'INBOX'],
  ['another folder of that name', () => Object.assign(server.boxes.get('INBOX') ?? {}, { uidvalidity: 8 }), 'INBOX'],
  ['one that is not filled', () => Object.assign(file.folders.get('INBOX') ?? {}, { filledDownTo: 3 }), 'INBOX'],
])('%s is left to the server', async (_what, change, mailbox) => {
  change()
  expect(await sync.freshen(mailbox, never)).toBeUndefined()
})

test('a folder that is made anew while it is looked at is left to the server', async () => {
  server.before = () => {
    throw new Failure('conflict', 'another folder')
  }
  expect(await sync.freshen('INBOX', never)).toBeUndefined()
})

test('what a crash left unindexed is indexed on the way', async () => {
  file.folders.get('INBOX')?.indexed.delete(4)
  expect(await sync.freshen('INBOX', never)).toMatchObject({ kept: 5, indexed: 5 })
})

test('a server that cannot be asked is told', async () => {
  server.before = () => {
    throw new Failure('unavailable', 'no connection')
  }
  await expect(sync.freshen('INBOX', never)).rejects.toMatchObject({ code: 'unavailable' })
  expect(file.holder).toBeUndefined()
})

test('those who ask in the same breath share one look; who asks once it has begun has another', async () => {
  server.calls.length = 0
  let late: Promise<unknown> | undefined
  server.before = () => {
    late ??= sync.freshen('INBOX', never)
  }
  await Promise.all(Array.from({ length: 10 }, () => sync.freshen('INBOX', never)))
  await late
  expect(server.calls).toEqual(['changes INBOX', 'changes INBOX'])
})

test('one that goes away harms nobody who waits for the same', async () => {
  const leaving = new AbortController()
  const gone = sync.freshen('INBOX', leaving.signal)
  const staying = sync.freshen('INBOX', never)
  leaving.abort()
  await expect(gone).rejects.toMatchObject({ code: 'cancelled' })
  expect(await staying).toMatchObject({ kept: 5 })
})

test('while another process writes, its work is waited for', async () => {
  const other = otherProcess()
  const lease = await other.mirror.lease()
  server.deliver('INBOX', 1)
  const asked = sync.freshen('INBOX', never)
  await new Promise((resolve) => setImmediate(resolve))
  expect(await other.sync.freshen('INBOX', never)).toMatchObject({ kept: 6 })
  expect(await asked).toMatchObject({ kept: 6, indexed: 6 })
  expect(mirror.calls.filter((call) => call.startsWith('apply'))).toEqual([])
  await lease?.release()
})

test('while another process writes, a deletion is waited for that raised no modseq', async () => {
  const lease = await otherProcess().mirror.lease()
  server.vanish('INBOX', 2)
  expect(await sync.freshen('INBOX', never)).toBeUndefined()
  await lease?.release()
  expect(await sync.freshen('INBOX', never)).toMatchObject({ kept: 4 })
})

test('nor is a server that counts its changes anew taken for one that was seen before', async () => {
  const lease = await otherProcess().mirror.lease()
  server.flag('INBOX', 1, ['\\Seen'])
  server.countAnew('INBOX')
  expect(await sync.freshen('INBOX', never)).toBeUndefined()
  await lease?.release()
  expect(await sync.freshen('INBOX', never)).toMatchObject({ kept: 5 })
  expect(mirror.contents('INBOX')[0]).toBe('1:\\Seen')
})

test('one that is not coming is not waited for longer than a second', async () => {
  await otherProcess().mirror.lease()
  expect(await sync.freshen('INBOX', never)).toMatchObject({ kept: 5 })
  server.deliver('INBOX', 1)
  expect(await sync.freshen('INBOX', never)).toBeUndefined()
})

test('nor is it waited for again soon after', async () => {
  let waited = 0
  const pause = async (ms: number): Promise<void> => {
    waited += ms
  }
  const clock = { now: () => 0, elapsed: () => waited }
  sync = new AccountSync(memoryParts(server, mirror, { pause, clock }))
  const other = otherProcess()
  const lease = await other.mirror.lease()
  server.deliver('INBOX', 1)
  for (let round = 0; round < 3; round += 1) expect(await sync.freshen('INBOX', never)).toBeUndefined()
  expect(waited).toBe(1000)
  waited += 10_000
  expect(await sync.freshen('INBOX', never)).toBeUndefined()
  expect(waited).toBe(12_000)
  await lease?.release()
  expect(await sync.freshen('INBOX', never)).toMatchObject({ kept: 6 })
})

describe('where a folder says nothing of its flags', () => {
  beforeEach(async () => {
    server.add('Plain', 2).plain = true
    await sync.syncAll(quiet, never)
  })

  test('they are asked for each time', async () => {
    server.flag('Plain', 1, ['\\Seen'])
    expect(await sync.freshen('Plain', never)).toMatchObject({ kept: 2, indexed: 2 })
    expect(mirror.contents('Plain')).toEqual(['1:\\Seen', '2:'])
  })

  test('what another process has written may be older, and the server is asked', async () => {
    const lease = await otherProcess().mirror.lease()
    server.flag('Plain', 1, ['\\Seen'])
    expect(await sync.freshen('Plain', never)).toBeUndefined()
    await lease?.release()
  })

  test('what another task is about to write may be older, and they are asked for after it', async () => {
    let answer: Promise<MirroredFolder | undefined> | undefined
    server.after = async (call) => {
      if (call !== 'changes Plain' || answer !== undefined) return
      server.flag('Plain', 1, ['\\Seen'])
      answer = sync.freshen('Plain', never)
    }
    await sync.syncAll(quiet, never)
    expect(await answer).toMatchObject({ kept: 2 })
    expect(mirror.contents('Plain')).toEqual(['1:\\Seen', '2:'])
  })
})

test('of two that sync everything one is told that the other is at it', async () => {
  const other = otherProcess()
  server.deliver('INBOX', 3)
  let second: unknown
  server.before = async (call) => {
    if (call === 'states') second ??= await other.sync.syncAll(quiet, never)
  }
  expect(await sync.syncAll(quiet, never)).toMatchObject({ kind: 'done' })
  expect(second).toEqual({ kind: 'busy' })
  expect(await other.sync.syncAll(quiet, never)).toMatchObject({ kind: 'done' })
})
