import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeWords } from './words.ts'

test.each([
  ['nothing encoded', 'plain text', 'plain text'],
  ['quoted-printable', '=?utf-8?Q?caf=C3=A9_ol=C3=A9?=', 'café olé'],
  ['base64', '=?UTF-8?b?xbzDs8WC?=', 'żół'],
  ['text around it', 'a =?utf-8?q?b?= c', 'a b c'],
  ['blanks between words', '=?utf-8?q?a?=  =?utf-8?q?b?=', 'ab'],
  ['text between words', '=?utf-8?q?a?= x =?utf-8?q?b?=', 'a x b'],
  ['a character split over two words', '=?utf-8?B?w6nD?= =?utf-8?B?qQ==?=', 'éé'],
  ['charsets side by side', '=?iso-8859-1?q?=E9?= =?utf-8?q?=C3=A9?=', 'éé'],
  ['an escape-sequence charset', '=?ISO-2022-JP?B?GyRCJCIbKEI=?= =?ISO-2022-JP?B?GyRCJCIbKEI=?=', 'ああ'],
  ['a language', '=?utf-8*en?q?a?=', 'a'],
  ['an unknown charset', '=?x-nobody?q?caf=C3=A9?=', 'café'],
  ['an unknown charset with bytes of no UTF-8', '=?x-nobody?q?caf=E9?=', 'café'],
  ['a wrong escape', '=?utf-8?q?a=ZZ=4?=', 'a=ZZ=4'],
  ['unencoded 8-bit text', '=?utf-8?q?é?=', 'é'],
  ['missing padding', '=?utf-8?b?YQ?=', 'a'],
  ['an unfinished word', '=?utf-8?q?abc', '=?utf-8?q?abc'],
  ['an unknown encoding', '=?utf-8?x?abc?=', '=?utf-8?x?abc?='],
  ['an empty charset', '=??q?abc?=', '=??q?abc?='],
  ['an empty word', 'a =?utf-8?q??= b', 'a  b'],
])('%s', (_name, text, expected) => {
  expect(decodeWords(text)).toBe(expected)
})

test('what was encoded comes back, wherever it was split', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 20 }),
      (text, size) => {
        const bytes = [...new TextEncoder().encode(text)]
        const words: string[] = []
        for (let at = 0; at < bytes.length; at += size) {
          const hex = bytes.slice(at, at + size).map((byte) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`)
          words.push(`=?UTF-8?Q?${hex.join('')}?=`)
        }
        expect(decodeWords(words.join(' '))).toBe(new TextDecoder().decode(Uint8Array.from(bytes)))
      },
    ),
  )
})

test('any text can be decoded, and long runs of beginnings too', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'=?utf-8QqBb_ é\r\n') }),
      (text) => typeof decodeWords(text) === 'string',
    ),
  )
  const beginnings = '=?utf-8?q?'.repeat(100_000)
  expect(decodeWords(beginnings)).toBe(beginnings)
  expect(decodeWords('=?a?q?b?= '.repeat(80_000)).trim()).toBe('b'.repeat(80_000))
})
