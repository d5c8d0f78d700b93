import { expect, test } from 'vitest'
import { decodeText } from './text-charset.ts'

const ascii = (text: string): number[] => [...new TextEncoder().encode(text)]
const PRI = [0xcf, 0xf0, 0xe8]
const page = (head: string, bytes: readonly number[]): Uint8Array =>
  Uint8Array.from([...ascii(`<html><head>${head}</head><body>`), ...bytes, ...ascii('</body></html>')])
const read = (head: string, bytes: readonly number[], charset?: string, type = 'text/html'): string =>
  /<body>(.*)<\/body>/s.exec(decodeText(page(head, bytes), { type, charset }))?.[1] ?? ''

const OLD = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">'

test.each([
  ['the HTML', '<meta charset="windows-1251">', undefined, 'При'],
  ['the HTML, as it was written once', OLD, undefined, 'При'],
  ['the HTML, where the mail says what is not true', '<META CHARSET = cp1251 />', 'us-ascii', 'При'],
  ['the mail first', '<meta charset="windows-1251">', 'koi8-r', 'оПХ'],
  ['nobody', '', undefined, 'Ïðè'],
  ['the HTML, what it cannot be', '<meta charset="utf-16">', undefined, 'Ïðè'],
  ['the HTML, what it cannot be, by another name', '<meta charset="csUnicode">', undefined, 'Ïðè'],
  ['the HTML, what only programs read', '<meta charset="x-user-defined">', undefined, 'Ïðè'],
  ['nobody, but in a comment', '<!-- <meta charset="windows-1251"> -->', undefined, 'Ïðè'],
  ['the HTML behind a comment', '<!--><meta charset="koi8-r"><!-- > -- -->', undefined, 'оПХ'],
  ['nobody, but under longer names', '<meta data-charset="windows-1251"><metadata charset="koi8-r">', undefined, 'Ïðè'],
  ['the HTML, what is nothing', '<meta charset="x-nobody">', undefined, 'Ïðè'],
  ['the HTML too late', `<style>${' '.repeat(3000)}</style><meta charset="windows-1251">`, undefined, 'Ïðè'],
])('its characters are told by %s', (_who, head, label, expected) => {
  expect(read(head, PRI, label)).toBe(expected)
})

test('only HTML says so itself', () => {
  expect(read('<meta charset="windows-1251">', PRI, undefined, 'text/plain')).toBe('Ïðè')
})

test('what is UTF-8 is read so, though its HTML says otherwise', () => {
  expect(read('<meta charset="gbk">', ascii('Привет, 世界'))).toBe('Привет, 世界')
})

test('also where the last of its characters is cut off', () => {
  const whole = page('<meta charset="windows-1251">', ascii('Привет')).subarray(0, -'</body></html>'.length)
  const kind = { type: 'text/html', charset: undefined }
  expect(decodeText(whole.subarray(0, -1), kind, { partial: true })).toMatch(/Приве$/)
})

test('no label turns tags into letters, nor letters into others that nobody sees', () => {
  const bytes = ascii('\u001b$B<p>a</p>+ADw-b+AD4-')
  for (const label of ['iso-2022-jp', 'csISO2022JP', 'cp50220', 'unicode-1-1-utf-7', 'csunicode11utf7', 'ucs-2'])
    expect(read(`<meta charset="${label}">`, [...bytes, 0xe9])).toContain('<p>a</p>+ADw-b+AD4-')
  for (const label of ['gbk', 'big5', 'shift_jis', 'euc-jp', 'euc-kr'])
    expect(read(`<meta charset="${label}">`, [0x81, ...ascii('<p>a</p>'), 0xe9])).toContain('<p>a</p>')
})

test('what is marked as UTF-16 says nothing else by what only those read who do not look at the mark', () => {
  const bytes = Uint8Array.from([0xff, 0xfe, ...ascii('<meta charset="koi8-r">'), 0x20, 0x1f, 0x04])
  expect(decodeText(bytes, { type: 'text/html', charset: undefined })).toMatch(/П$/)
})
