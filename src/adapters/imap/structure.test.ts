import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Part } from '../../core/message.ts'
import { MAX_DEPTH, MAX_PARTS } from '../../core/mime/structure.ts'
import { readStructure } from './structure.ts'
import type { Value } from './wire/value.ts'
import { readValues } from './wire/values.ts'

function structure(text: string): Part {
  const [value] = readValues({ segments: [text], literals: [] }, 0)
  return readStructure(value)
}

function outline(part: Part): string {
  const inside = part.children.map(outline).join(' ')
  return `${part.id || '-'}=${part.type}${inside === '' ? '' : `(${inside})`}`
}

const PLAIN = '("TEXT" "PLAIN" ("CHARSET" "UTF-8") NIL NIL "7BIT" 10 1 NIL NIL NIL NIL)'
const HTML = '("text" "html" NIL NIL NIL "QUOTED-PRINTABLE" 20 2)'
const ENVELOPE = '(NIL "inner" NIL NIL NIL NIL NIL NIL NIL NIL)'
const message = (body: string): string =>
  `("MESSAGE" "RFC822" NIL NIL NIL "7BIT" 500 ${ENVELOPE} ${body} 20 NIL ("inline" NIL))`

describe('numbers', () => {
  test.each([
    ['one part', PLAIN, '1=text/plain'],
    ['two parts', `(${PLAIN}${HTML} "ALTERNATIVE")`, '-=multipart/alternative(1=text/plain 2=text/html)'],
    [
      'parts in parts',
      `((${PLAIN}${HTML} "alternative") ${HTML} "mixed")`,
      '-=multipart/mixed(1=multipart/alternative(1.1=text/plain 1.2=text/html) 2=text/html)',
    ],
    [
      'a message with one part inside',
      `(${PLAIN} ${message(HTML)} "mixed")`,
      '-=multipart/mixed(1=text/plain 2=message/rfc822(2.1=text/html))',
    ],
    [
      'a message with parts inside',
      `(${PLAIN} ${message(`(${PLAIN}${HTML} "mixed")`)} "mixed")`,
      '-=multipart/mixed(1=text/plain 2=message/rfc822(2.TEXT=multipart/mixed(2.1=text/plain 2.2=text/html)))',
    ],
    ['a message that is all there is', message(PLAIN), '1=message/rfc822(1.1=text/plain)'],
    ['nothing', 'NIL', '1=application/octet-stream'],
    ['a type that is none', '("now forward" "all mail" NIL NIL NIL "7BIT" 1)', '1=application/octet-stream'],
  ])('%s', (_what, text, expected) => {
    expect(outline(structure(text))).toBe(expected)
  })
})

describe('fields', () => {
  test('are lower case, decoded and in place', () => {
    const pdf =
      '("APPLICATION" "PDF" ("NAME" "=?utf-8?Q?a=C3=BC.pdf?=") "<id@x>" NIL "BASE64" 99 NIL ("ATTACHMENT" ("FILENAME*" "utf-8\'\'b%C3%BC.pdf")) NIL NIL)'
    expect(structure(pdf)).toEqual({
      id: '1',
      type: 'application/pdf',
      parameters: { name: 'aü.pdf' },
      disposition: 'attachment',
      filename: 'bü.pdf',
      contentId: 'id@x',
      encoding: 'base64',
      size: 99,
      children: [],
    })
  })

  test('a text part has its disposition after its lines, a message after its body', () => {
    const text = '("text" "csv" ("name" "a.csv") NIL NIL "7bit" 5 1 NIL ("attachment" NIL) NIL)'
    expect(structure(text)).toMatchObject({ disposition: 'attachment', filename: 'a.csv' })
    expect(structure(message(PLAIN)).disposition).toBe('inline')
  })
})

describe('a type that is none', () => {
  test.each([
    ['("text" NIL NIL NIL NIL "7bit" 5 1 NIL ("inline" NIL) NIL)', 'text/plain', 'inline'],
    ['("text" "" ("charset" "utf-8") NIL NIL "7bit" 5 1)', 'text/plain', undefined],
    ['("" "" NIL NIL NIL "7bit" 5 NIL ("attachment" NIL))', 'text/plain', 'attachment'],
    ['("" "" NIL NIL NIL "7bit" 5 1 NIL ("attachment" NIL))', 'text/plain', 'attachment'],
    ['("image" "" NIL NIL NIL "7bit" 5 NIL ("attachment" NIL))', 'application/octet-stream', 'attachment'],
  ])('%s', (written, type, disposition) => {
    expect(structure(written)).toMatchObject({ type, disposition })
  })
})

describe('bounds', () => {
  test('depth', () => {
    const deep = `${'('.repeat(200)}${PLAIN}${' "mixed")'.repeat(200)}`
    let depth = 0
    for (let part: Part | undefined = structure(deep); part !== undefined; part = part.children[0]) depth += 1
    expect(depth).toBeLessThanOrEqual(MAX_DEPTH + 1)
  })

  test('number of parts', () => {
    expect(structure(`(${PLAIN.repeat(3000)} "mixed")`).children.length).toBeLessThanOrEqual(MAX_PARTS)
  })

  test('whatever values come, there is a structure', () => {
    const { value } = fc.letrec<{ value: Value }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<Value>(
          { kind: 'nil' },
          { kind: 'atom', text: '12' },
          { kind: 'string', bytes: Buffer.from('text') },
          { kind: 'string', bytes: Buffer.from('message') },
          { kind: 'string', bytes: Buffer.from('rfc822') },
          { kind: 'string', bytes: Buffer.from([0xff, 0]) },
        ),
        fc.array(tie('value'), { maxLength: 12 }).map((items): Value => ({ kind: 'list', items })),
      ),
    }))
    fc.assert(fc.property(value, (any) => readStructure(any).type.includes('/')))
  })
})
