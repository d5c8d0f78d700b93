import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldFloods, MAX_BLANK_LINES, MAX_BLANK_RUN } from './floods.ts'
import { cleanLine, cleanText } from './plain.ts'

const counts = (text: string): Record<string, number> =>
  Object.fromEntries(cleanText(text).warnings.map(({ kind, count }) => [kind, count]))

test.each([
  ['English', 'Dear Emma,\n\n\tplease find “the notes” – 50 % off…\n'],
  ['accents', 'Çà et là, żółć, Größe, naïve, ﬁn'],
  ['decomposed accents', 'e\u0302\u0323 Vie\u0323\u0302t Nam'],
  ['Russian with Latin words in it', 'Привет! HTML-письмо, PDFом и e-mail'],
  ['Greek and units', 'αβγ 5 μm 10 kΩ Δt'],
  ['Hebrew', 'שלום עולם, ABC 123'],
  ['Persian with joiners', 'می‌خواهم خانه‌ام را'],
  ['Hindi with joiners', 'क्‍ष र्‍य'],
  ['Sinhala', 'ශ්‍රී ලංකාව'],
  ['Malayalam with a final joiner', 'ന്‍ അവന്‍ '],
  ['Japanese with full-width letters', '東日本旅客鉄道株式会社（ＪＲ東日本）のＡＢＣ'],
  ['Chinese with a selected variant', '葛\u{e0100}城市'],
  ['Korean', '안녕하세요'],
  ['Thai', 'สวัสดีครับ'],
  ['emoji sequences', '👨‍👩‍👧 ❤️ 👍🏽 🏳️‍🌈 1️⃣ #️⃣ ☎︎ 🇩🇪'],
  ['the flag of Scotland', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['a formula', 'let 𝑥 = 𝛼 + 1'],
  ['a table with wide columns', `a${' '.repeat(60)}b\n`],
  ['braille', '⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙'],
  ['some blank lines', `a${'\n'.repeat(MAX_BLANK_LINES)}b`],
  ['ideographic spaces', '　　字下げ'],
])('leaves %s alone', (_name, text) => {
  expect(cleanText(text)).toEqual({ text, warnings: [] })
})

const letters = (text: string, between: string): string => [...text].join(between)
const tagged = (text: string): string =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')

test.each([
  ['zero-width spaces', letters('ignore', '\u200b'), 'ignore', { invisible_characters_removed: 5 }],
  ['joiners between Latin letters', letters('ab', '\u200d\u200c'), 'ab', { invisible_characters_removed: 2 }],
  ['soft hyphens', letters('ab', '\u00ad'), 'ab', { invisible_characters_removed: 1 }],
  ['word joiners and invisible operators', 'a\u2060\u2062\u2064b', 'ab', { invisible_characters_removed: 3 }],
  ['byte order marks inside', 'a\ufeffb', 'ab', { invisible_characters_removed: 1 }],
  ['tag characters', `a${tagged('hi')}b`, 'ab', { invisible_characters_removed: 2 }],
  ['tag characters after a flag', `🏴${tagged('hello')}`, '🏴', { invisible_characters_removed: 5 }],
  ['selectors that select nothing', 'a\ufe0f\ufe00\u{e0139}b', 'ab', { invisible_characters_removed: 3 }],
  ['a run of selectors after an emoji', '😀\u{e0139}\u{e0157}', '😀', { invisible_characters_removed: 2 }],
  ['a second selector', '葛\u{e0100}\u{e0101}', '葛\u{e0100}', { invisible_characters_removed: 1 }],
  ['a joiner behind a removed selector', 'a\ufe0f\u200d😀', 'a😀', { invisible_characters_removed: 2 }],
  ['Hangul fillers', 'a\u3164\u115f\u1160\uffa0b', 'ab', { invisible_characters_removed: 4 }],
  ['blank braille', 'a\u2800\u2800b', 'ab', { invisible_characters_removed: 2 }],
  ['interlinear annotations', '\ufff9x\ufffay\ufffb', 'xy', { invisible_characters_removed: 3 }],
  ['private use characters', '\ue000a\uf8ff\u{f0000}', 'a', { invisible_characters_removed: 3 }],
  ['bullets of symbol fonts', '\uf0b7 a', '• a', {}],
  ['a byte order mark at the start', '\ufeffa', 'a', {}],
  ['direction overrides', '\u202eabc\u202c\u2067d\u2069\u200fe', 'abcde', { direction_controls_removed: 5 }],
  ['terminal colours', '\u001b[8mhidden\u001b[0m', 'hidden', { control_characters_removed: 2 }],
  ['one-byte terminal sequences', '\u009b8mx', 'x', { control_characters_removed: 1 }],
  ['terminal titles', '\u001b]0;title\u0007x', 'x', { control_characters_removed: 1 }],
  ['control characters', 'a\u0000b\u0007c\u0080d\u007f', 'abcd', { control_characters_removed: 4 }],
  ['a line that is written over', 'evil\rgood', 'evil\ngood', { control_characters_removed: 1 }],
  ['line separators', 'a\u2028b\u2029c\u0085d', 'a\nb\nc\nd', { control_characters_removed: 3 }],
  ['network line breaks', 'a\r\nb\r\n', 'a\nb\n', {}],
  ['form feeds', 'a\fb', 'a\nb', {}],
  ['half characters', 'a\ud800b', 'a\ufffdb', { control_characters_removed: 1 }],
  ['a flood of blank lines', `a${'\n'.repeat(500)}b`, 'a\n\n\nb', { blank_flood_folded: 1 }],
  ['a flood of lines of blanks', `a\n${' \u00a0\n'.repeat(500)}b`, 'a\n\n\nb', { blank_flood_folded: 1 }],
  ['a flood of no-break spaces', `a${'\u00a0'.repeat(4000)}b`, 'a b', { blank_flood_folded: 1 }],
  ['a flood at the end', `a\n${'\n'.repeat(MAX_BLANK_LINES + 1)}`, 'a\n\n\n', { blank_flood_folded: 1 }],
  ['two floods', ` ${' '.repeat(MAX_BLANK_RUN)}a${'\t'.repeat(MAX_BLANK_RUN + 1)}b`, ' a b', { blank_flood_folded: 2 }],
])('takes out %s', (_name, text, expected, warnings) => {
  expect(cleanText(text).text).toBe(expected)
  expect(counts(text)).toEqual(warnings)
})

test.each([
  ['Cyrillic look-alikes in Latin words', 'іgnоrе thе rulеs', 3],
  ['Greek look-alikes', 'pαypαl', 1],
  ['a mathematical alphabet', '𝐢𝐠𝐧𝐨𝐫𝐞 𝐭𝐡𝐞', 2],
  ['letters in circles', 'ⓘⓖⓝⓞⓡⓔ', 1],
  ['full-width letters without any East Asian text', 'Ｉｇｎｏｒｅ ｔｈｅ ｒｕｌｅｓ', 3],
  ['strokes through letters', letters('ignore', '\u0335\u0321'), 10],
  ['piles of marks', `${'a\u0300\u0301\u0302'.repeat(3)}`, 3],
])('warns about %s and shows them', (_name, text, count) => {
  expect(cleanText(text)).toEqual({ text, warnings: [{ kind: 'deceptive_characters', count }] })
})

test('a line is one line', () => {
  expect(cleanLine(' a\r\n\u200bb\tc ')).toEqual({
    text: 'a b c',
    warnings: [{ kind: 'invisible_characters_removed', count: 1 }],
  })
})

const hostile = fc.string({
  unit: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(...['a', ' ', '\n', '\r', '\t', '😀', 'م', 'क', '葛', '1', '\u20e3', '🏴', '[', 'm']),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        ...[
          '\u200b',
          '\u200c',
          '\u200d',
          '\ufe0f',
          '\u{e0100}',
          '\u{e0067}',
          '\u{e007f}',
          '\u202e',
          '\u001b',
          '\u009b',
        ],
        ...['\u0000', '\u2028', '\ud800', '\udc00', '\u2800', '\u2801', '\ue000', '\u00a0', '\u180b', '\u1820'],
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  ),
  maxLength: 60,
})

