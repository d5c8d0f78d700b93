import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeParameters, MAX_PARAMETERS, parseContentType, parseDisposition } from './parameters.ts'

test.each([
  ['text/plain', 'text/plain', {}],
  ['Text/HTML; Charset=UTF-8', 'text/html', { charset: 'UTF-8' }],
  ['text/plain; charset="utf-8"; format=flowed', 'text/plain', { charset: 'utf-8', format: 'flowed' }],
  ['text/plain (really); charset = us-ascii (Plain text)', 'text/plain', { charset: 'us-ascii' }],
  ['multipart/mixed; boundary="a;b=\\"c"', 'multipart/mixed', { boundary: 'a;b="c' }],
  ['multipart/mixed; boundary="=?utf-8?q?x?="', 'multipart/mixed', { boundary: '=?utf-8?q?x?=' }],
  ['application/pdf; name=my report (1).pdf', 'application/pdf', { name: 'my report (1).pdf' }],
  ['application/pdf; name="=?utf-8?q?caf=C3=A9.pdf?="', 'application/pdf', { name: 'café.pdf' }],
  ['application/x; name="unfinished', 'application/x', { name: 'unfinished' }],
  ['text/plain; a=1; a=2', 'text/plain', { a: '1' }],
  [
    'text/plain; __proto__=x; constructor=y',
    'text/plain',
    Object.fromEntries([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]),
  ],
  ['text', 'text/plain', {}],
  ['', 'text/plain', {}],
  ['; charset=utf-8', 'text/plain', { charset: 'utf-8' }],
  ['nonsense', 'application/octet-stream', {}],
  ['te\u0000xt/plain', 'application/octet-stream', {}],
  ['a/b/c', 'application/octet-stream', {}],
  ['text / plain', 'text/plain', {}],
  ['text/plain charset=utf-8', 'text/plain', { charset: 'utf-8' }],
  ['text/plain rubbish', 'text/plain', {}],
])('content type %j', (value, type, parameters) => {
  expect(parseContentType(value)).toEqual({ type, parameters })
})

test.each([
  ['attachment; filename=a.txt', 'attachment', { filename: 'a.txt' }],
  ['INLINE', 'inline', {}],
  ["attachment; filename*=UTF-8''na%C3%AFve%20file.txt", 'attachment', { filename: 'naïve file.txt' }],
  ["attachment; filename*=iso-8859-1'en'%A3%20rates", 'attachment', { filename: '£ rates' }],
  ['attachment; filename*0="a ";filename*1="b";filename*2=".txt"', 'attachment', { filename: 'a b.txt' }],
  ["attachment; filename*1*=%A9; filename*0*=utf-8''%C3; filename*2=.txt", 'attachment', { filename: 'é.txt' }],
  ["attachment; filename=plain.txt; filename*=utf-8''%C3%A9.txt", 'attachment', { filename: 'é.txt' }],
  ['attachment; filename*0="=?utf-8?Q?caf"; filename*1="=C3=A9?="', 'attachment', { filename: 'café' }],
  ['attachment; filename="a\r\nb\u0000.txt"', 'attachment', { filename: 'a b .txt' }],
  ['', '', {}],
])('disposition %j', (value, disposition, parameters) => {
  expect(parseDisposition(value)).toEqual({ disposition, parameters })
})

test('parameters that a server split are joined and decoded', () => {
  const split = { 'NAME*0*': "utf-8''%E2%82", 'name*1*': '%AC', 'name*10': '!', 'name*2': ' 100%', charset: 'UTF-8' }
  expect(decodeParameters(split)).toEqual({ name: '€ 100%!', charset: 'UTF-8' })
})

test('a percent sign that begins no escape stays', () => {
  expect(decodeParameters({ 'name*': "utf-8''100%25%zz%4" })).toEqual({ name: '100%%zz%4' })
})

test('there is an end to the number of parameters', () => {
  const many = Array.from({ length: MAX_PARAMETERS + 100 }, (_, at) => `p${at}=1`).join(';')
  expect(Object.keys(parseContentType(`text/plain;${many}`).parameters)).toHaveLength(MAX_PARAMETERS)
})

test('whatever the text, every value is one line', () => {
  const text = fc.string({ unit: fc.constantFrom(...'a=;"\\(*0\'%C3 \r\n/?\u0000é') })
  fc.assert(
    fc.property(text, (value) => {
      const { type, parameters } = parseContentType(value)
      expect(type).toMatch(/^[^\s/;]+\/[^\s/;]+$/)
      for (const parameter of Object.values(parameters)) expect(parameter).not.toMatch(/\p{Cc}/u)
    }),
  )
})

test('comments, quotes and sections without end are read once', () => {
  for (const value of ['('.repeat(100_000), '"'.repeat(100_000), '(a)'.repeat(30_000), `a=${'\\'.repeat(100_000)}`]) {
    expect(typeof parseContentType(value).type).toBe('string')
  }
})
