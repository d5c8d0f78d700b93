import { expect, test } from 'vitest'
import { attachmentsOf, chooseBodies, decodedSize } from './bodies.ts'
import type { Part } from './part.ts'

type Sketch = Partial<Omit<Part, 'children'>> & { type: string; children?: Sketch[] }

function part({ children = [], ...sketch }: Sketch, id = ''): Part {
  return {
    id,
    parameters: {},
    disposition: undefined,
    filename: undefined,
    contentId: undefined,
    encoding: '7bit',
    size: 0,
    ...sketch,
    children: children.map((child, at) => part(child, id === '' ? `${at + 1}` : `${id}.${at + 1}`)),
  }
}

const plain = { type: 'text/plain' }
const html = { type: 'text/html' }
const image = { type: 'image/png', contentId: 'x', disposition: 'inline' }
const pdf = { type: 'application/pdf', filename: 'a.pdf', disposition: 'attachment' }
const multi = (kind: string, ...children: Sketch[]): Sketch => ({ type: `multipart/${kind}`, children })

/** Each body is its plain and its HTML version. */
test.each<[string, Sketch, bodies: string[], attachments: string[]]>([
  ['plain text', plain, ['root -'], []],
  ['HTML', html, ['- root'], []],
  ['a file alone', pdf, [], ['']],
  ['alternatives', multi('alternative', plain, html), ['1 2'], []],
  ['alternatives the other way round', multi('alternative', html, plain), ['2 1'], []],
  ['two HTML versions, of which people see the last', multi('alternative', plain, html, html), ['1 3'], []],
  ['two plain versions', multi('alternative', plain, plain), ['2 -'], []],
  ['versions of different depth', multi('alternative', plain, html, multi('related', html, image)), ['1 3.1'], ['3.2']],
  ['text and a file', multi('mixed', plain, pdf), ['1 -'], ['2']],
  ['a file before the text', multi('mixed', pdf, html), ['- 2'], ['1']],
  [
    'alternatives with images, and a file',
    multi('mixed', multi('alternative', plain, multi('related', html, image)), pdf),
    ['1.1 1.2.1'],
    ['1.2.2', '2'],
  ],
  ['related parts', multi('related', html, image), ['- 1'], ['2']],
  [
    'related parts whose root is named',
    { ...multi('related', { ...plain, contentId: 'a' }, { ...html, contentId: 'b' }), parameters: { start: '<b>' } },
    ['- 2'],
    ['1'],
  ],
  ['a signed text', multi('signed', plain, { type: 'application/pgp-signature' }), ['1 -'], ['2']],
  [
    'a delivery report',
    multi('report', plain, { type: 'message/delivery-status' }, { type: 'message/rfc822', children: [plain] }),
    ['1 -'],
    ['2', '3'],
  ],
  ['an invitation', multi('alternative', plain, html, { type: 'text/calendar' }), ['1 2'], ['3']],
  ['AMP', multi('alternative', plain, { type: 'text/x-amp-html' }, html), ['1 3'], []],
  ['AMP alone', { type: 'text/x-amp-html' }, [], []],
  ['a text file', multi('mixed', plain, { ...plain, filename: 'a.txt' }), ['1 -'], ['2']],
  ['a text file before the text', multi('mixed', { ...plain, filename: 'a.txt' }, html), ['- 2'], ['1']],
  ['a text with a name and nothing else', multi('mixed', { ...plain, filename: 'a.txt' }), ['1 -'], []],
  ['an attached text and nothing else', { ...plain, disposition: 'attachment' }, [], ['']],
  [
    'an inline text with a name',
    multi('mixed', { ...plain, disposition: 'inline', filename: 'a' }, pdf),
    ['1 -'],
    ['2'],
  ],
  ['text after the text', multi('mixed', plain, plain, html), ['1 -', '2 -', '- 3'], []],
  ['text around a file', multi('mixed', html, pdf, html), ['- 1', '- 3'], ['2']],
  [
    'text around a file as one of two versions',
    multi('alternative', plain, multi('mixed', html, pdf, html)),
    ['1 2.1,2.3'],
    ['2.2'],
  ],
  [
    'a footer after the versions',
    multi('mixed', multi('alternative', plain, html), { ...plain, disposition: 'inline' }),
    ['1.1 1.2', '2 -'],
    [],
  ],
  [
    'a named text in place after the text',
    multi('mixed', plain, { ...plain, disposition: 'inline', filename: 'a' }),
    ['1 -'],
    ['2'],
  ],
  ['an attached text after the text', multi('mixed', plain, { ...html, disposition: 'attachment' }), ['1 -'], ['2']],
  [
    'enriched text around a picture after a plain version',
    multi('alternative', plain, multi('mixed', { type: 'text/enriched' }, image, plain)),
    ['1 -'],
    ['2.2'],
  ],
  ['other versions', multi('alternative', plain, { type: 'text/enriched' }, html), ['1 3'], []],
  ['a message inside', multi('mixed', { type: 'message/rfc822', children: [plain] }), [], ['1']],
  ['no parts', multi('mixed'), [], []],
])('the bodies and attachments of %s', (_name, sketch, bodies, attached) => {
  const root = part(sketch)
  const ids = (parts: readonly Part[]): string => parts.map(({ id }) => id || 'root').join() || '-'
  expect(chooseBodies(root).map((body) => `${ids(body.plain)} ${ids(body.html)}`)).toEqual(bodies)
  expect(attachmentsOf(root).map(({ id }) => id)).toEqual(attached)
})

test('of very many texts the last are attachments', () => {
  const root = part(multi('mixed', ...Array.from({ length: 60 }, () => plain)))
  expect(chooseBodies(root)).toHaveLength(50)
  expect(attachmentsOf(root)).toHaveLength(10)
})

test('as many attachments are given as were asked for', () => {
  expect(attachmentsOf(part(multi('mixed', pdf, pdf, pdf)), 2)).toHaveLength(2)
})

test('the decoded size is about what was encoded', () => {
  const encoded = btoa('x'.repeat(57 * 100)).replace(/.{76}/g, '$&\r\n')
  expect(decodedSize({ encoding: 'base64', size: encoded.length })).toBe(5700)
  expect(decodedSize({ encoding: '8bit', size: 123 })).toBe(123)
  expect(decodedSize({ encoding: 'x-uuencode', size: 630 })).toBe(450)
})
