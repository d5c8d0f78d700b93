/** Transfers that wait to be tried again: each for its own time, none because of another, and none twice. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Operation, Transfer } from '../../src/core/transfer/transfer.ts'
import { backOff } from '../../src/engine/transfer/back-off.ts'
import type { Plan } from './fault-proxy.ts'
import { type Case, type CaseOptions, type Scene, startScene } from './scene.ts'

const LONG = { timeout: 300_000 }
const OPERATIONS: readonly Operation[] = ['move', 'copy']
/** Whatever is asked of it, as long as it is so. */
const DOWN: Plan = { at: () => true, fault: { kind: 'reset' }, times: 1000 }

let scene: Scene
const opened: Case[] = []
beforeAll(async () => {
  scene = await startScene()
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})
afterAll(() => scene.close())

async function open(options?: CaseOptions): Promise<Case> {
  const one = await scene.open(options)
  opened.push(one)
  return one
}

async function now(one: Case, begun: readonly Transfer[]): Promise<readonly unknown[]> {
  const found = await Promise.all(begun.map(({ txId }) => one.transfers.find(txId)))
  return found.map((transfer) => [transfer?.status, transfer?.retryCount])
}

test('a pass before its time is none of its tries', LONG, async () => {
  const one = await open({ messages: 3, backOffMs: [60_000] })
  one.proxies.destination.plan(DOWN)
  const begun: Transfer[] = []
  for (const uid of one.uids) {
    begun.push(...(await one.go('copy', [uid])))
    await one.transfers.resume()
  }
  for (let pass = 0; pass < 5; pass += 1) await one.transfers.resume()
  expect(await now(one, begun)).toEqual(begun.map(() => ['pending', 1]))
})

test('one whose time has come is tried, and those beside it are not', LONG, async () => {
  const one = await open({ messages: 2, backOffMs: [20, 60_000] })
  const [first = 0, second = 0] = one.uids
  one.proxies.destination.plan(DOWN)
  const begun = await one.go('copy', [first])
  await expect.poll(() => now(one, begun)).toEqual([['pending', 2]])
  const later = await one.go('copy', [second])
  await expect.poll(() => now(one, later)).toEqual([['pending', 2]])
  expect(await now(one, begun)).toEqual([['pending', 2]])
})

test.each([
  [0, 1000],
  [1, 1000],
  [2, 4000],
  [3, 15_000],
  [9, 15_000],
])('after %i failures it is tried again %i ms later', (failures, ms) => {
  expect(backOff(failures)).toBe(ms)
})

test.each(OPERATIONS)(
  '%s, asked for again while it is under way or waits for a person: the same',
  LONG,
  async (how) => {
    const one = await open({ backOffMs: [60_000], retryLimit: 1 })
    one.proxies.destination.plan(DOWN)
    const [begun] = await one.go(how)
    const [again] = await one.go(how)
    expect([begun?.status, again?.txId]).toEqual(['pending', begun?.txId])
    const other = await open({ retryLimit: 0 })
    other.proxies.destination.plan({ ...DOWN, at: ({ name }) => name === 'APPEND' })
    const [stuck] = await other.go(how)
    expect(stuck?.status).toBe('needs_operator')
    expect(await other.go(how)).toMatchObject([{ txId: stuck?.txId, status: 'needs_operator' }])
    other.proxies.destination.plan()
    const [ended] = await other.transfers.retryAll()
    expect(ended?.status).toBe('committed')
    await other.check(ended === undefined ? [] : [ended])
  },
)

test('a copy that is done can be asked for once more', LONG, async () => {
  const one = await open()
  const [first] = await one.ends(await one.go('copy'))
  const [second] = await one.ends(await one.go('copy'))
  expect([first?.status, second?.status]).toEqual(['committed', 'committed'])
  expect(first?.txId).not.toBe(second?.txId)
})

test('what comes to need a person together is told once', LONG, async () => {
  const told: (readonly Transfer[])[] = []
  const one = await open({ messages: 3, retryLimit: 0, onStuck: (stuck) => void told.push(stuck) })
  one.proxies.destination.plan(DOWN)
  const begun = await one.go('move')
  expect(told.map((stuck) => stuck.map(({ txId }) => txId))).toEqual([begun.map(({ txId }) => txId)])
  one.proxies.destination.plan()
  const ended = await one.transfers.retryAll()
  expect(ended.map(({ status }) => status)).toEqual(['committed', 'committed', 'committed'])
  expect(told).toHaveLength(1)
  await one.check(ended)
})

test('one that is being tried cannot be decided about yet', LONG, async () => {
  const one = await open({ backOffMs: [60_000] })
  one.proxies.destination.plan(DOWN)
  const [begun] = await one.go('move')
  await expect(one.transfers.retry(begun?.txId ?? '')).rejects.toThrow(/still being tried \(pending\): wait/)
  await expect(one.transfers.abandon(begun?.txId ?? '')).rejects.toThrow(/wait/)
})

test.each(OPERATIONS)('%s: a call whose time is up leaves the transfer to go on by itself', LONG, async (how) => {
  const one = await open({ silenceMs: 1000 })
  one.proxies.destination.plan({ at: ({ name }) => name === 'APPEND', fault: { kind: 'mute' } })
  const call = new AbortController()
  const going = one.go(how, one.uids, new Map(), call.signal)
  await expect.poll(() => one.proxies.destination.struck()).toBe(1)
  call.abort()
  const begun = await going
  expect(begun).toMatchObject([{ status: 'pending', retryCount: 0, lastError: undefined }])
  const ended = await one.ends(begun)
  expect(ended).toMatchObject([{ status: 'committed' }])
  await one.check(ended)
})

test('a server that has answered is not waited for before the next try', LONG, async () => {
  const one = await open({ settleMs: 3_600_000 })
  const busy: Plan = {
    at: ({ name }) => name === 'APPEND',
    fault: { kind: 'say', words: 'NO [UNAVAILABLE] busy' },
    times: 2,
  }
  one.proxies.destination.plan(busy)
  const begun = await one.go('move')
  expect(begun).toMatchObject([{ status: 'pending', retryCount: 1, lastError: 'target_append_failed' }])
  const ended = await one.ends(begun)
  expect(ended).toMatchObject([{ status: 'committed', retryCount: 2 }])
  await one.check(ended)
})

test.each(['NO [SERVERBUG] oops', 'NO [UNAVAILABLE] busy'])(
  'a destination that says %s was reached',
  LONG,
  async (words) => {
    const one = await open({ retryLimit: 0 })
    one.proxies.destination.plan({ at: ({ name }) => name === 'APPEND', fault: { kind: 'say', words } })
    expect(await one.go('move')).toMatchObject([
      { status: 'needs_operator', retryCount: 0, lastError: 'target_append_failed' },
    ])
  },
)

test('why a destination does not take a message is kept', LONG, async () => {
  const one = await open()
  one.proxies.destination.plan({
    at: ({ name }) => name === 'APPEND',
    fault: { kind: 'say', words: 'NO [OVERQUOTA] full' },
  })
  expect(await one.go('move')).toMatchObject([
    { status: 'aborted', lastError: 'target_append_failed', responseCode: 'OVERQUOTA' },
  ])
})
