import fc from 'fast-check'
import { expect, test } from 'vitest'
import { modseqOf, momentOf } from './moment.ts'

const moment = fc.record({
  history: fc.bigInt({ min: 0n, max: 10n ** 24n }).map(String),
  marks: fc.integer({ min: 0, max: 999_999_999 }),
})

test('is read as it was written', () => {
  fc.assert(
    fc.property(moment, (one) => {
      expect(momentOf(modseqOf(one))).toEqual(one)
    }),
  )
  expect(momentOf(undefined)).toBeUndefined()
  expect(momentOf('17')).toBeUndefined()
})

test('grows with either', () => {
  fc.assert(
    fc.property(moment, moment, (a, b) => {
      const isLater = BigInt(a.history) > BigInt(b.history) || (a.history === b.history && a.marks > b.marks)
      expect(BigInt(modseqOf(a)) > BigInt(modseqOf(b))).toBe(isLater)
    }),
  )
})
