import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Progress, type Syncing, withProgress } from './progress.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** What a client is told while a call sees these states, one a second. */
async function toldOf(states: readonly (Syncing | undefined)[]): Promise<Progress[]> {
  const told: Progress[] = []
  const done = Promise.withResolvers<string>()
  let at = 0
  const call = withProgress(
    (progress) => void told.push(progress),
    () => states[at],
    () => done.promise,
  )
  for (at = 1; at < states.length; at += 1) await vi.advanceTimersByTimeAsync(1000)
  done.resolve('answer')
  expect(await call).toBe('answer')
  const before = told.length
  await vi.advanceTimersByTimeAsync(5000)
  expect(told.length).toBe(before)
  return told
}

const inbox = (done: number): Syncing => ({ folder: { name: 'INBOX', done, total: 50_000 } })

test('what is being synced is told at once and then once a second', async () => {
  expect(await toldOf([inbox(12_000), inbox(13_000), undefined])).toEqual([
    { progress: 12_000, total: 50_000, message: 'syncing INBOX: 12,000 of 50,000' },
    { progress: 13_000, total: 50_000, message: 'syncing INBOX: 13,000 of 50,000' },
    { progress: 13_001, message: 'working' },
  ])
})

test('a call that is quick and meets no sync is told nothing about, one that is slow is', async () => {
  expect(await toldOf([undefined])).toEqual([])
  expect(await toldOf([undefined, undefined, {}])).toEqual([
    { progress: 1, message: 'working' },
    { progress: 2, message: 'syncing' },
  ])
})

test('it grows, whatever becomes of the sync, and never beyond its total', async () => {
  const folder = fc.record({ name: fc.constantFrom('INBOX', 'Sent'), done: fc.nat(100), more: fc.nat(100) })
  const state = fc.option(
    fc.record({ folder: folder.map(({ name, done, more }) => ({ name, done, total: done + more })) }),
    { nil: undefined },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(state, { minLength: 1, maxLength: 12 }), async (states) => {
      const told = await toldOf(states)
      for (const [i, { progress, total }] of told.entries()) {
        expect(progress).toBeGreaterThan(told[i - 1]?.progress ?? 0)
        if (total !== undefined) expect(total).toBeGreaterThanOrEqual(progress)
      }
    }),
  )
})

test('who did not ask costs nothing', async () => {
  const syncing = vi.fn()
  expect(await withProgress(undefined, syncing, async () => 'answer')).toBe('answer')
  expect([syncing.mock.calls, vi.getTimerCount()]).toEqual([[], 0])
})
