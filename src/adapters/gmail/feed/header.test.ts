import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headerExtent, parseHeader } from '../../../core/mime/header.ts'
import { chosenFields } from './header.ts'

const NAMES = new Set(['from', 'subject', 'received'])

function chosen(text: string | Uint8Array): ReturnType<typeof chosenFields> & { readonly text: string } {
  const bytes = Buffer.from(text)
  const fields = chosenFields(bytes.subarray(0, headerExtent(bytes).end), NAMES)
  return { ...fields, text: Buffer.from(fields.header).toString('latin1') }
}

test('the fields asked for, as they stand, in any case, with what was folded', () => {
  const header =
    'FROM: a\r\nX-From: b\r\nSubject:\r\n one\r\n\ttwo\r\nreceived : c\r\nTo: From: d\r\n\r\nFrom: body\r\n'
  expect(chosen(header).text).toBe('FROM: a\r\nSubject:\r\n one\r\n\ttwo\r\nreceived : c\r\n\r\n')
})

test('what is longer than is ever read is cut at a whole field', () => {
  const long = `Subject: ${'x'.repeat(1000)}\r\n`
  const { header, cut } = chosen(`From: a\r\n${long.repeat(300)}\r\n`)
  expect(cut).toBe(true)
  expect(header.length).toBeLessThanOrEqual(262_144 + 2)
  expect(parseHeader(header)).toHaveLength(1 + Math.floor((262_144 - 9) / long.length))
})

test('whatever the bytes, the same fields are read from what was chosen as from the whole', () => {
  const piece = fc.constantFrom(
    ...[
      'From',
      'from ',
      ' Subject',
      'Received',
      'To',
      ':',
      ': ',
      ' ',
      '\t',
      '\r\n',
      '\n',
      '\r',
      'a',
      '=?',
      '\u00ef\u00bb\u00bf',
    ],
    ...['\r\n\r\n', '\n\n', 'From: x\r\n', 'Subject: y\r\n z\r\n', 'é', '\0'],
  )
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => Buffer.from(pieces.join(''), 'latin1'))
  fc.assert(
    fc.property(fc.oneof(text, fc.uint8Array({ maxLength: 60 })), (bytes) => {
      const whole = parseHeader(bytes).filter(({ name }) => NAMES.has(name.toLowerCase()))
      const { header, cut } = chosen(bytes)
      expect(cut).toBe(false)
      expect(parseHeader(header)).toEqual(whole)
    }),
    { numRuns: 3000 },
  )
})
