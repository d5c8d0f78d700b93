import { expect, test } from 'vitest'
import { FIRST_LINE_BYTES, LAST_BYTES, sizeFromEnds } from './encoded-size.ts'

const LENGTHS = [1000, 4096, 4097, 4098, 5700, 5757, 99_999]

test.each([
  [76, '\r\n', ''],
  [76, '\r\n', '\r\n'],
  [76, '\n', '\n'],
  [72, '\r\n', '\r\n\r\n'],
  [60, '\r\n', ''],
  [Number.POSITIVE_INFINITY, '', '\r\n'],
])('lines of %s characters, ended by %j, then %j', (width, lineBreak, after) => {
  for (const length of LENGTHS) {
    const encoded = `${wrapped(btoa('x'.repeat(length)), width, lineBreak)}${after}`
    expect(sizeFromEnds({ encoding: 'base64', size: encoded.length }, endsOf(encoded))).toBe(length)
  }
})

test('a part that is there whole is decoded, whatever its encoding', () => {
  const bytes = new TextEncoder().encode('a=C3=A4=\r\nb')
  expect(sizeFromEnds({ encoding: 'quoted-printable', size: 999 }, { bytes, complete: true })).toBe(4)
})

test('what the ends do not tell is estimated', () => {
  expect(sizeFromEnds({ encoding: 'base64', size: 7800 }, undefined)).toBe(5700)
  const odd = { bytes: new TextEncoder().encode('QUFB\r\nQUFBQUFB\r\n'), complete: false, last: new Uint8Array() }
  expect(sizeFromEnds({ encoding: 'base64', size: 7801 }, odd)).toBe(5700)
})

function wrapped(text: string, width: number, lineBreak: string): string {
  if (!Number.isFinite(width)) return text
  return (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(lineBreak)
}

function endsOf(encoded: string) {
  const bytes = new TextEncoder().encode(encoded)
  return { bytes: bytes.subarray(0, FIRST_LINE_BYTES), complete: false, last: bytes.subarray(-LAST_BYTES) }
}
