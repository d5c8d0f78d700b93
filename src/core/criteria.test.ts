import { expect, test } from 'vitest'
import { canonicalCriteria, newestFirst, resolveDays } from './criteria.ts'

test('newest first is by received time, then by uid', () => {
  const sorted = [
    { received: 5, uid: 1 },
    { received: 9, uid: 2 },
    { received: 5, uid: 3 },
  ].sort(newestFirst)
  expect(sorted.map(({ uid }) => uid)).toEqual([2, 3, 1])
})

test.each([
  [1, '2026-03-01T00:00:00Z', '2026-02-28'],
  [1, '2024-03-01T23:59:59Z', '2024-02-29'],
  [365, '2026-01-01T12:00:00Z', '2025-01-01'],
])('the last %i days before %s begin on %s', (lastDays, now, since) => {
  expect(resolveDays({ lastDays, from: 'a' }, Date.parse(now))).toEqual({ from: 'a', since })
})

test('canonical text depends on the criteria, not on how they were written down', () => {
  expect(canonicalCriteria({ from: 'a', to: 'b' })).toBe(canonicalCriteria({ to: 'b', from: 'a' }))
  expect(canonicalCriteria({ from: 'a' })).not.toBe(canonicalCriteria({ to: 'a' }))
  expect(canonicalCriteria({ from: 'a","to":"b' })).not.toBe(canonicalCriteria({ from: 'a', to: 'b' }))
})
