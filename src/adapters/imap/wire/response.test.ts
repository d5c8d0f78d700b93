import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../core/failure.ts'
import { FrameReader, type Limits } from './frames.ts'
import { readResponse } from './response.ts'
import type { Response, Value } from './value.ts'

const LIMITS: Limits = { literal: 1000, response: 100_000 }

function read(text: string, limits = LIMITS): Response[] {
  const responses: Response[] = []
  feed(Buffer.from(text, 'latin1'), [], limits, responses)
  return responses
}

function feed(bytes: Uint8Array, chunkSizes: readonly number[], limits: Limits, into: Response[]): void {
  const reader = new FrameReader(() => limits)
  let at = 0
  for (const size of [...chunkSizes, bytes.length]) {
    reader.push(bytes.subarray(at, at + size), (frame) => into.push(readResponse(frame)))
    at += size
  }
}

/** A response as something to compare: strings as text. */
function plain(value: Value): unknown {
  if (value.kind === 'list') return value.items.map(plain)
  if (value.kind === 'string') return { text: Buffer.from(value.bytes).toString('latin1') }
  if (value.kind === 'quoted') return { text: value.text }
  return value.kind === 'nil' ? null : value.text
}

function valuesOf(line: string): unknown {
  const [response] = read(line)
  return response?.kind === 'data' ? response.values.map(plain) : response
}

describe('data', () => {
  test('atoms, strings, NIL and nested lists', () => {
    expect(valuesOf('* X a "b c" NIL (1 (2) () nil) \\Seen\r\n')).toEqual([
      'a',
      { text: 'b c' },
      null,
      ['1', ['2'], [], null],
      '\\Seen',
    ])
  })

  test('quotes and backslashes inside a string', () => {
    expect(valuesOf('* X "say \\"hi\\" \\\\o/"\r\n')).toEqual([{ text: 'say "hi" \\o/' }])
  })

  test('literals, also empty ones, with anything inside', () => {
    expect(valuesOf('* X ({5}\r\na\r\n)) {0}\r\n "x")\r\n')).toEqual([
      [{ text: 'a\r\n))' }, { text: '' }, { text: 'x' }],
    ])
  })

  test('a section with blanks is one word', () => {
    const line = '* 3 FETCH (BODY[HEADER.FIELDS (DATE "FROM]")]<0> "x" BODY[]<7> NIL)\r\n'
    expect(valuesOf(line)).toEqual([['BODY[HEADER.FIELDS (DATE "FROM]")]<0>', { text: 'x' }, 'BODY[]<7>', null]])
  })

  test('a bracket in another word is just a character', () => {
    expect(valuesOf('* LIST () "/" foo[bar\r\n')).toEqual([[], { text: '/' }, 'foo[bar'])
  })

  test('the number and the name', () => {
    expect(read('* 12 exists\r\n')).toEqual([{ kind: 'data', name: 'EXISTS', number: 12, values: [] }])
  })

  test('a line may end with LF alone', () => {
    expect(read('* 12 EXISTS\n')).toHaveLength(1)
  })
})

describe('numbers', () => {
  test.each([
    ['* SEARCH 1 2 4294967295\r\n', [1, 2, 4294967295]],
    ['* SEARCH\r\n', []],
    ['* SORT 3 1 \r\n', [3, 1]],
    ['* SEARCH 5 (MODSEQ 917162500)\r\n', [5]],
  ])('%j', (line, numbers) => {
    expect(read(line)).toMatchObject([{ kind: 'numbers', numbers }])
  })

  test.each(['* SEARCH 1 x\r\n', '* SEARCH 99999999999\r\n', '* SORT "1"\r\n'])('%j is refused', (line) => {
    expect(() => read(line)).toThrow(Failure)
  })

  test('a hundred thousand of them', () => {
    const line = `* SEARCH ${Array.from({ length: 100_000 }, (_, index) => index + 1).join(' ')}\r\n`
    const [response] = read(line, { literal: 1, response: 1_000_000 })
    expect(response?.kind === 'numbers' ? response.numbers.length : 0).toBe(100_000)
  })
})

