import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldWords, indexedText, patternOf, piecesOf, wordsIn } from './words.ts'

test.each([
  ['Invoice-2024, paid!', ['invoice', '2024', 'paid']],
  ['Größe CAFÉ cafe', ['größe', 'café', 'cafe']],
  ['cafe\u0301', ['café']],
  ['in\u00advoi\u200bce', ['invoice']],
  ['ΟΔΟΣ οδος', ['οδοσ', 'οδοσ']],
  ['snake_case', ['snake', 'case']],
  ['東京タワー2024年', ['東京', '京タ', 'タワ', 'ワー', 'ー', '2024', '年']],
  ['สวัสดี', ['สว', 'วั', 'ัส', 'สด', 'ดี', 'ี']],
  ['🎉 …', []],
])('%s has the words %j', (text, words) => {
  expect(wordsIn(text)).toEqual(words)
})

test('a very long run of unspaced script is split like a short one', () => {
  expect(wordsIn('東'.repeat(300_000))).toHaveLength(300_000)
})

test('a long word is cut between characters, never within one', () => {
  const [piece = ''] = piecesOf(`a${'𝒳'.repeat(100)}`)
  expect(piece).toHaveLength(127)
  expect(piece.isWellFormed()).toBe(true)
  expect(piecesOf(piece)).toEqual([piece])
})

test('one character of an unspaced script may go on, several may not', () => {
  expect(patternOf(['東'], false)).toEqual({ words: ['東'], open: true })
  expect(patternOf(['東京'], false)).toEqual({ words: ['東京'], open: false })
  expect(patternOf(['東京', 'map'], true)).toEqual({ words: ['東京', '京', 'map'], open: true })
})

const text = fc.string({ unit: 'binary', maxLength: 60 })

test('pieces stand in the folded text as they are, and are pieces again', () => {
  fc.assert(
    fc.property(text, (written) => {
      const folded = foldWords(written)
      const pieces = piecesOf(written)
      expect(pieces.every((piece) => folded.includes(piece))).toBe(true)
      expect(piecesOf(pieces.join(' '))).toEqual(pieces)
      expect(foldWords(folded)).toBe(folded)
    }),
    { numRuns: 2000 },
  )
})

describe('a text that is ready for an index', () => {
  /** As the index parts it. */
  const parted = (written: string): string[] =>
    written.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).match(/[a-z0-9\x80-\uffff]+/g) ?? []

  test('stays as it is where it is plain', () => {
    expect(indexedText('Invoice-2024, paid!\r\n')).toBe('Invoice-2024, paid!\r\n')
  })

  const long = fc.tuple(
    fc.constantFrom('a', 'Z', '9', 'é', '東', '𝒳', 'e\u0301', '-'),
    fc.integer({ min: 1, max: 140 }),
  )
  const written = fc.oneof(
    text,
    fc.string({ unit: 'binary-ascii', maxLength: 60 }),
    fc
      .array(
        fc.oneof(fc.constantFrom('Ann', ' ', '_', '東京', '。', 'ไทย', 'É', '\u0301', '\u00ad', '“', 'ΟΣ'), text),
        {
          maxLength: 12,
        },
      )
      .map((parts) => parts.join('')),
    fc
      .array(
        long.map(([one, many]) => one.repeat(many)),
        { maxLength: 4 },
      )
      .map((parts) => parts.join('')),
  )

  test('has the words of the text', () => {
    fc.assert(
      fc.property(written, (any) => {
        expect(parted(indexedText(any))).toEqual(wordsIn(any))
      }),
      { numRuns: 5000 },
    )
  })
})