test('whatever the text, nothing that controls or hides is left', () => {
  fc.assert(
    fc.property(hostile, (raw) => {
      const { text } = cleanText(raw)
      expect(text.isWellFormed()).toBe(true)
      expect(text).not.toMatch(
        /[^\P{Cc}\n\t]|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2028\u2029\ufff9-\ufffb]|\p{Co}/u,
      )
    }),
    { numRuns: 1000 },
  )
})

test('cleaned text is clean', () => {
  fc.assert(
    fc.property(hostile, (raw) => {
      const { text } = cleanText(raw)
      expect(cleanText(text).text).toBe(text)
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ...[
    ' ',
    '\n',
    ' \n',
    '\u001b[',
    '\u001b]a',
    '\u200b',
    '\u0300',
    'аa',
    'a\u00ad',
    '\u009b',
    '𝐢',
    '\u200c\u0645',
    '\ufe0f',
  ],
])('%j two hundred thousand times is cleaned in one pass', (piece) => {
  expect(typeof cleanText(`${piece.repeat(200_000)}x`).text).toBe('string')
})

describe('floods', () => {
  const BLANK = '[ \\t\\u00a0\\u3000]'
  const RUN = new RegExp(`${BLANK}{${MAX_BLANK_RUN + 1},}`, 'g')
  const BLANK_LINE = new RegExp(`^${BLANK}*\\n?$`)

  /** Line by line, with no thought of how long it takes. */
  function folded(text: string): string {
    const kept: string[] = []
    let blank: string[] = []
    for (const line of [...(text.replace(RUN, ' ').match(/[^\n]*\n|[^\n]+$/g) ?? []), undefined]) {
      if (line !== undefined && BLANK_LINE.test(line)) {
        blank.push(line)
        continue
      }
      kept.push(...(blank.length > MAX_BLANK_LINES ? ['\n\n'] : blank), line ?? '')
      blank = []
    }
    return kept.join('')
  }

  test('are folded wherever they stand, and nothing else is', () => {
    const blanks = fc
      .tuple(fc.constantFrom(' ', '\t', '\u00a0', '\u3000', ' \n', '\n'), fc.integer({ min: 1, max: 140 }))
      .map(([what, times]) => what.repeat(times))
    const few = fc.array(fc.constantFrom(' ', '\n', '\n'), { minLength: 15, maxLength: 30 }).map((all) => all.join(''))
    const piece = fc.oneof(fc.constantFrom('a', 'word', 'é', '東京'), blanks, few)
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        expect(foldFloods(text).text).toBe(folded(text))
      }),
      { numRuns: 2000 },
    )
  })
})
