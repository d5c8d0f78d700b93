import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { unasked } from './unasked.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('whoever waits is told for what, once; what is over soon is not told', async () => {
  const told: string[] = []
  const { busy } = unasked({ print: () => expect.unreachable(), complain: (words) => void told.push(words) })
  const work = (ms: number) => () => new Promise<number>((resolve) => setTimeout(() => resolve(ms), ms))
  const quick = busy('Quick', work(100))
  await vi.advanceTimersByTimeAsync(5000)
  expect([await quick, told]).toEqual([100, []])
  const slow = busy('Trying to log in at mail.example:993 (STARTTLS)', work(15_000))
  await vi.advanceTimersByTimeAsync(2000)
  expect(told).toEqual(['Trying to log in at mail.example:993 (STARTTLS) …\n'])
  await vi.advanceTimersByTimeAsync(20_000)
  expect([await slow, told.length]).toEqual([15_000, 1])
})
