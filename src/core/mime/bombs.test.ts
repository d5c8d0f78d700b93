/** Messages made to eat time or memory: each is read whole, in one pass, within the caps. */
import { expect, test } from 'vitest'
import { parseAddresses } from './addresses.ts'
import { attachmentsOf, chooseBodies } from './bodies.ts'
import { decodeCharset } from './charset.ts'
import { parseDate } from './date.ts'
import { decodeUnstructured, firstField, MAX_HEADER_FIELDS, parseHeader } from './header.ts'
import { MAX_PARTS, parseStructure } from './structure.ts'
import { decodeTransfer } from './transfer.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const multipart = (boundary: string): string => `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n`

test.each([
  [
    'ten thousand multiparts in each other',
    Array.from({ length: 10_000 }, (_, at) => `${multipart(`b${at}`)}--b${at}\r\n`).join(''),
  ],
  ['ten thousand multiparts of one boundary', `${multipart('b')}--b\r\n`.repeat(10_000)],
  ['a thousand messages in each other', 'Content-Type: message/rfc822\r\n\r\n'.repeat(1_000)],
  ['a hundred thousand parts', multipart('b') + '--b\r\n\r\nx\r\n'.repeat(100_000)],
  [
    'a boundary of a hundred thousand letters',
    multipart('a'.repeat(100_000)) + `--${'a'.repeat(100_000)}\r\n`.repeat(10),
  ],
  ['beginnings of a boundary', multipart('a'.repeat(70)) + `--${'a'.repeat(69)}\r\n`.repeat(100_000)],
  ['line breaks', multipart('b') + '\n'.repeat(5_000_000)],
  ['one line', `A: b\r\n\r\n${'a'.repeat(10_000_000)}`],
  ['a field of sixteen million letters', `X: ${'a'.repeat(16_777_216)}\r\n\r\n`],
  ['a field of a million lines', `X: a\r\n${' a\r\n'.repeat(1_000_000)}\r\n`],
])('%s', (_name, raw) => {
  const { root } = parseStructure(bytes(raw))
  const [plain] = chooseBodies(root).flatMap((body) => body.plain)
  expect(attachmentsOf(root).length).toBeLessThanOrEqual(MAX_PARTS)
  expect(plain === undefined || plain.end <= raw.length).toBe(true)
})

test('a hundred thousand fields', () => {
  const header = parseHeader(bytes(Array.from({ length: 100_000 }, (_, at) => `X-${at}: v\r\n`).join('')))
  expect(header).toHaveLength(MAX_HEADER_FIELDS)
})

test('a message cut at every byte is a message', () => {
  const whole = bytes(
    `Subject: =?utf-8?q?caf=C3=A9?=\r\n${multipart('"a b"')}--a b\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      'Content-Transfer-Encoding: quoted-printable\r\n\r\ncaf=C3=A9 =\r\nau lait\r\n--a b\r\nContent-Type: message/rfc822\r\n\r\n' +
      'Subject: inner\r\n\r\ntext\r\n--a b--\r\n',
  )
  for (let end = 0; end <= whole.length; end++) {
    const start = whole.subarray(0, end)
    const { root, header } = parseStructure(start)
    decodeUnstructured(firstField(header, 'subject') ?? '')
    const [plain] = chooseBodies(root).flatMap((body) => body.plain)
    if (plain === undefined) continue
    const text = decodeCharset(decodeTransfer(start.subarray(plain.start, plain.end), plain.encoding), 'utf-8', {
      partial: true,
    })
    expect(text).not.toContain('\ufffd')
  }
})

test('fields and parameters that are named like parts of the language', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  const raw = bytes(
    `${names.map((name) => `${name}: x\r\n`).join('')}Content-Type: text/plain; ${names.map((name) => `${name}=x`).join('; ')}\r\n\r\n`,
  )
  const { header, root } = parseStructure(raw)
  expect(names.map((name) => firstField(header, name))).toEqual(['x', 'x', 'x', 'x'])
  expect(Object.keys(root.parameters)).toEqual(names.map((name) => name.toLowerCase()))
  expect(Object.getPrototypeOf(root.parameters)).toBe(Object.prototype)
})

test.each(['__proto__', 'constructor', 'utf-8\u0000', 'a'.repeat(1_000_000), 'replacement'])(
  'a charset called %.20s',
  (label) => {
    expect(decodeCharset(bytes('café'), label)).toBe('café')
  },
)

test.each([
  'Mon, 26 Feb 99999 10:30:00 +0000',
  'Mon, -1 Feb 2024 10:30:00 +0000',
  '1e400',
  '('.repeat(100_000),
  ' '.repeat(100_000),
])('a date of %.40s', (value) => {
  expect(parseDate(value)).toBeUndefined()
})

test.each(['<', '"', '(', ' ', '=?a?q?', '(('])('addresses made of %j', (piece) => {
  expect(parseAddresses(`${piece.repeat(300_000)}@`).length).toBeGreaterThan(0)
})
