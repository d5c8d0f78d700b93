import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeTransfer } from './transfer.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (text: string, encoding: string): string =>
  new TextDecoder().decode(decodeTransfer(bytes(text), encoding))

test.each([
  ['base64', 'aGVsbG8=', 'hello'],
  ['base64', 'aGVs\r\nbG8=\r\n', 'hello'],
  ['BASE64 ', 'aGVsbG8', 'hello'],
  ['base64', 'aG*Vs!bG\u00e98=', 'hello'],
  ['base64', 'aGk=aGk=', 'hihi'],
  ['base64', 'a', ''],
  ['base64', '====', ''],
  ['quoted-printable', 'caf=C3=A9', 'café'],
  ['quoted-printable', 'caf=c3=a9', 'café'],
  ['quoted-printable', 'soft=\r\nbreak', 'softbreak'],
  ['quoted-printable', 'soft= \t\nbreak', 'softbreak'],
  ['quoted-printable', 'trailing  \t\r\nnext', 'trailing\r\nnext'],
  ['quoted-printable', 'kept=20\r\n', 'kept \r\n'],
  ['quoted-printable', 'a = b =ZZ =4', 'a = b =ZZ '],
  ['quoted-printable', 'cut off=', 'cut off'],
  ['7bit', 'as =41 is', 'as =41 is'],
  ['binary', 'as is', 'as is'],
  ['x-nobody-knows', 'as is', 'as is'],
  ['x-uuencode', 'begin 644 x\n%:&5L;&\\\n`\nend\n', 'hello'],
  ['x-uuencode', 'no beginning', 'no beginning'],
])('%s %j', (encoding, text, expected) => {
  expect(decode(text, encoding)).toBe(expected)
})

test('base64 of any bytes comes back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
      expect([...decodeTransfer(bytes(btoa(String.fromCharCode(...raw))), 'base64')]).toEqual([...raw])
    }),
  )
})

test('quoted-printable of any bytes comes back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
      const encoded = [...raw].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join('=\r\n')
      expect([...decodeTransfer(bytes(encoded), 'quoted-printable')]).toEqual([...raw])
    }),
  )
})

test.each(['base64', 'quoted-printable', 'x-uuencode', '8bit'])(
  '%s is never longer than what was encoded',
  (encoding) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (raw) => {
        expect(decodeTransfer(raw, encoding).length).toBeLessThanOrEqual(raw.length)
      }),
    )
  },
)

test.each(['base64', 'quoted-printable'])('a cut-off %s text gives the beginning of the whole', (encoding) => {
  const text = fc.string({ unit: fc.constantFrom(...'abYZ09+/= =\t\r\n=3D') })
  fc.assert(
    fc.property(text, fc.nat({ max: 100 }), (whole, at) => {
      const start = decode(whole.slice(0, at), encoding)
      expect(decode(whole, encoding).startsWith(start.replace(/\ufffd+$/, ''))).toBe(true)
    }),
    { examples: [[' \ra', 2]] },
  )
})
