import { describe, expect, test } from 'vitest'
import { comparable, withCrlf } from './line-ends.ts'

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))
const text = (from: Uint8Array): string => Buffer.from(from).toString('latin1')

describe('what is sent', () => {
  test.each([
    ['bare LF', 'A: b\n\nc\nd\n', 'A: b\r\n\r\nc\r\nd\r\n'],
    ['mixed', '\nA: b\r\n\nc\r\n\n', '\r\nA: b\r\n\r\nc\r\n\r\n'],
    ['bare CR', 'A: b\r\n\r\nc\rd\r\n', 'A: b\r\n\r\nc\rd\r\n'],
    ['CR CR LF', 'A: b\r\r\nc', 'A: b\r\r\nc'],
    ['no final newline', 'A: b\n\nc', 'A: b\r\n\r\nc'],
    ['nothing', '', ''],
  ])('%s', (_, raw, sent) => {
    expect(text(withCrlf(bytes(raw)))).toBe(sent)
  })

  test('is the very message where nothing has to change', () => {
    const raw = bytes('A: b\r\n\r\nc\r\n')
    expect(withCrlf(raw)).toBe(raw)
    expect(comparable(raw)).toBe(raw)
  })
})

describe('what is compared', () => {
  test.each([
    'A: b\r\n\r\nc\r\nd\r\n',
    'A: b\n\nc\nd\n',
    'A: b\r\rc\rd',
    'A: b\r\n\nc\rd\r\n\r\n\r\n',
    'A: b\r\r\n\r\nc\r\nd',
  ])('%j is the same message', (raw) => {
    expect(text(comparable(bytes(raw)))).toBe('A: b\r\n\r\nc\r\nd\r\n')
  })

  test.each(['A: b\r\n\r\nc\r\n\r\nd\r\n', 'A: b\r\n\r\nc d\r\n', ' A: b\r\n\r\nc\r\nd\r\n'])(
    '%j is another',
    (raw) => {
      expect(text(comparable(bytes(raw)))).not.toBe('A: b\r\n\r\nc\r\nd\r\n')
    },
  )

  test('however many line ends there are', () => {
    const many = new Uint8Array(4_000_000).fill(0x0d)
    expect(comparable(many).length).toBe(2)
    many[many.length - 1] = 0x41
    expect(comparable(many).length).toBe((many.length - 1) * 2 + 3)
  })
})
