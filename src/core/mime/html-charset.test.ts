import { expect, test } from 'vitest'
import { decodeHtml } from './html-charset.ts'

const ascii = (text: string): number[] => [...new TextEncoder().encode(text)]
const PRI = [0xcf, 0xf0, 0xe8]
const page = (head: string, bytes: readonly number[]): Uint8Array =>
  Uint8Array.from([...ascii(`<html><head>${head}</head><body>`), ...bytes, ...ascii('</body></html>')])
const read = (head: string, bytes: readonly number[], label?: string): string =>
  /<body>(.*)<\/body>/s.exec(decodeHtml(page(head, bytes), label))?.[1] ?? ''

const OLD = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">'

test.each([
  ['the HTML', '<meta charset="windows-1251">', undefined, 'При'],
  ['the HTML, as it was written once', OLD, undefined, 'При'],
  ['the HTML, where the mail says what is not true', '<META CHARSET = cp1251 />', 'us-ascii', 'При'],
  ['the mail first', '<meta charset="windows-1251">', 'koi8-r', 'оПХ'],
  ['nobody', '', undefined, 'Ïðè'],
  ['the HTML, what it cannot be', '<meta charset="utf-16">', undefined, 'Ïðè'],
  ['the HTML, what is nothing', '<meta charset="x-nobody">', undefined, 'Ïðè'],
  ['the HTML too late', `<style>${' '.repeat(3000)}</style><meta charset="windows-1251">`, undefined, 'Ïðè'],
])('its characters are told by %s', (_who, head, label, expected) => {
  expect(read(head, PRI, label)).toBe(expected)
})

test('what is UTF-8 is read so, though its HTML says otherwise', () => {
  expect(read('<meta charset="gbk">', ascii('Привет, 世界'))).toBe('Привет, 世界')
})

test('no label turns tags into letters', () => {
  const bytes = ascii('\u001b$B<p>a</p>')
  expect(read('<meta charset="iso-2022-jp">', [...bytes, 0xe9])).toContain('<p>a</p>')
  for (const label of ['gbk', 'big5', 'shift_jis', 'euc-jp', 'euc-kr'])
    expect(read(`<meta charset="${label}">`, [0x81, ...ascii('<p>a</p>'), 0xe9])).toContain('<p>a</p>')
})
