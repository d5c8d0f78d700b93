import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LocatedPart, MAX_BOUNDARY, MAX_DEPTH, MAX_PARTS, parseStructure } from './structure.ts'

const encoder = new TextEncoder()
const lines = (...text: string[]): string => text.join('\r\n')
const parse = (raw: string): LocatedPart => parseStructure(encoder.encode(raw)).root

/** `id type` of every part, parents first, and the text of those that have no children. */
function outline(raw: string): string[] {
  const visit = (part: LocatedPart): string[] => {
    const body = part.children.length > 0 ? '' : ` ${JSON.stringify(raw.slice(part.start, part.end))}`
    return [`${part.id || '-'} ${part.type}${body}`, ...part.children.flatMap(visit)]
  }
  return visit(parse(raw))
}

test('a message of one part is part 1', () => {
  expect(outline('Subject: x\r\n\r\nhello\r\n')).toEqual(['1 text/plain "hello\\r\\n"'])
})

test('the parts of a multipart are numbered from 1, and their parts below them', () => {
  const raw = lines(
    'Content-Type: multipart/mixed; boundary=a',
    '',
    'preamble',
    '--a',
    '',
    'one',
    '--a',
    'Content-Type: multipart/alternative; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'two',
    'lines',
    '--b  ',
    'Content-Type: text/html',
    '',
    '<p>',
    '--b--',
    'epilogue',
    '--a--',
    '',
  )
  expect(outline(raw)).toEqual([
    '- multipart/mixed',
    '1 text/plain "one"',
    '2 multipart/alternative',
    '2.1 text/plain "two\\r\\nlines"',
    '2.2 text/html "<p>"',
  ])
  const outside = [parse(raw), ...parse(raw).children].flatMap((part) => part.outside)
  expect(outside.map(({ start, end }) => raw.slice(start, end))).toEqual(['preamble', 'epilogue'])
})

test('a message in a message numbers its parts below its own number', () => {
  const raw = lines(
    'Content-Type: multipart/mixed; boundary=a',
    '',
    '--a',
    'Content-Type: message/rfc822',
    '',
    'Subject: inner',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'inner one',
    '--b',
    '',
    'inner two',
    '--b--',
    '--a',
    'Content-Type: message/rfc822',
    '',
    'Subject: simple',
    '',
    'text',
    '--a--',
  )
  expect(outline(raw)).toEqual([
    '- multipart/mixed',
    '1 message/rfc822',
    '1.TEXT multipart/mixed',
    '1.1 text/plain "inner one"',
    '1.2 text/plain "inner two"',
    '2 message/rfc822',
    '2.1 text/plain "text"',
  ])
})

test('the parts of a digest are messages', () => {
  const raw = lines('Content-Type: multipart/digest; boundary=a', '', '--a', '', 'Subject: x', '', 'text', '--a--')
  expect(outline(raw)).toEqual(['- multipart/digest', '1 message/rfc822', '1.1 text/plain "text"'])
})

test('a message that is encoded stays one part', () => {
  const raw = lines('Content-Type: message/rfc822', 'Content-Transfer-Encoding: base64', '', 'U3ViamVjdDogeA==')
  expect(outline(raw)).toEqual(['1 message/rfc822 "U3ViamVjdDogeA=="'])
})

test.each([
  ['a missing end', ['--a', '', 'one', '--a', '', 'two'], ['1 "one"', '2 "two"']],
  ['a cut inside a header', ['--a', '', 'one', '--a', 'Content-Ty'], ['1 "one"', '2 ""']],
  ['a header that a boundary ends', ['--a', 'X: y', '--a', '', 'two', '--a--'], ['1 ""', '2 "two"']],
  ['an empty part', ['--a', '', '', '--a', '', '', '--a--'], ['1 ""', '2 ""']],
  ['a boundary that only begins like one', ['--a', '', '--ab', '--a-', '--a--'], ['1 "--ab\\r\\n--a-"']],
  ['text after the end', ['--a', '', 'one', '--a--', '--a', '', 'not a part'], ['1 "one"']],
  ['no boundary at all', ['text'], []],
])('%s', (_name, body, expected) => {
  const raw = lines('Content-Type: multipart/mixed; boundary=a', '', ...body)
  expect(
    outline(raw)
      .slice(1)
      .map((line) => line.replace(' text/plain', '')),
  ).toEqual(expected)
})

test('an outer boundary ends what is open inside', () => {
  const raw = lines(
    'Content-Type: multipart/mixed; boundary=a',
    '',
    '--a',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'inner',
    '--a',
    '',
    'outer',
    '--a--',
  )
  expect(outline(raw)).toEqual([
    '- multipart/mixed',
    '1 multipart/mixed',
    '1.1 text/plain "inner"',
    '2 text/plain "outer"',
  ])
})

test('a boundary that ends in hyphens is not an end', () => {
  const raw = lines('Content-Type: multipart/mixed; boundary="a--"', '', '--a--', '', 'one', '--a----')
  expect(outline(raw)).toEqual(['- multipart/mixed', '1 text/plain "one"'])
})

