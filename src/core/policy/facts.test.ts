import { expect, test } from 'vitest'
import { parseHeader } from '../mime/header.ts'
import type { Part } from '../mime/part.ts'
import { type FactSource, type Facts, FIELDS_OF, factsOf, isFlagged } from './facts.ts'

const ALL: ReadonlySet<FactSource> = new Set(['senders', 'recipients', 'subject', 'authentication', 'structure'])
const leaf: Part = {
  id: '1',
  type: 'text/plain',
  parameters: {},
  disposition: undefined,
  filename: undefined,
  contentId: undefined,
  encoding: '7bit',
  size: 1,
  children: [],
}
const file: Part = { ...leaf, id: '2', type: 'application/pdf', disposition: 'attachment', filename: 'a.pdf' }
const mixed: Part = { ...leaf, id: '', type: 'multipart/mixed', children: [{ ...leaf, id: '1' }, file] }

function facts(lines: readonly string[], wanted = ALL, structure: Part | undefined = leaf): Facts {
  const header = parseHeader(new TextEncoder().encode(`${lines.join('\r\n')}\r\n\r\n`))
  return factsOf({ size: 7, received: 8, flags: ['\\FLAGGED'], header, structure }, wanted, undefined)
}

test.each<[string, string[], string[]]>([
  ['one address', ['From: Ann <Ann@B.example>'], ['ann@b.example']],
  ['several addresses', ['From: a@b.example, C <c@d.example>'], ['a@b.example', 'c@d.example']],
  ['several fields, in any case', ['FROM: a@b.example', 'from: c@d.example'], ['a@b.example', 'c@d.example']],
  ['a group', ['From: G: a@b.example, c@d.example;'], ['a@b.example', 'c@d.example']],
  ['an empty group', ['From: nobody:;'], []],
  ['no field', ['Subject: x'], []],
  ['an empty field', ['From:'], []],
  ['a trailing dot', ['From: bill@host.'], ['bill@host']],
  ['an internationalised domain', ['From: a@Bücher.example'], ['a@xn--bcher-kva.example']],
  ['a name that looks like an address', ['From: "ceo@corp.example" <eve@evil.example>'], ['eve@evil.example']],
  ['an encoded name that looks like an address', ['From: =?utf-8?b?Y2VvQGNvcnA=?= <eve@evil>'], ['eve@evil']],
  ['an encoded address, which is none', ['From: =?utf-8?b?Y2VvQGNvcnA=?='], ['']],
  ['an encoded domain, which stays as written', ['From: a@=?utf-8?q?corp?='], ['a@=?utf-8?q?corp?=']],
  ['words', ['From: Ann Bee'], ['']],
  ['nothing in brackets', ['From: <>'], ['']],
  ['a source route', ['From: <@relay.example:a@b.example>'], ['a@b.example']],
  ['an address in a comment', ['From: a@b.example (ceo@corp.example)'], ['a@b.example']],
  ['a folded field', ['From: Ann', ' <a@b.example>'], ['a@b.example']],
  ['Sender, which is another', ['Sender: a@b.example'], []],
])('the senders of %s', (_what, lines, from) => {
  expect(facts(lines).from).toEqual(from)
})

test('recipients are those of To and Cc, not Bcc', () => {
  const lines = ['Cc: c@x', 'To: A@x, b@x', 'Bcc: d@x', 'To: e@x']
  expect(facts(lines).to).toEqual(['a@x', 'b@x', 'e@x', 'c@x'])
})

test('subjects are decoded and folded, every one of them', () => {
  const lines = ['Subject: =?utf-8?q?Rechnung_f=C3=BCr?= Sie', 'SUBJECT: zwei', 'Subject:']
  expect(facts(lines).subjects).toEqual(['RECHNUNG FÜR SIE', 'ZWEI', ''])
  expect(facts([]).subjects).toEqual([])
})

