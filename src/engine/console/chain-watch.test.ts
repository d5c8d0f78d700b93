import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Verification } from '../../core/audit/verify.ts'
import { watchChain } from './chain-watch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const clock = { now: () => Date.now(), elapsed: () => Date.now() }
const INTACT = { kind: 'intact', records: 3 } as Verification

test('a check that takes long is not waited for, and what it finds is told by the stamp and to whoever asks next', async () => {
  const verified = Promise.withResolvers<Verification>()
  const chain = watchChain({ verify: () => verified.promise }, clock)
  const before = chain.stamp()
  const asked = chain.state()
  await vi.advanceTimersByTimeAsync(1000)
  expect(await asked).toEqual({ state: 'unknown', checkedUpTo: 0 })
  expect(chain.stamp()).toBe(before)
  verified.resolve(INTACT)
  await vi.advanceTimersByTimeAsync(0)
  expect(chain.stamp()).not.toBe(before)
  expect(await chain.state()).toMatchObject({ state: 'ok', checkedUpTo: 3 })
})

test('a check that finds the same changes no stamp: whoever asks because of one asks once', async () => {
  let checks = 0
  const verify = async (): Promise<Verification> => {
    checks += 1
    return INTACT
  }
  const chain = watchChain({ verify }, clock)
  await chain.state()
  const stamp = chain.stamp()
  await vi.advanceTimersByTimeAsync(60_000)
  await chain.state()
  expect([checks, chain.stamp()]).toEqual([2, stamp])
})
