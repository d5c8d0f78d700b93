import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseHeader } from '../mime/header.ts'
import { senderWarnings } from './sender.ts'

const kinds = (...lines: string[]): string[] =>
  senderWarnings(parseHeader(new TextEncoder().encode(`${lines.join('\r\n')}\r\n\r\n`))).map(({ kind }) => kind)

test.each([
  'From: Ann <ann@partner.example>',
  'From: ann@partner.example',
  'From: ann@partner.example (Ann Bee)',
  'From: "ann@partner.example" <ANN@partner.example>',
  'From: =?utf-8?q?Ren=C3=A9e?= <r@partner.example>',
  'From: =?utf-8?q?Ren=C3=A9e?= r@partner.example',
  'From: Ann <ann@partner.example.>',
  'From: ANN <ANN@PARTNER.EXAMPLE>',
  'From: ann+tag@partner.example',
  'From: ann%corp.example@partner.example',
  'From: partner.example!ann@corp.example',
  'From: "O\'Neil, Ann" <ann@partner.example>',
  'From: Почта <info@почта.рф>',
  'Subject: nobody says who it is from',
])('%s is ordinary', (line) => {
  expect(kinds(line, 'To: emma@corp.example')).toEqual([])
})

test.each([
  'From: Bank <alerts@раураl.com>',
  'From: Bank <alerts@xn--pypal-4ve.com>',
  'From: Support <help@rnicrosoft.com>',
  'From: CEO <ceo@corp.example.evil.example>',
  'From: "ceo@corp.example" <eve@evil.example>',
  'From: "CEO <ceo@corp.example>" <eve@evil.example>',
  'From: =?utf-8?b?Y2VvQGNvcnAuZXhhbXBsZQ==?= <eve@evil.example>',
  'From: =?utf-8?b?Y2VvQGNvcnAuZXhhbXBsZQ==?=',
  'From: =?utf-8?q?=40evil.example?=@corp.example',
  'From: "eve@evil.example x"@corp.example',
  'From: ceo@corp.example (eve) <eve@evil.example>',
  'From: ceo@corp.example\u0000@evil.example',
  'From: \u202eelpmaxe.proc@oec <eve@evil.example>',
  'From: C\u200bEO <eve@evil.example>',
  'From: =?utf-8?q?CEO=0D=0AX?= <eve@evil.example>',
  'From: Undisclosed: ceo@corp.example;',
  'From: ceo@corp.example, eve@evil.example',
  'From: A <a@corp.example> <eve@evil.example>',
  'From: <@evil.example:ceo@corp.example>',
  'From: <>',
  'From: ceo',
  'From: ',
])('%j is suspicious', (line) => {
  expect(kinds(line, 'To: emma@corp.example')).toContain('sender_suspicious')
})

test.each<[string, string[], string[]]>([
  ['an answer that goes elsewhere', ['From: a@corp.example', 'Reply-To: a@evil.example'], ['reply_to_differs']],
  [
    'one of two answers elsewhere',
    ['From: a@corp.example', 'Reply-To: a@corp.example, b@evil.example'],
    ['reply_to_differs'],
  ],
  ['an answer to a sub-domain', ['From: a@corp.example', 'Reply-To: a@mail.corp.example'], []],
  ['an answer to the list', ['From: a@x.example', 'List-Id: <l.lists.example>', 'Reply-To: l@lists.example'], []],
  ['a sender from elsewhere', ['From: a@corp.example', 'Sender: eve@evil.example'], ['sender_suspicious']],
  ['a list as sender', ['From: a@x.example', 'Sender: l-bounces@y.example', 'List-Id: <l.y.example>'], []],
  ['an old list as sender', ['From: a@x.example', 'Sender: owner-l@y.example', 'To: l@y.example'], []],
  ['two senders’ fields', ['From: a@corp.example', 'From: e@evil.example'], ['sender_suspicious', 'duplicate_header']],
  ['two subjects', ['From: a@corp.example', 'Subject : a', 'subject: b'], ['duplicate_header']],
  ['two received fields', ['From: a@corp.example', 'Received: a', 'Received: b'], []],
  [
    'an encoded line break',
    ['From: a@b.example', 'Subject: =?utf-8?Q?Hi=0D=0ABcc:_x?='],
    ['control_characters_removed'],
  ],
])('%s', (_name, lines, expected) => {
  expect(kinds(...lines)).toEqual(expected)
})

test('any header can be judged', () => {
  const value = fc.string({ unit: fc.constantFrom(...'ab.@<>"(),:;=?utf-8Q \u200b\u202eа') })
  const name = fc.constantFrom('From', 'To', 'Sender', 'Reply-To', 'Subject', 'List-Id')
  fc.assert(
    fc.property(fc.array(fc.record({ name, value }), { maxLength: 8 }), (header) => {
      for (const { count } of senderWarnings(header)) expect(count).toBeGreaterThan(0)
    }),
  )
})

test.each(['a@b, ', 'a', '@', '<', 'a.', '"a@'])(
  'a From of %j a hundred thousand times is judged in one pass',
  (piece) => {
    const header = [
      { name: 'From', value: piece.repeat(100_000) },
      { name: 'To', value: 'x@y.example, '.repeat(10_000) },
    ]
    expect(Array.isArray(senderWarnings(header))).toBe(true)
  },
)