test.each([
  ['without a boundary', 'multipart/mixed'],
  ['with an empty one', 'multipart/mixed; boundary=""'],
  ['with one that is too long', `multipart/mixed; boundary="${'x'.repeat(MAX_BOUNDARY + 1)}"`],
])('a multipart %s is text', (_name, type) => {
  expect(outline(lines(`Content-Type: ${type}`, '', '--x', '', 'y'))).toEqual(['1 text/plain "--x\\r\\n\\r\\ny"'])
})

test('bare line feeds are line breaks too', () => {
  const raw = 'Content-Type: multipart/mixed; boundary=a\n\n--a\n\none\n--a--\n'
  expect(outline(raw)).toEqual(['- multipart/mixed', '1 text/plain "one"'])
})

test('a part is described by its header', () => {
  const raw = lines(
    'Content-Type: application/PDF; name="=?utf-8?q?caf=C3=A9?="; x=1',
    "Content-Disposition: ATTACHMENT; filename*=utf-8''%E2%82%AC.pdf",
    'Content-Transfer-Encoding: Base64 (always)',
    'Content-ID: <a@b>',
    'Content-Description: =?utf-8?q?A_bill?=',
    '',
    'AAAA',
  )
  expect(parse(raw)).toMatchObject({
    type: 'application/pdf',
    parameters: { name: 'café', x: '1' },
    disposition: 'attachment',
    filename: '€.pdf',
    encoding: 'base64',
    contentId: 'a@b',
    description: 'A bill',
    size: 4,
  })
})

test('what is not said has its default', () => {
  const { type, parameters, disposition, filename, contentId, encoding } = parse('\r\nx')
  expect([type, parameters, disposition, filename, contentId, encoding]).toEqual([
    'text/plain',
    {},
    undefined,
    undefined,
    undefined,
    '7bit',
  ])
})

test('there is an end to how deep a message goes', () => {
  const nested = Array.from(
    { length: MAX_DEPTH * 3 },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}`,
  )
  let deepest = parse(nested.join('\r\n'))
  let depth = 0
  for (; deepest.children[0] !== undefined; depth++) deepest = deepest.children[0]
  expect([depth, deepest.type]).toEqual([MAX_DEPTH, 'application/octet-stream'])
})

test('there is an end to the number of parts', () => {
  const { root, complete } = parseStructure(
    encoder.encode(`Content-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\n\r\nx\r\n'.repeat(100_000)}--a--`),
  )
  expect([root.children.length, complete]).toEqual([MAX_PARTS - 1, false])
  expect(parseStructure(encoder.encode('A: b\r\n\r\nc')).complete).toBe(true)
})

test.each([
  ['a boundary’s beginning on every line', `--${'a'.repeat(100)}\r\n`],
  ['hyphens', '--\r\n'],
  ['hyphens and blanks', `--${' '.repeat(1000)}\r\n`],
  ['nothing', '\n'],
])('a million bytes of %s are read in one pass', (_name, line) => {
  const body = line.repeat(Math.ceil(1_000_000 / line.length))
  const raw = `Content-Type: multipart/mixed; boundary=${'a'.repeat(101)}\r\n\r\n${body}`
  expect(parse(raw).children).toEqual([])
})

test('whatever the bytes, every part lies inside its parent and has a number of its own', () => {
  const piece = fc.constantFrom(
    ...[
      '--a',
      '--a--',
      '--b',
      '--b--',
      '',
      'text',
      'Content-Type: multipart/mixed; boundary=a',
      'Content-Type: text/html',
    ],
    ...['Content-Type: multipart/alternative; boundary=b', 'Content-Type: message/rfc822', '--', ' folded', '\u0000é'],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom('\n', '\r\n'), (text, end) => {
      const bytes = encoder.encode(text.join(end))
      const ids: string[] = []
      const visit = (part: LocatedPart, from: number, to: number): void => {
        ids.push(part.id)
        expect(part.start).toBeGreaterThanOrEqual(from)
        expect(part.end).toBeLessThanOrEqual(to)
        expect(part.size).toBe(part.end - part.start)
        for (const child of part.children) visit(child, part.start, part.end)
      }
      visit(parseStructure(bytes).root, 0, bytes.length)
      expect(new Set(ids).size).toBe(ids.length)
    }),
  )
})

test('an attached message in which there is nothing lies where it would be', () => {
  const lines = ['Content-Type: multipart/mixed; boundary=a', '', '--a', 'Content-Type: message/rfc822', '', '--a']
  const [attached] = parseStructure(encoder.encode(lines.join('\n'))).root.children
  expect(attached?.children[0]).toMatchObject({ start: attached?.start, end: attached?.end, size: 0 })
})

test('any bytes are a message', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => parseStructure(bytes).root.end <= bytes.length))
})

test('lines may end with CR alone, where none ends otherwise', () => {
  const raw = 'Content-Type: multipart/mixed; boundary=a\r\r--a\r\rone\r--a\rContent-Type: text/html\r\rtwo\r--a--\r'
  expect(outline(raw)).toEqual(['- multipart/mixed', '1 text/plain "one"', '2 text/html "two"'])
  expect(parseStructure(encoder.encode('Subject: x\rFrom: y\r\nTo: z\r\n\r\n')).header).toHaveLength(2)
})
