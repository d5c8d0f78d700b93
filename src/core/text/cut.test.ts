import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cut } from './cut.ts'

test.each([
  ['short', 10, 'short', false],
  ['exactly ten', 11, 'exactly ten', false],
  ['abcdef', 3, 'abc', true],
  ['ab😀', 3, 'ab', true],
  ['ae\u0301x', 2, 'a', true],
  ['a👩‍👩‍👧b', 6, 'a', true],
  ['', 0, '', false],
  ['x', 0, '', true],
])('%j cut at %i', (text, max, expected, truncated) => {
  expect(cut(text, max)).toEqual({ text: expected, truncated })
})

test('the result is a well-formed prefix that fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.nat(300), (text, max) => {
      const result = cut(text, max)
      expect(text.startsWith(result.text)).toBe(true)
      expect(result.text.length).toBeLessThanOrEqual(max)
      expect(result.text.isWellFormed()).toBe(true)
      expect(result.truncated).toBe(text.length > max)
    }),
  )
})

test('a pile of combining marks longer than any character does not eat the text before it', () => {
  const text = `hello ${'\u0301'.repeat(500)}`
  expect(cut(text, 100).text.length).toBe(100)
})

test('half a character at the beginning is one by itself', () => {
  const text = `\udc00${'é'.repeat(10)}`
  expect(cut(text, 0).text).toBe('')
  expect(cut(text, 5).text).toBe(text.slice(0, 5))
})

test('whole characters are kept, as many as fit', () => {
  const unit = fc.constantFrom(
    'a',
    ' ',
    '~',
    '\n',
    '\t',
    '\r\n',
    '\r',
    'e\u0301',
    '\u0301',
    '😀',
    '👩‍👩‍👧',
    '\u200d',
    '한',
  )
  const clusters = new Intl.Segmenter('und', { granularity: 'grapheme' })
  fc.assert(
    fc.property(fc.string({ unit, minLength: 1, maxLength: 30 }), fc.nat(40), (text, max) => {
      let expected = ''
      for (const { segment } of clusters.segment(text)) {
        if (expected.length + segment.length > max) break
        expected += segment
      }
      if (expected !== '') expect(cut(text, max).text).toBe(expected)
    }),
    { numRuns: 2000 },
  )
})
