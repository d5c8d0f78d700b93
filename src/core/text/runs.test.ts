import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasRun } from './runs.ts'

const isX = (code: number): boolean => code === 'x'.charCodeAt(0)

test.each([
  ['', 1, false],
  ['x', 1, true],
  ['xx-x', 3, false],
  ['-xxx', 3, true],
  ['xxx-', 3, true],
  ['x-xx-xx-x', 3, false],
])('%j, a run of %i: %j', (text, least, expected) => {
  expect(hasRun(text, least, isX)).toBe(expected)
})

test('says what a regular expression says', () => {
  const text = fc.array(fc.constantFrom('x', 'xx', 'xxxx', '-'), { maxLength: 60 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 20 }), (written, least) => {
      expect(hasRun(written, least, isX)).toBe(new RegExp(`x{${least}}`).test(written))
    }),
    { numRuns: 2000 },
  )
})
