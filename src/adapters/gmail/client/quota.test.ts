import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Quota, UNITS_PER_SECOND, unitsOf } from './quota.ts'

/** A clock that only sleepers move. */
function stoppedClock() {
  let now = 0
  return {
    now: () => now,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    times: {
      elapsed: () => now,
      sleep: async (milliseconds: number) => {
        now += milliseconds
      },
    },
  }
}

const never = (): AbortSignal => new AbortController().signal

describe('the quota', () => {
  test('is spent at once while there is some, and waited for when there is none', async () => {
    const clock = stoppedClock()
    const quota = new Quota(clock.times)
    for (let call = 0; call < 50; call++) await quota.take(5, never())
    expect(clock.now()).toBe(0)
    await quota.take(5, never())
    expect(clock.now()).toBe(20)
    clock.pass(60_000)
    await quota.take(100, never())
    await quota.take(100, never())
    expect(clock.now()).toBe(60_020)
    await quota.take(100, never())
    expect(clock.now()).toBe(60_220)
  })

  test('is never spent faster than it flows, whatever is asked for and when', async () => {
    const calls = fc.array(
      fc.record({ units: fc.integer({ min: 1, max: 100 }), pause: fc.integer({ min: 0, max: 500 }) }),
    )
    await fc.assert(
      fc.asyncProperty(calls, async (asked) => {
        const clock = stoppedClock()
        const quota = new Quota(clock.times)
        const spent: { at: number; units: number }[] = []
        for (const { units, pause } of asked) {
          clock.pass(pause)
          await quota.take(units, never())
          spent.push({ at: clock.now(), units })
        }
        for (const [first, { at }] of spent.entries()) {
          let sum = 0
          for (const { at: until, units } of spent.slice(first)) {
            sum += units
            expect(sum).toBeLessThanOrEqual(UNITS_PER_SECOND + ((until - at) * UNITS_PER_SECOND) / 1000 + 1e-6)
          }
        }
      }),
    )
  })

  test('goes to those who wait in the order they came', async () => {
    const clock = stoppedClock()
    const quota = new Quota(clock.times)
    await quota.take(250, never())
    const order: number[] = []
    const take = (units: number) => quota.take(units, never()).then(() => order.push(units))
    await Promise.all([take(100), take(1), take(50), take(2)])
    expect(order).toEqual([100, 1, 50, 2])
  })

  test('is not spent by who gave up, and the next is not held up', async () => {
    const clock = stoppedClock()
    const quota = new Quota(clock.times)
    await expect(quota.take(5, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
    await quota.take(250, never())
    expect(clock.now()).toBe(0)
  })
})

test.each([
  ['GET', 'messages', 5],
  ['GET', 'messages/17f', 5],
  ['GET', 'labels', 1],
  ['GET', 'labels/INBOX', 1],
  ['GET', 'history', 2],
  ['GET', 'profile', 1],
  ['GET', 'threads/17f', 10],
  ['POST', 'messages/send', 100],
  ['POST', 'drafts/send', 100],
  ['POST', 'drafts', 10],
  ['PUT', 'drafts/r1', 15],
  ['POST', 'messages', 25],
  ['POST', 'messages/17f/modify', 5],
  ['POST', 'messages/batchDelete', 50],
  ['POST', 'messages/batchModify', 50],
  ['DELETE', 'messages/17f', 10],
])('%s %s costs %i units', (method, path, units) => {
  expect(unitsOf(method, path)).toBe(units)
})
