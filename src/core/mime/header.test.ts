import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  allFields,
  decodeUnstructured,
  firstField,
  headerExtent,
  MAX_HEADER_BYTES,
  MAX_HEADER_FIELDS,
  oneLine,
  parseHeader,
} from './header.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const latin1 = (text: string): Uint8Array => Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)))

test.each([
  ['one field', 'Subject: hello\r\n\r\nbody', [['Subject', 'hello']]],
  [
    'bare line feeds',
    'A: 1\nB: 2\n\nC: 3',
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  ['a folded field', 'Subject: one\r\n two\r\n\tthree\r\n', [['Subject', 'one two three']]],
  ['a field folded before its value', 'Subject:\r\n hello\r\n', [['Subject', 'hello']]],
  ['a name as written, blanks before the colon', 'sUBject \t: x\r\n', [['sUBject', 'x']]],
  [
    'no blank line at the end',
    'A: 1\r\nB: 2',
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  ['a mailbox file’s first line', 'From me@x Mon Feb 26 10:30:00 2024\nA: 1\n', [['A', '1']]],
  [
    'lines that are no fields',
    'A: 1\nrubbish\n of two lines\nB: 2\n',
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  ['a continuation of nothing', ' x: y\nA: 1\n', [['A', '1']]],
  ['a lone carriage return', 'A: 1\rB: 2\r\n', [['A', '1\rB: 2']]],
  [
    'an empty value',
    'A:\r\nB: \r\n',
    [
      ['A', ''],
      ['B', ''],
    ],
  ],
  ['nothing', '', []],
  ['a byte order mark', '\uFEFFA: 1\r\n', [['A', '1']]],
  ['UTF-8', 'A: żółć\u00a0\r\n', [['A', 'żółć\u00a0']]],
])('parses %s', (_name, raw, expected) => {
  expect(parseHeader(bytes(raw)).map(({ name, value }) => [name, value])).toEqual(expected)
})

test('each field is UTF-8 where it can be and latin-1 where it cannot', () => {
  const raw = new Uint8Array([
    ...bytes('A: caf\u00e9 \u00e0\r\nB: '),
    ...latin1('caf\u00e9'),
    ...bytes('\r\nC: ok\r\n'),
  ])
  expect(parseHeader(raw).map(({ value }) => value)).toEqual(['café à', 'café', 'ok'])
})

test('a field is found whatever the case of its name', () => {
  const fields = parseHeader(bytes('To: a\r\nTO: b\r\nTool: c\r\n'))
  expect([
    firstField(fields, 'tO'),
    allFields(fields, 'to'),
    firstField(fields, 'cc'),
    allFields(fields, 'cc'),
  ]).toEqual(['a', ['a', 'b'], undefined, []])
})

test('there is an end to the number of fields', () => {
  expect(parseHeader(bytes('A: 1\n'.repeat(MAX_HEADER_FIELDS + 5)))).toHaveLength(MAX_HEADER_FIELDS)
})

test('beyond the byte limit the header ends with a whole field', () => {
  const fields = parseHeader(bytes(`A: 1\r\nB: ${'é'.repeat(MAX_HEADER_BYTES)}\r\nC: 3\r\n\r\n`))
  expect(fields).toEqual([{ name: 'A', value: '1' }])
})

test.each([
  ['an encoded line break', '=?utf-8?B?SGkNCkJjYzogeEB5?=', 'Hi Bcc: x@y'],
  ['control characters', 'a\u0000b\u001bc\u009bd', 'a b c d'],
  ['a tab', 'a\tb', 'a b'],
  ['line and paragraph separators', 'a\u2028b\u2029c', 'a b c'],
  ['blanks at the ends', '  a  b  ', 'a  b'],
])('makes one line of %s', (_name, value, expected) => {
  expect(decodeUnstructured(value)).toBe(expected)
})

test('the extent of a header is up to its blank line', () => {
  expect(headerExtent(bytes('A: 1\r\n\r\nbody'))).toEqual({ end: 6, bodyStart: 8 })
  expect(headerExtent(bytes('\nbody'))).toEqual({ end: 0, bodyStart: 1 })
  expect(headerExtent(bytes('A: 1'))).toEqual({ end: 4, bodyStart: 4 })
})

test('whatever the bytes, every decoded value is one line without control characters', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (raw) => {
      for (const { value } of parseHeader(raw)) expect(decodeUnstructured(value)).not.toMatch(/\p{Cc}/u)
    }),
  )
})

test('fields that are written can be read', () => {
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,20}$/)
  const value = fc.stringMatching(/^[!-~]([ -~]{0,40}[!-~])?$/)
  fc.assert(
    fc.property(fc.array(fc.record({ name, value }), { maxLength: 20 }), (fields) => {
      const raw = bytes(`${fields.map((field) => `${field.name}: ${field.value}\r\n`).join('')}\r\nnot: a field`)
      expect(parseHeader(raw)).toEqual(fields)
    }),
  )
})

test('a line that is one already stays as it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(oneLine(oneLine(text))).toBe(oneLine(text))
    }),
  )
})
