import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Frame, FrameReader, type Framing, frame } from './framing.ts'

const bytes = (text: string): Buffer => Buffer.from(text)
const message = (text: string): Frame => ({ kind: 'message', text })

function read(text: string | Buffer, cuts: readonly number[] = [], maxBytes?: number): Frame[] {
  const all = typeof text === 'string' ? bytes(text) : text
  const reader = new FrameReader(maxBytes)
  const edges = [0, ...cuts.map((cut) => cut % (all.length + 1)).sort((a, b) => a - b), all.length]
  return edges.slice(1).flatMap((edge, at) => reader.push(all.subarray(edges[at], edge)))
}

test('a line is a message, whatever ends it, and blank lines are none', () => {
  expect(read('\ufeff\n{"a":1}\r\n\n  \n{"b":2}\n{"c"')).toEqual([message('{"a":1}'), message('{"b":2}')])
})

test('a client that begins with Content-Length is read by length, and lines inside a body mean nothing', () => {
  const body = '{"a":\n\n"é"}'
  const header = `content-length:${Buffer.byteLength(body)}\nContent-Type: application/json\n\n`
  expect(read(`Content-Length: 2\r\n\r\n{}${header}${body}`)).toEqual([message('{}'), message(body)])
})

test('answers go out in the framing that came in', () => {
  const reader = new FrameReader()
  expect(reader.framing).toBe('lines')
  reader.push(bytes('Content-Le'))
  expect(reader.framing).toBe('content-length')
  expect(frame('{"é":1}', reader.framing)).toBe('Content-Length: 8\r\n\r\n{"é":1}')
  expect(frame('{}', 'lines')).toBe('{}\n')
})

test.each<[Framing, string]>([
  ['lines', `${'x'.repeat(101)}\n{}\n`],
  ['content-length', `Content-Length: 101\r\n\r\n${'x'.repeat(101)}Content-Length: 2\r\n\r\n{}`],
])('a message that is too large is told once and skipped: %s', (_framing, text) => {
  for (const cuts of [[], [10, 50, 90], [...text].map((_, at) => at)]) {
    expect(read(text, cuts, 100)).toEqual([{ kind: 'too_large' }, message('{}')])
  }
})

test.each([
  ['no length', 'Content-Type: x\r\n\r\nContent-Length: 2\r\n\r\n{}', [message('{}')]],
  ['a length that is no number', 'Content-Length: -1\r\n\r\nContent-Length: 2\r\n\r\n{}', [message('{}')]],
  ['a body longer than its length', 'Content-Length: 2\r\n\r\n{}junkContent-Length: 2\r\n\r\n{}', undefined],
  ['a header without end', `Content-Length:${' '.repeat(5000)}\r\n\r\nContent-Length: 2\r\n\r\n{}`, undefined],
])('reading finds its way back after %s', (_what, text, rest) => {
  const frames = read(text)
  expect(frames.at(-1)).toEqual(message('{}'))
  if (rest !== undefined) expect(frames).toEqual([{ kind: 'bad_header' }, ...rest])
})

const json = fc.jsonValue().map((value) => JSON.stringify({ value }))
const cuts = fc.array(fc.nat(), { maxLength: 20 })

test.each<Framing>(['lines', 'content-length'])('any chunking gives the same messages: %s', (framing) => {
  fc.assert(
    fc.property(fc.array(json, { minLength: 1 }), cuts, (texts, at) => {
      const stream = bytes(texts.map((text) => frame(text, framing)).join(''))
      expect(read(stream, at)).toEqual(texts.map(message))
    }),
  )
})

test('any bytes at all, however chunked, are read the same way and never throw', () => {
  const piece = fc.constantFrom('Content-Length: ', '3', '\r\n', '\n', '{}', 'é', ' ', '\r\n\r\n', 'x'.repeat(60), '\0')
  const stream = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map(Buffer.from),
    fc.array(piece).map((all) => bytes(all.join(''))),
  )
  fc.assert(
    fc.property(stream, cuts, (all, at) => {
      expect(read(all, at, 50)).toEqual(read(all, [], 50))
    }),
    { numRuns: 1000 },
  )
})
