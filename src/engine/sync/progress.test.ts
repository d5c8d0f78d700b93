import { expect, test } from 'vitest'
import { Meter, type SyncProgress } from './progress.ts'

test('says how fast it goes and how long it will still take, ten times a second at most', () => {
  let elapsed = 5000
  const reports: SyncProgress[] = []
  const clock = { now: () => 0, elapsed: () => elapsed }
  const what = { account: 'work', mailbox: 'INBOX', phase: 'headers' as const, done: 100, total: 1100 }
  const meter = new Meter(what, clock, (report) => void reports.push(report), { at: 5000 })
  for (let step = 0; step < 100; step++) {
    elapsed += 10
    meter.add(5)
  }
  expect(reports).toHaveLength(10)
  expect(reports.at(-1)).toEqual({
    ...{ account: 'work', mailbox: 'INBOX', phase: 'headers' },
    ...{ done: 600, total: 1100, perSecond: 500, secondsLeft: 1 },
  })
})

test('more than was expected is no more than all of it', () => {
  let last: SyncProgress | undefined
  const clock = { now: () => 0, elapsed: () => 1000 }
  const what = { account: 'work', mailbox: 'INBOX', phase: 'texts' as const, done: 0, total: 2 }
  new Meter(what, clock, (report) => (last = report), { at: 0 }).add(3)
  expect(last).toMatchObject({ done: 3, total: 3, secondsLeft: undefined })
})
