import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanText } from '../text/plain.ts'
import { broken, writeLineOut, writeOut } from './written-out.ts'

test.each<[string, string]>([
  ['plain\ntext', 'plain\ntext'],
  ['a\r\nb', 'a\nb'],
  ['a\rb', 'a[U+000D]b'],
  ['a\tb', 'a    b'],
  ['\u001b[31mred\u0007', '[U+001B][31mred[U+0007]'],
  ['\u009b2J', '[U+009B]2J'],
  ['abc\u202edef\u2069', 'abc[U+202E]def[U+2069]'],
  ['in\u200bvisible\u00ad', 'in[U+200B]visible[U+00AD]'],
  ['\ufefftext', '[U+FEFF]text'],
  ['a\u2028b\u0085c\fd', 'a[U+2028]b[U+0085]c[U+000C]d'],
  ['\u{e0041}\u{e0042}', '[U+E0041][U+E0042]'],
  ['\ud800', '[U+D800]'],
  ['\0', '[U+0000]'],
  ['👩‍👧 ❤️‍🔥 می‌خواهم', '👩‍👧 ❤️‍🔥 می‌خواهم'],
  ['a\u200d👩‍👧', 'a[U+200D]👩‍👧'],
  ['👩\u200d\u200d👩', '👩[U+200D][U+200D]👩'],
  ['👩\u200d\u202e👩', '👩[U+200D][U+202E]👩'],
  ['Zoë 日本語', 'Zoë 日本語'],
])('%j is written %j', (text, expected) => {
  expect(writeOut(text).text).toBe(expected)
  expect(writeOut(text).numbers).toBe(expected.match(/\[U\+/g)?.length ?? 0)
})

test('one line is one line', () => {
  expect(writeLineOut('a\nb\r\nc\u2029d')).toBe('a[U+000A]b[U+000A]c[U+2029]d')
})

test('whatever the text is, nothing in it is hidden and nothing is lost', () => {
  const pieces = [
    'a',
    ' ',
    '\n',
    '\r',
    '\t',
    '\u200d',
    '\u200c',
    '\ufe0f',
    '👩',
    '❤',
    'م',
    '\u202e',
    '\u001b',
    '\ud800',
  ]
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((list) => list.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const { text: shown } = writeOut(text)
      expect(writeOut(shown)).toEqual({ text: shown, numbers: 0 })
      expect(/[^\P{Cc}\n]|[\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f]/u.test(shown)).toBe(false)
      const removed = cleanText(shown).warnings.map(({ kind }) => kind)
      expect(removed.filter((kind) => kind.endsWith('_removed'))).toEqual([])
      const back = shown.replace(/\[U\+([0-9A-F]+)\]/g, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)))
      expect(back).toBe(text.replaceAll('\r\n', '\n').replaceAll('\t', '    '))
    }),
    { numRuns: 1000 },
  )
})

test('a long line is broken, and is whole again when it is joined', () => {
  expect(broken('', 10)).toEqual([''])
  expect(broken('one two three', 8)).toEqual(['one two ', 'three'])
  expect(broken('x'.repeat(25), 10)).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)])
  expect(broken('日本語日本語', 6)).toEqual(['日本語', '日本語'])
  expect(broken(' aaa日', 4)).toEqual([' ', 'aaa', '日'])
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 2, max: 80 }), (line, width) => {
      const pieces = broken(line, width)
      expect(pieces.join('')).toBe(line)
      expect(pieces.every((piece) => [...piece].length <= width)).toBe(true)
    }),
  )
})

test.each([
  ['signs above letters', 'สวัสดีครับยินดีที่ได้รู้จัก'.repeat(9)],
  ['letters that are joined', 'क्षत्रियप्रकृति'.repeat(9)],
  ['families', '👩‍👩‍👧‍👦'.repeat(9)],
  ['flags', '🇩🇪🇫🇷🇯🇵'.repeat(9)],
])('a long line without blanks is not broken within %s', (_what, line) => {
  const whole = new Set([...new Intl.Segmenter('en').segment(line)].map(({ index }) => index))
  for (const width of [24, 33, 68]) {
    const pieces = broken(line, width)
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join('')).toBe(line)
    const starts = pieces.map((_, at) => pieces.slice(0, at).join('').length)
    expect(starts.filter((start) => !whole.has(start))).toEqual([])
  }
})

test('signs without end are broken all the same', () => {
  const line = `a${'\u0301'.repeat(5000)}`
  const pieces = broken(line, 68)
  expect(pieces.join('')).toBe(line)
  expect(pieces.every((piece) => piece.length <= 68)).toBe(true)
})
