import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unflow } from '../../adapters/mime/flowed.ts'
import type { Letter } from '../action.ts'
import { Failure } from '../failure.ts'
import { parseAddresses } from '../mime/addresses.ts'
import {
  allFields,
  decodeUnstructured,
  firstField,
  type HeaderField,
  headerExtent,
  parseHeader,
} from '../mime/header.ts'
import { decodeTransfer } from '../mime/transfer.ts'
import { composeMessage, type Sheet } from './compose.ts'
import type { Quoted } from './threading.ts'

const LETTER: Letter = { to: ['Ada <ada@example.org>'], cc: [], subject: 'Hello', body: 'Hi there' }
const ALWAYS = [
  'From',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
]

function sheet(letter: Partial<Letter> = {}, more: Partial<Sheet> = {}): Sheet {
  const uniqueName = '0e37a1b2-1111-4222-8333-444455556666'
  const fixed = { from: 'me@example.com', date: 1_708_943_400, uniqueName, original: undefined }
  return { ...fixed, letter: { ...LETTER, ...letter }, ...more }
}

function original(header: readonly string[], text = 'What do you think?', truncated = false): Quoted {
  const bytes = new TextEncoder().encode(`${header.join('\r\n')}\r\n\r\n`)
  return { header: parseHeader(bytes), received: 1_700_000_000, text, truncated }
}

function read(bytes: Uint8Array): { header: HeaderField[]; lines: string[]; body: string } {
  const text = new TextDecoder().decode(bytes)
  const header = parseHeader(bytes)
  const encoded = bytes.subarray(headerExtent(bytes).bodyStart)
  const decoded = decodeTransfer(encoded, firstField(header, 'content-transfer-encoding') ?? '')
  return {
    header,
    lines: text.split('\r\n'),
    body: unflow(new TextDecoder().decode(decoded).replaceAll('\r\n', '\n'), false),
  }
}

const namesOf = (header: readonly HeaderField[]): string[] => header.map(({ name }) => name)

test('a plain letter, to the byte', () => {
  const { bytes, subject } = composeMessage(sheet({ cc: ['"Byron, George" <g@example.net>'] }))
  expect(subject).toBe('Hello')
  expect(new TextDecoder().decode(bytes).split('\r\n')).toEqual([
    'From: me@example.com',
    'To: Ada <ada@example.org>',
    'Cc: "Byron, George" <g@example.net>',
    'Subject: Hello',
    'Date: Mon, 26 Feb 2024 10:30:00 +0000',
    'Message-ID: <0e37a1b2-1111-4222-8333-444455556666@example.com>',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8; format=flowed',
    'Content-Transfer-Encoding: 7bit',
    '',
    'Hi there',
    '',
  ])
})

test('an answer carries the whole chain, quotes, and says Re: once', () => {
  const theirs = original(
    [
      'From: =?utf-8?Q?Zo=C3=AB?= <zoe@example.org>',
      'Date: Mon, 01 Jan 2024 12:00:00 +0100',
      'Subject: RE: re: plans',
      'Message-ID: <c@example.org>',
      'References: <a@example.org>',
      ' <b@example.org>',
    ],
    'First line\n> older\n\nlast',
  )
  const { bytes, subject } = composeMessage(sheet({ subject: 'Re: RE: plans' }, { original: theirs }))
  const { header, body } = read(bytes)
  expect(subject).toBe('Re: plans')
  expect(firstField(header, 'in-reply-to')).toBe('<c@example.org>')
  expect(firstField(header, 'references')).toBe('<a@example.org> <b@example.org> <c@example.org>')
  expect(body).toBe(
    'Hi there\n\nOn Mon, 1 Jan 2024 11:00 UTC, Zoë wrote:\n> First line\n>> older\n>\n> last\n'.replace('>\n', '> \n'),
  )
  expect(composeMessage(sheet({ subject: '' }, { original: theirs })).subject).toBe('Re: plans')
})

test.each<[string, readonly string[], string | undefined, string | undefined]>([
  ['no id at all', [], undefined, undefined],
  ['only an id', ['Message-ID: <a@x>'], '<a@x>', '<a@x>'],
  ['one parent', ['Message-ID: <b@x>', 'In-Reply-To: <a@x>'], '<b@x>', '<a@x> <b@x>'],
  ['two parents prove nothing', ['Message-ID: <c@x>', 'In-Reply-To: <a@x> <b@x>'], '<c@x>', '<c@x>'],
  ['words beside ids', ['Message-ID: <b@x> (x)', 'References: foo <a@x> "bar"'], '<b@x>', '<a@x> <b@x>'],
  ['an id that is none', ['Message-ID: no <bl anks@x>', 'References: <a@x>'], undefined, '<a@x>'],
  ['an id in its own chain', ['Message-ID: <a@x>', 'References: <a@x> <b@x> <a@x>'], '<a@x>', '<b@x> <a@x>'],
])('threading: %s', (_what, fields, inReplyTo, references) => {
  const { header } = read(composeMessage(sheet({}, { original: original(['From: a@x', ...fields]) })).bytes)
  expect(firstField(header, 'in-reply-to')).toBe(inReplyTo)
  expect(firstField(header, 'references')).toBe(references)
})

test('a chain of any length is folded, keeps its beginning and ends with the one that is answered', () => {
  const ids = Array.from({ length: 5000 }, (_, i) => `<${i}.${'x'.repeat(40)}@example.org>`)
  const theirs = original(['Message-ID: <last@x>', `References: ${ids.join('\r\n ')}`])
  const { header, lines } = read(composeMessage(sheet({}, { original: theirs })).bytes)
  const chain = firstField(header, 'references')?.split(' ') ?? []
  expect([chain[0], chain.at(-2), chain.at(-1)]).toEqual([ids[0], ids.at(-1), '<last@x>'])
  expect(chain.length).toBeGreaterThan(500)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(78)
})