describe('status', () => {
  test.each([
    ['a1 OK done\r\n', { tag: 'a1', status: 'OK', code: undefined, text: 'done' }],
    ['* OK [UIDVALIDITY 7] fine\r\n', { tag: '*', code: { name: 'UIDVALIDITY', rest: '7' }, text: 'fine' }],
    ['a1 no [TRYCREATE]\r\n', { status: 'NO', code: { name: 'TRYCREATE', rest: '' }, text: '' }],
    ['* OK [X "]" y] z\r\n', { code: { name: 'X', rest: '"]" y' }, text: 'z' }],
    ['* OK [unfinished\r\n', { code: undefined, text: '[unfinished' }],
    ['* OK looks like {5}\r\n', { text: 'looks like {5}' }],
    ['a1 BAD\r\n', { status: 'BAD', text: '' }],
  ])('%j', (line, expected) => {
    expect(read(line)).toMatchObject([{ kind: 'status', ...expected }])
  })

  test('an invitation', () => {
    expect(read('+ idling {5}\r\n+\r\n')).toEqual([{ kind: 'continue' }, { kind: 'continue' }])
  })
})

describe('limits', () => {
  test.each([
    ['a literal longer than asked for', '* X {1001}\r\n'],
    ['an endless line', `* X ${'x'.repeat(100_001)}`],
    ['many literals', `* X ${'{999}\r\n'.concat('y'.repeat(999), ' ').repeat(110)}`],
    ['lists nested too deeply', `* X ${'('.repeat(600)}`.concat('\r\n')],
    ['a list that ends before it begins', '* X )\r\n'],
    ['a list without an end', '* X (\r\n'],
    ['a string without an end', '* X "a\\"\r\n'],
    ['a section without an end', '* 1 FETCH (BODY[x\r\n'],
    ['a literal that goes on', '* X {2}\r\nabcd\r\n'],
    ['an empty line', '\r\n'],
  ])('%s is refused', (_what, line) => {
    expect(() => read(line)).toThrow(Failure)
  })

  test('megabytes in one word or string are read without recursion', () => {
    const limits = { literal: 1, response: 10_000_000 }
    const [word] = read(`* X ${'x'.repeat(5_000_000)}\r\n`, limits)
    const [text] = read(`* X "${'\\\\'.repeat(2_000_000)}"\r\n`, limits)
    expect([word?.kind, text?.kind]).toEqual(['data', 'data'])
  })
})

describe('whatever the bytes', () => {
  const piece = fc.constantFrom(
    ...[
      '* ',
      'a1 ',
      '+ ',
      'OK ',
      'NO ',
      'BYE ',
      'FETCH ',
      'SEARCH ',
      'BODY[',
      ']',
      '<0>',
      '(',
      ')',
      '"',
      '\\',
      '[',
      ' ',
    ],
    ...[
      '{3}\r\n',
      '{0}\r\n',
      '~{2}\r\n',
      '{9999999999}',
      '{5+}\r\n',
      '\r\n',
      '\n',
      '\r',
      '\0',
      'NIL',
      '12',
      'ü',
      '\xff',
    ],
  )
  const stream = fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 60 }).map((all) => all.join(''))
  const outcome = (bytes: Uint8Array, sizes: readonly number[]): unknown => {
    const responses: Response[] = []
    try {
      feed(bytes, sizes, LIMITS, responses)
      return responses
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return [...responses, error.message]
    }
  }

  test('nothing but our own failure is thrown, and any chunking reads the same', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat({ max: 7 }), { maxLength: 80 }), (text, sizes) => {
        const bytes = Buffer.from(text, 'latin1')
        const whole = outcome(bytes, [])
        expect(outcome(bytes, sizes)).toEqual(whole)
      }),
      { numRuns: 1500 },
    )
  })

  test('random bytes do no harm', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        outcome(bytes, [])
      }),
      { numRuns: 500 },
    )
  })
})
