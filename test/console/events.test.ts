/** What open pages are told by themselves. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createConsoleKeys } from '../../src/adapters/console-keys/key-files.ts'
import type { ConsoleDesk } from '../../src/engine/console/desk.ts'
import { Streams } from '../../src/surfaces/console/events.ts'
import { type Scene, startScene } from './scene.ts'
import type { Visitor } from './visitor.ts'

let scene: Scene
let ada: Visitor

beforeEach(async () => {
  scene = await startScene()
  ada = await scene.visitor()
})
afterEach(() => scene.close())

test('a letter that comes in, and what is decided about it, is seen in every page', async () => {
  const pages = [await ada.events(), await (await scene.visitor()).events()]
  for (const page of pages) expect(await page.next()).toBe('hello')
  await scene.ask()
  await Promise.all(pages.map((page) => page.until('outbox')))
  const [{ id }] = (await ada.get('/console/api/outbox')).body.letters
  await ada.post(`/console/api/outbox/${id}/approve`, {})
  await Promise.all(pages.map((page) => page.until('outbox')))
  for (const page of pages) page.close()
})

test('the record is seen to grow', async () => {
  const page = await ada.events()
  await page.until('hello')
  await ada.get('/console/api/outbox', { Cookie: 'postern_console=wrong' })
  await page.until('activity')
  page.close()
})

test('what a check of the record has found is seen, also by those who asked before it was done', async () => {
  const page = await ada.events()
  await page.until('hello')
  await ada.get('/console/api/activity')
  await page.until('activity')
  expect((await ada.get('/console/api/activity')).body.chain).toMatchObject({ state: 'ok' })
  page.close()
})

test('a stream ends with its session, and no other does', async () => {
  const other = await scene.visitor()
  const [mine, theirs] = [await ada.events(), await other.events()]
  await ada.post('/console/api/sign-out', {})
  while ((await mine.next()) !== undefined);
  await scene.ask()
  await theirs.until('outbox')
  theirs.close()
})

test('a session that another process has ended takes its stream along', async () => {
  const secret = ada.cookie?.split('=')[1] ?? ''
  const keys = createConsoleKeys({ directory: scene.directory })
  const watch = deskOf(keys)
  const reader = new Streams(watch.desk, 5).open('ada', secret).getReader()
  const texts: string[] = []
  const reading = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      texts.push(new TextDecoder().decode(next.value))
    }
  })()
  await expect.poll(() => texts).toContain(':\n\n')
  expect(watch.watchers.size).toBe(1)
  await createConsoleKeys({ directory: scene.directory }).endSession(secret)
  await reading
  expect(watch.watchers.size).toBe(0)
})

test('a page that is closed is watched for no more', async () => {
  const { desk, watchers } = deskOf()
  const streams = new Streams(desk)
  const left = streams.open('ada', 'secret')
  const reader = streams.open('bob', 'secret').getReader()
  expect(watchers.size).toBe(2)
  await left.cancel()
  expect(watchers.size).toBe(1)
  streams.endAll()
  expect(watchers.size).toBe(0)
  await reader.read()
  expect(await reader.read()).toEqual({ done: true, value: undefined })
})

test('for a slow reader nothing piles up and nothing is lost, and there are only so many', async () => {
  const { desk, watchers } = deskOf()
  const streams = new Streams(desk)
  const reader = streams.open('ada', 'secret').getReader()
  for (let at = 0; at < 10_000; at++) for (const tell of watchers) tell('accounts')
  for (const tell of watchers) tell('outbox')
  let text = ''
  while (!text.includes('event: outbox')) text += new TextDecoder().decode((await reader.read()).value)
  expect(text.split('event: accounts').length).toBeLessThan(10)
  streams.endAll()
  for (let at = 0; at < 64; at++) streams.open('ada', 'secret')
  expect(() => streams.open('ada', 'secret')).toThrow(/too many pages/)
  streams.endAll()
})

type Tell = Parameters<ConsoleDesk['changes']['watch']>[0]

/** Changes that a test makes, and sessions as the keys have them. */
function deskOf(keys?: ReturnType<typeof createConsoleKeys>): { desk: ConsoleDesk; watchers: Set<Tell> } {
  const watchers = new Set<Tell>()
  const watch = (tell: Tell, begun: () => void): (() => void) => {
    const own: Tell = (kind) => tell(kind)
    watchers.add(own)
    begun()
    return () => void watchers.delete(own)
  }
  const session = async (secret: string): Promise<unknown> => keys?.session(secret, Date.now())
  return { desk: { changes: { watch }, lock: { session } } as unknown as ConsoleDesk, watchers }
}