test.each([
  ['a\r\nBcc: x@y.z'],
  ['a\nb'],
  ['a\rb'],
  ['a\0b'],
  ['a\u2028b'],
  ['a\u0085b'],
  ['\ud800'],
  ['x'.repeat(999)],
])('the subject %j is refused', (subject) => {
  expect(() => composeMessage(sheet({ subject }))).toThrow(Failure)
})

test.each([['a\0b'], ['\udc00']])('the body %j is refused', (body) => {
  expect(() => composeMessage(sheet({ body }))).toThrow(Failure)
})

test('without recipients there is no letter', () => {
  expect(() => composeMessage(sheet({ to: [] }))).toThrow('to must name at least one address')
})

test('a flood of blank lines is written as fast as any text', { timeout: 5000 }, () => {
  const { bytes } = composeMessage(sheet({ body: `${'\n'.repeat(150_000)}x\n\n` }))
  expect(read(bytes).body.trim()).toBe('x')
})

test('text is encoded only where it must be', () => {
  const encodingOf = (body: string): string | undefined =>
    firstField(read(composeMessage(sheet({ body })).bytes).header, 'content-transfer-encoding')
  expect(encodingOf('plain\ttext')).toBe('7bit')
  expect(encodingOf(`long ${'word '.repeat(1000)}`)).toBe('7bit')
  expect(encodingOf('x'.repeat(999))).toBe('quoted-printable')
  expect(encodingOf('we meet in the café at noon')).toBe('quoted-printable')
  expect(encodingOf('日本語の文章です')).toBe('base64')
  expect(encodingOf('colours: \u001b[31m red')).toBe('quoted-printable')
})

const name = fc.string({ unit: 'grapheme', maxLength: 120 })
const oddText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        '\r\n',
        'Bcc: ',
        '=?utf-8?Q?a?=',
        ' ',
        '\n',
        '-- ',
        '> ',
        'From ',
        'word ',
        'ü',
        '日本',
        '.',
        '=20',
      ),
      { maxLength: 80 },
    )
    .map((list) => list.join('')),
)
const host = fc.constantFrom('example.org', 'a.b-c.example', 'localhost', '[127.0.0.1]')
const local = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,20}$/),
  fc.constantFrom('"a b"', '"x@y, z"', '"q\\""'),
)

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

const person = fc.record({ name, local, host }).map((one) => ({ name: one.name, address: `${one.local}@${one.host}` }))

test('whatever the strings are, the letter has its own header fields, recipients, subject and text, and no others', () => {
  const people = fc.array(person, { maxLength: 5 })
  const answers = fc.option(fc.record({ from: oddText, id: oddText, references: oddText, text: oddText }), {
    nil: undefined,
  })
  let composedOnes = 0
  fc.assert(
    fc.property(person, people, people, oddText, oddText, answers, (first, others, cc, subject, body, answered) => {
      const to = [first, ...others]
      const written = (list: readonly { name: string; address: string }[]): string[] =>
        list.map((one) => (one.name.trim() === '' ? one.address : `${quoted(one.name)} <${one.address}>`))
      const theirs = answered && {
        header: [
          { name: 'From', value: answered.from },
          { name: 'Message-ID', value: answered.id },
          { name: 'References', value: answered.references },
        ],
        received: 1_700_000_000,
        text: answered.text.replaceAll('\r', ''),
        truncated: false,
      }
      let composed: ReturnType<typeof composeMessage>
      try {
        composed = composeMessage(sheet({ to: written(to), cc: written(cc), subject, body }, { original: theirs }))
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        return
      }
      composedOnes++
      const { header, lines, body: shown } = read(composed.bytes)
      const threading = namesOf(header).filter((field) => ['In-Reply-To', 'References'].includes(field))
      const expected = [...ALWAYS, ...threading, ...(cc.length > 0 ? ['Cc'] : [])]
      expect(namesOf(header).toSorted()).toEqual(expected.toSorted())
      expect(allFields(header, 'to').flatMap(parseAddresses)).toEqual(asWritten(to))
      expect(allFields(header, 'cc').flatMap(parseAddresses)).toEqual(asWritten(cc))
      expect(decodeUnstructured(firstField(header, 'subject') ?? '')).toBe(composed.subject)
      if (answered === undefined) expect(composed.subject).toBe(subject.trim())
      expect(lines.every((line) => line.length <= 998 && /^[\t -~]*$/.test(line))).toBe(true)
      const own = body.replace(/\r\n?/g, '\n').replace(/\n+$/, '').split('\n').map(trimmed).join('\n')
      expect(shown.startsWith(own)).toBe(true)
      if (answered === undefined) expect(shown).toBe(`${own}\n`)
      expect(composed.text.split('\n').map(withoutBlank)).toEqual(shown.slice(0, -1).split('\n').map(withoutBlank))
    }),
    { numRuns: 1500 },
  )
  expect(composedOnes).toBeGreaterThan(300)
})

function trimmed(line: string): string {
  return line === '-- ' ? line : line.trimEnd()
}

/** How an empty line of a quotation is written makes no difference. */
function withoutBlank(line: string): string {
  return /^>+ $/.test(line) ? line.trimEnd() : line
}

function asWritten(list: readonly { name: string; address: string }[]): { name: string; address: string }[] {
  return list.map((one) => ({ name: one.name.replace(/\s+/gu, ' ').trim(), address: one.address }))
}
