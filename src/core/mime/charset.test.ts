import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeCharset } from './charset.ts'

const hex = (digits: string): Uint8Array =>
  Uint8Array.from(
    digits
      .split(' ')
      .filter((pair) => pair !== '')
      .map((pair) => Number.parseInt(pair, 16)),
  )
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

test.each([
  ['utf-8', 'c3 a9', 'é'],
  ['"UTF-8"', 'c3 a9', 'é'],
  ['iso-8859-1', 'e9 80', 'é€'],
  ['iso8859-1', 'e9', 'é'],
  ['cp1252', '93 e9 94', '“é”'],
  ['windows-1251', 'ef f0 e8', 'при'],
  ['cp1251', 'ef', 'п'],
  ['koi8-r', 'd0 d2', 'пр'],
  ['gb2312', 'c4 e3', '你'],
  ['gbk', 'c4 e3', '你'],
  ['ks_c_5601-1987', 'b0 a1', '가'],
  ['ks_c_5601', 'b0 a1', '가'],
  ['cp949', 'b0 a1', '가'],
  ['ms949', 'b0 a1', '가'],
  ['windows-936', 'c4 e3', '你'],
  ['windows-950', 'a7 41', '你'],
  ['windows-932', '82 a0', 'あ'],
  ['euc_jp', 'a4 a2', 'あ'],
  ['mac-cyrillic', '8f', 'П'],
  ['win-1251', 'ef', 'п'],
  ['shift-jis', '82 a0', 'あ'],
  ['iso-2022-jp', '1b 24 42 24 22 1b 28 42', 'あ'],
  ['big5-hkscs', 'a7 41', '你'],
  ['utf-16', 'fe ff 00 41', 'A'],
  ['utf-16', '00 41 00 42', 'AB'],
  ['utf-16', '41 00 42 00', 'AB'],
  ['us-ascii', 'c3 a9', 'é'],
  ['us-ascii', 'e9 41', 'éA'],
  [undefined, 'c3 a9', 'é'],
  ['', 'ef bb bf 41', 'A'],
  ['x-nobody', 'e9', 'é'],
  ['__proto__', 'c3 a9', 'é'],
  ['iso-2022-kr', '41', 'A'],
  // RFC 1557: `ESC $ ) C`, then pairs between SO and SI; a line begins in ASCII.
  ['iso-2022-kr', '1b 24 29 43 41 0e 30 21 30 22 0f 42', 'A가각B'],
  ['iso-2022-kr', '0e 30 21 0a 41 42', '가\nAB'],
  // RFC 1843: pairs between `~{` and `~}`; `~~` is a tilde, and a line break after a tilde is none.
  ['hz-gb-2312', '7e 7b 44 63 3a 43 7e 7d 7e 7e 41', '你好~A'],
  ['HZ', '41 7e 0a 42 7e 7b 44 63', 'AB你'],
  ['hz-gb-2312', '7e 7b 44 63 0a 41 42', '你\nAB'],
  ['hz-gb-2312', 'c4 e3 ba c3', '你好'],
  // Bytes that the charset does not have: UTF-8, EUC-JP, Shift_JIS.
  ['iso-2022-jp', 'e3 81 82 e3 81 84', 'あい'],
  ['iso-2022-jp', 'a4 a2 a4 a4', 'あい'],
  ['iso-2022-jp', '82 a0 82 a2', 'あい'],
  ['iso-2022-jp', '1b 24 42 24 22 1b 28 42 ff', 'あ\ufffd'],
  ['iso-2022-kr', 'b0 a1', '가'],
  ['us-ascii', 'f0 d2 c9 d7 c5 d4', 'Привет'],
  ['utf-8', 'ff 41', '\ufffdA'],
])('%s %s', (label, bytes, expected) => {
  expect(decodeCharset(hex(bytes), label)).toBe(expected)
})

test.each([
  ['Hi +AOk-t+AOk!', 'Hi été!'],
  ['1 +- 1', '1 + 1'],
  ['+2D3eAA-', '😀'],
  ['+2D0-', '\ufffd'],
  ['a+', 'a+'],
])('UTF-7 %j', (text, expected) => {
  expect(decodeCharset(ascii(text), 'utf-7')).toBe(expected)
})

test.each([
  ['utf-8', 'c3 a9 e2 82', 'é'],
  [undefined, 'c3 a9 e2 82', 'é'],
  ['us-ascii', '41 f0 9f 98', 'A'],
  ['gbk', 'c4 e3 c4', '你'],
  ['utf-16le', '41 00 42', 'A'],
])('a character cut off at the end of partial %s text is dropped', (label, bytes, expected) => {
  expect(decodeCharset(hex(bytes), label, { partial: true })).toBe(expected)
})

test('partial text of one call leaves nothing behind for the next', () => {
  decodeCharset(hex('e2 82'), 'utf-8', { partial: true })
  expect(decodeCharset(hex('41'), 'utf-8', { partial: true })).toBe('A')
  expect(decodeCharset(hex('41'), 'utf-8')).toBe('A')
})

test('mostly whole UTF-8 without a label is UTF-8 still', () => {
  expect(decodeCharset(new Uint8Array([...ascii('длинное имя'), 0xd1]), undefined)).toBe('длинное имя\ufffd')
})

test('whatever the bytes and the label, there is text without half characters', () => {
  const labels = fc.constantFrom(
    'utf-8',
    'utf-7',
    'utf-16',
    'gbk',
    'shift_jis',
    'iso-2022-jp',
    'us-ascii',
    'nonsense',
    '',
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), labels, fc.boolean(), (bytes, label, partial) => {
      expect(decodeCharset(bytes, label, { partial }).isWellFormed()).toBe(true)
    }),
  )
})

test('what a server sends for a NUL between letters is a NUL; elsewhere it is a broken character', () => {
  const sent = new Uint8Array([...'ab'].flatMap((letter) => [letter.charCodeAt(0), 0x80]))
  expect(decodeCharset(sent, 'utf-8')).toBe('a\0b\ufffd')
  expect(decodeCharset(sent, 'windows-1252')).toBe('a€b€')
  expect(decodeCharset(new TextEncoder().encode('a–b'), 'utf-8')).toBe('a–b')
})

test('without a label, what is marked as UTF-16 is read so', () => {
  for (const label of [undefined, 'us-ascii', 'binary']) {
    expect(decodeCharset(hex('ff fe 3c 00 1f 04'), label)).toBe('<П')
    expect(decodeCharset(hex('fe ff 00 3c 04 1f'), label)).toBe('<П')
    expect(decodeCharset(hex('ff fe 3c 00 1f'), label, { partial: true })).toBe('<')
  }
  expect(decodeCharset(hex('ff fe 3c'), 'iso-8859-1')).toBe('ÿþ<')
})
