import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldWhite } from './white.ts'

test('every run of white space is one space', () => {
  const unit = fc.constantFrom('a', ' ', ' ', '\n', '\r\n', '\t', '\u00a0', '\u2028', '\u3000', '\ufeff', '😀')
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      expect(foldWhite(text)).toBe(text.replace(/\s+/gu, ' '))
    }),
    { numRuns: 2000 },
  )
})
