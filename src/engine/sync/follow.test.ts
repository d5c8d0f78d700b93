import { expect, test, vi } from 'vitest'
import { MemoryMirror, MemoryServer, memoryParts } from '../../../test/mirror/memory.ts'
import { Failure } from '../../core/failure.ts'
import { backOff } from './follow.ts'
import type { Pause } from './pause.ts'
import { AccountSync } from './sync-account.ts'

/** Everything that was waited for, and what ends a wait before its time. */
function waits() {
  const asked: { ms: number; end: () => void }[] = []
  const pause: Pause = (ms, signal) =>
    new Promise((resolve) => {
      asked.push({ ms, end: resolve })
      signal.addEventListener('abort', () => resolve())
      if (signal.aborted) resolve()
    })
  return { asked, pause }
}

function scene() {
  const server = new MemoryServer()
  server.add('INBOX', 2)
  const mirror = new MemoryMirror()
  const { asked, pause } = waits()
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const sync = new AccountSync(memoryParts(server, mirror, { pause, random: () => 1, log }))
  const stopping = new AbortController()
  const following = sync.follow(stopping.signal)
  const stop = async (): Promise<void> => {
    stopping.abort()
    await following
  }
  return { server, mirror, sync, asked, log, stop }
}

test('waits grow from a second to five minutes, and no two are alike', () => {
  expect([0, 1, 2, 3, 20].map((failures) => backOff(failures, () => 1))).toEqual([1000, 2000, 4000, 8000, 300_000])
  expect([1, 20].map((failures) => backOff(failures, () => 0))).toEqual([1000, 150_000])
})

test('everything is looked at, then every five minutes, and what comes into the inbox at once', async () => {
  const { server, mirror, asked, stop } = scene()
  await expect.poll(() => asked.map(({ ms }) => ms)).toEqual([300_000])
  server.deliver('INBOX', 1)
  server.watching?.change()
  await expect.poll(() => mirror.contents('INBOX')).toHaveLength(3)
  expect(asked).toHaveLength(1)
  server.calls.length = 0
  asked[0]?.end()
  await expect.poll(() => server.calls).toContain('mailboxes')
  await stop()
})

test('more than a glance can take is fetched at once all the same', async () => {
  const { server, mirror, asked, stop } = scene()
  await expect.poll(() => asked).toHaveLength(1)
  server.deliver('INBOX', 300)
  server.watching?.change()
  await expect.poll(() => mirror.contents('INBOX')).toHaveLength(302)
  await stop()
})

test('after a failure it waits longer each time, notes it, and starts afresh when all is well', async () => {
  const { server, asked, log, stop } = scene()
  await expect.poll(() => asked).toHaveLength(1)
  server.before = () => {
    throw new Failure('unavailable', 'no connection')
  }
  for (const [at, ms] of [1000, 2000, 4000].entries()) {
    asked.at(-1)?.end()
    await expect.poll(() => asked).toHaveLength(at + 2)
    expect(asked.at(-1)?.ms).toBe(ms)
  }
  expect(log.warn).toHaveBeenCalledTimes(1)
  expect(log.debug).toHaveBeenCalledTimes(2)
  server.before = () => undefined
  asked.at(-1)?.end()
  await expect.poll(() => asked.at(-1)?.ms).toBe(300_000)
  await stop()
})

test('a watch that breaks is taken up again, and what came meanwhile is looked at', async () => {
  const { server, mirror, asked, stop } = scene()
  await expect.poll(() => asked).toHaveLength(1)
  server.watching?.lose(new Failure('unavailable', 'cut'))
  await expect.poll(() => asked.at(-1)?.ms).toBe(1000)
  server.deliver('INBOX', 1)
  server.calls.length = 0
  asked.at(-1)?.end()
  await expect.poll(() => mirror.contents('INBOX')).toHaveLength(3)
  await expect.poll(() => server.calls).toContain('watch INBOX')
  await stop()
})

test('a bug is noted and nothing is thrown', async () => {
  const { server, log, stop } = scene()
  server.before = () => {
    throw new TypeError('a bug')
  }
  server.watching?.change()
  await expect.poll(() => log.error).toHaveBeenCalled()
  await stop()
})
