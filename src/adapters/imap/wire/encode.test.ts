import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../core/failure.ts'
import { dateTime, day, flag, keyword, keywords, message, type Piece, peek, peekPart, text, uidSet } from './command.ts'
import { encode, type LiteralManner } from './encode.ts'

function wire(pieces: readonly Piece[], manner: LiteralManner = 'plus'): string[] {
  return encode('t', pieces, manner).map(
    ({ parts, waits }) => Buffer.concat(parts).toString('latin1') + (waits ? '…' : ''),
  )
}

describe('pieces', () => {
  test('are joined by blanks, lists in parentheses', () => {
    const pieces = [...keywords('UID', 'FETCH'), uidSet('1:3,7'), [keyword('UID'), peek('HEADER', 10)]]
    expect(wire(pieces)).toEqual(['t UID FETCH 1:3,7 (UID BODY.PEEK[HEADER]<0.10>)\r\n'])
  })

  test('dates', () => {
    expect(wire([day('2024-02-09'), dateTime(0)])).toEqual(['t 9-Feb-2024 "01-Jan-1970 00:00:00 +0000"\r\n'])
  })

  test.each(['2024-13-01', '24-01-01', '2024-01-01 OR ALL', ''])('%j is no day', (value) => {
    expect(() => day(value)).toThrow(Failure)
  })

  test.each(['1', '1.2.3', '3.TEXT'])('%j is a part', (id) => {
    expect(wire([peekPart(id, 5)])).toEqual([`t BODY.PEEK[${id}]<0.5>\r\n`])
  })

  test.each(['', '0', '1]', '1.', 'HEADER', '1.HEADER', '1\r\n'])('%j is no part', (id) => {
    expect(() => peekPart(id, 5)).toThrow(Failure)
  })

  test('flags are written as servers know them', () => {
    expect(wire([[flag('\\SEEN'), flag('$Todo')]])).toEqual(['t (\\Seen $Todo)\r\n'])
  })
})

describe('text', () => {
  test.each([
    ['plain text', 't "plain text"\r\n'],
    ['', 't ""\r\n'],
    ['{5}', 't "{5}"\r\n'],
    ['say "hi"', 't {8+}\r\nsay "hi"\r\n'],
    ['back\\slash', 't {10+}\r\nback\\slash\r\n'],
    ['ü', 't {2+}\r\n\xc3\xbc\r\n'],
    ['tab\t', 't {4+}\r\ntab\t\r\n'],
  ])('%j', (value, expected) => {
    expect(wire([text(value)])).toEqual([expected])
  })

  test('beyond 199 bytes is a literal', () => {
    expect(wire([text('x'.repeat(199))])[0]).toContain('"xxx')
    expect(wire([text('x'.repeat(200))])[0]).toContain('{200+}')
  })

  test('waits where the server wants to be asked', () => {
    expect(wire([text('ü'), text('é')], 'synchronising')).toEqual(['t {2}\r\n…', '\xc3\xbc {2}\r\n…', '\xc3\xa9\r\n'])
    expect(wire([text('ü')], 'minus')).toEqual(['t {2+}\r\n\xc3\xbc\r\n'])
    expect(wire([message(Buffer.alloc(4097, 'x'))], 'minus')[0]).toBe('t {4097}\r\n…')
  })

  test.each(['a\rb', 'a\nb', 'a\0b'])('%j is refused', (value) => {
    expect(() => text(value)).toThrow(Failure)
  })

  test('never becomes anything but one string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (value) => {
        if (/[\r\n\0]/.test(value)) return
        const [sent = ''] = wire([text(value)])
        const bytes = Buffer.from(value).toString('latin1')
        const quoted = /^t "([^"\\\r\n]*)"\r\n$/.exec(sent)?.[1]
        expect(quoted ?? sent).toBe(quoted === undefined ? `t {${bytes.length}+}\r\n${bytes}\r\n` : bytes)
      }),
    )
  })
})
