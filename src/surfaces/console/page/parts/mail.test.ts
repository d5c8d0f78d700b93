import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writtenOut } from './mail.tsx'

test('what nobody would see is written out; lines and tabs stay', () => {
  expect(writtenOut('a\u202Eb\u200B\n\tc\u0007\u{E0041}')).toBe('a[U+202E]b[U+200B]\n\tc[U+0007][U+E0041]')
})

test('nothing unseen is left of any text, and the same text comes of it again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = writtenOut(text)
      expect(shown).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}\p{DI}]/u)
      expect(writtenOut(shown)).toBe(shown)
    }),
  )
})
