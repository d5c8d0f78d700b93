import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escaped, escapedJson } from './escaped.ts'

test.each([
  ['plain, Größe, 東京', 'plain, Größe, 東京'],
  ['a\u001b[2Jb', 'a\\u{1b}[2Jb'],
  ['a\r\nb', 'a\\u{d}\\u{a}b'],
  ['a\u202eb', 'a\\u{202e}b'],
  ['a\u200bb\u3164\u2028', 'a\\u{200b}b\\u{3164}\\u{2028}'],
  ['\ud800', '\\u{d800}'],
])('%j', (text, expected) => {
  expect(escaped(text)).toBe(expected)
})

const text = fc.string({ unit: 'binary', maxLength: 50 })

test('whatever it is, it stays on its line', () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(escaped(given)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/u)
      expect(escapedJson([given])).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/u)
    }),
  )
})

test('JSON is still what it was', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(JSON.parse(escapedJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
