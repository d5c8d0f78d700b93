/** Watching a mailbox: every change is told, on a connection of its own, until nobody wants to know. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { capabilityWithout } from '../dovecot/dovecot.ts'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { type FeedDesk, feedDesk } from './feed-desk.ts'

describe.each([
  ['with IDLE', {}, 'IDLE'],
  ['without IDLE', { capability: capabilityWithout('IDLE') }, 'NOOP'],
])('a server %s', (_name, server, word) => {
  let desk: FeedDesk
  beforeAll(async () => {
    desk = await feedDesk(server, { watchPollMs: 30 })
    await desk.other.seed('box', [{ raw: letter({}) }, { raw: letter({}) }])
  })
  afterAll(() => desk.stop())

  test('tells what comes, changes and goes, until it is told to stop', async () => {
    const stop = new AbortController()
    const onChange = vi.fn()
    desk.proxy.reset()
    const watching = desk.feed.watch('box', onChange, stop.signal)
    await expect.poll(() => desk.proxy.sent().includes(`${word}\r\n`)).toBe(true)
    await expect.poll(() => onChange.mock.calls.length).toBe(1)
    const acts = [
      () => desk.other.imap.append('box', letter({})),
      async () => {
        await desk.other.imap.mailboxOpen('box')
        await desk.other.imap.messageFlagsAdd('1', ['\\Flagged'], { uid: true })
      },
      () => desk.other.vanish('box', 2),
    ]
    for (const act of acts) {
      const before = onChange.mock.calls.length
      await act()
      await expect.poll(() => onChange.mock.calls.length).toBeGreaterThan(before)
    }
    expect(desk.proxy.sent()).not.toContain('SELECT')
    stop.abort()
    await watching
    if (word === 'IDLE') expect(desk.proxy.sent()).toContain('DONE\r\n')
    await expect.poll(() => desk.proxy.open()).toBe(0)
  })

  test('rejects where the connection is lost, where the mailbox is not there and where the account is closed', async () => {
    const onChange = vi.fn()
    const watching = desk.feed.watch('box', onChange, never())
    await expect.poll(() => onChange.mock.calls.length).toBe(1)
    desk.proxy.cutAll()
    await expect(watching).rejects.toMatchObject({ code: 'unavailable' })
    await expect(desk.feed.watch('not there', onChange, never())).rejects.toMatchObject({ code: 'not_found' })
    const other = desk.another({})
    const watched = other.watch('box', onChange, never())
    await expect.poll(() => onChange.mock.calls.length).toBe(2)
    await other.close()
    await expect(watched).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('ends at once where it is stopped before it begins, and beside other work', async () => {
    await desk.feed.watch('box', () => expect.unreachable(), AbortSignal.abort())
    const narrow = desk.another({ maxConnections: 1 })
    const stop = new AbortController()
    const onChange = vi.fn()
    const watching = narrow.watch('box', onChange, stop.signal)
    await expect.poll(() => onChange.mock.calls.length).toBe(1)
    expect((await narrow.state('box', never())).messages).toBeGreaterThan(0)
    stop.abort()
    await watching
  })
})

test('listening is renewed, silence while listening is no trouble, and nothing is missed in between', async () => {
  const desk = await feedDesk({}, { idleRenewMs: 4000, socketTimeoutMs: 3000 })
  try {
    const stop = new AbortController()
    const onChange = vi.fn()
    const watching = desk.feed.watch('INBOX', onChange, stop.signal)
    await expect.poll(() => desk.proxy.sent().split('IDLE\r\n').length).toBeGreaterThan(2)
    const before = onChange.mock.calls.length
    await desk.other.imap.append('INBOX', letter({}))
    await expect.poll(() => onChange.mock.calls.length).toBeGreaterThan(before)
    stop.abort()
    await watching
  } finally {
    await desk.stop()
  }
})