test('flags, size and date are always known', () => {
  expect(facts([], new Set())).toEqual({ size: 7, received: 8, flagged: true })
  expect(isFlagged(['\\Seen', '$Flagged', 'Flagged'])).toBe(false)
})

test('attachments are known where the structure is', () => {
  expect(facts([]).hasAttachment).toBe(false)
  expect(facts([], ALL, mixed).hasAttachment).toBe(true)
  const unknown = factsOf({ size: 0, received: 0, flags: [], header: [] }, ALL, undefined)
  expect('hasAttachment' in unknown).toBe(false)
})

test.each<[FactSource, string[]]>([
  ['senders', ['from']],
  ['recipients', ['to']],
  ['subject', ['subjects']],
  ['authentication', ['authenticated']],
  ['structure', ['hasAttachment']],
])('%s alone brings %j and no more', (source, names) => {
  const known = Object.keys(facts(['From: a@b'], new Set([source])))
  expect(known.filter((name) => !['size', 'received', 'flagged'].includes(name))).toEqual(names)
})

test.each(['senders', 'recipients', 'subject', 'authentication'] as const)(
  'the fields named for %s are all that it reads',
  (source) => {
    const lines = [
      'Received: from a by mx.example; Mon',
      'Authentication-Results: mx.example; dmarc=pass header.from=b.example',
      'From: a@b.example',
      'To: c@d',
      'Cc: e@f',
      'Subject: x',
    ]
    const named = lines.filter((line) => FIELDS_OF[source].some((name) => line.startsWith(`${name}:`)))
    expect(facts(named, new Set([source]))).toEqual(facts(lines, new Set([source])))
    // Without any Received field the topmost report speaks for itself.
    for (const left of named.filter((line) => !line.startsWith('Received'))) {
      const fewer = named.filter((line) => line !== left)
      expect(facts(fewer, new Set([source]))).not.toEqual(facts(lines, new Set([source])))
    }
  },
)

const listed = (count: number, length: number): string =>
  Array.from({ length: count }, (_, index) => `${'x'.repeat(length)}${index}@b`).join(',')

test.each<[string, FactSource, keyof Facts, string[], string[]]>([
  ['senders', 'senders', 'from', [`From: ${listed(2000, 1)}`], [`From: ${listed(2001, 1)}`]],
  [
    'recipients of all fields',
    'recipients',
    'to',
    [`To: ${listed(1000, 1)}`, `Cc: ${listed(1000, 1)}`],
    [`To: ${listed(1000, 1)}`, `Cc: ${listed(1001, 1)}`],
  ],
  ['short senders', 'senders', 'from', [`From: ${'a,'.repeat(2000)}`], [`From: ${'<'.repeat(2001)}`]],
  ['one sender who may be many', 'senders', 'from', [`From: ${'a@'.repeat(1900)}`], [`From: ${'a@'.repeat(2001)}`]],
  ['a long sender', 'senders', 'from', [`From: ${'x'.repeat(65_536)}`], [`From: ${'x'.repeat(65_537)}`]],
  [
    'subjects',
    'subject',
    'subjects',
    [`Subject: ${'x,'.repeat(32_768)}`],
    [`Subject: ${'x'.repeat(65_500)}`, `Subject: ${'x'.repeat(37)}`],
  ],
  [
    'authentication by senders',
    'authentication',
    'authenticated',
    [`From: ${listed(2000, 1)}`],
    [`From: ${listed(2001, 1)}`],
  ],
  [
    'authentication by reports',
    'authentication',
    'authenticated',
    [`Authentication-Results: ${',x'.repeat(32_768)}`],
    [`Authentication-Results: ${'x'.repeat(65_537)}`],
  ],
])('beyond reading: %s', (_what, source, name, enough, tooMuch) => {
  expect(facts(enough, new Set([source]))).toHaveProperty(name)
  expect(facts(tooMuch, new Set([source]))).not.toHaveProperty(name)
  expect(Object.keys(facts(tooMuch)).filter((known) => known === name)).toEqual([])
})
