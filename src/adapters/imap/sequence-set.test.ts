import fc from 'fast-check'
import { expect, test } from 'vitest'
import { uidSets } from './sequence-set.ts'

test.each([
  [[], []],
  [[5], ['5']],
  [[3, 1, 2], ['1:3']],
  [[9, 1, 2, 2, 7, 8, 4], ['1:2,4,7:9']],
])('%j becomes %j', (uids, sets) => {
  expect(uidSets(uids)).toEqual(sets)
})

function expand(sets: readonly string[]): number[] {
  return sets
    .flatMap((set) => set.split(','))
    .flatMap((range) => {
      const [from = 0, to = from] = range.split(':').map(Number)
      return Array.from({ length: to - from + 1 }, (_, index) => from + index)
    })
}

test('the sets hold exactly the uids', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 300 })), (uids) => {
      expect(expand(uidSets(uids))).toEqual([...new Set(uids)].sort((a, b) => a - b))
    }),
  )
})

test('long sets are split', () => {
  const uids = Array.from({ length: 5000 }, (_, index) => 4_000_000_000 + index * 2)
  const sets = uidSets(uids)
  expect(sets.length).toBeGreaterThan(5)
  expect(Math.max(...sets.map((set) => set.length))).toBeLessThanOrEqual(7500)
  expect(expand(sets)).toEqual(uids)
})

test('what else stands in the line leaves less room, but some', () => {
  const uids = Array.from({ length: 2000 }, (_, index) => index * 2 + 1)
  for (const [taken, longest] of [
    [5000, 2500],
    [100_000, 1000],
  ] as const) {
    const sets = uidSets(uids, taken)
    expect(Math.max(...sets.map((set) => set.length))).toBeLessThanOrEqual(longest)
    expect(expand(sets)).toEqual(uids)
  }
})
