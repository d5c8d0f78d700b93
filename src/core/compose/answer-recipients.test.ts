import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../failure.ts'
import { formatAddresses } from '../mime/addresses.ts'
import { parseHeader } from '../mime/header.ts'
import { answerRecipients } from './answer-recipients.ts'
import { type StrictAddress, strictAddress } from './strict-address.ts'

const OWN = 'me@example.com'

function answered(...fields: readonly string[]): StrictAddress[] {
  return answerRecipients(parseHeader(new TextEncoder().encode(`${fields.join('\r\n')}\r\n\r\n`)), OWN)
}

test.each<[string, readonly string[], readonly string[]]>([
  ['From', ['From: Ada <ada@example.org>'], ['Ada <ada@example.org>']],
  ['Reply-To before From', ['From: a@x.org', 'Reply-To: b@y.org'], ['b@y.org']],
  ['an empty Reply-To is none', ['From: a@x.org', 'Reply-To: '], ['a@x.org']],
  ['several', ['From: a@x.org', 'Reply-To: b@y.org, "C, D" <c@y.org>'], ['b@y.org', '"C, D" <c@y.org>']],
  ['each once', ['From: a@x.org, A <A@X.org>'], ['a@x.org']],
  ['without oneself', ['From: list@x.org', 'Reply-To: list@x.org, Me@Example.com'], ['list@x.org']],
  ['oneself where there is nobody else', ['From: a@x.org', 'Reply-To: me@example.com'], ['me@example.com']],
  ['own mail: to whom it went', ['From: Me <ME@example.com>', 'To: ada@x.org, me@example.com'], ['ada@x.org']],
  ['own mail: whatever its Reply-To', ['From: me@example.com', 'Reply-To: z@z.org', 'To: ada@x.org'], ['ada@x.org']],
  ['a note to oneself', ['From: me@example.com', 'To: me@example.com'], ['me@example.com']],
  ['a decoded name', ['From: =?utf-8?Q?Zo=C3=AB?= <zoe@x.org>'], ['Zoë <zoe@x.org>']],
  ['an address twice', ['From: ada@x.org <ada@x.org>'], ['ada@x.org']],
  ['an address twice, quoted', ['From: "ada@x.org" <ada@x.org>'], ['ada@x.org']],
  ['a name that is another address', ['From: "ceo@corp.example" <evil@x.org>'], ['evil@x.org']],
  ['the same, encoded', ['From: =?utf-8?B?Y2VvQGNvcnAuZXhhbXBsZQ==?= <evil@x.org>'], ['evil@x.org']],
  ['the same, full width', ['From: ceo\uff20corp.example <evil@x.org>'], ['evil@x.org']],
  ['line breaks in a name', ['From: =?utf-8?Q?a=0D=0ABcc=3A_b?= <a@x.org>'], ['"a Bcc: b" <a@x.org>']],
  ['a name that turns around', ['From: =?utf-8?B?4oCuYWJj?= <a@x.org>'], ['abc <a@x.org>']],
  ['folded', ['From: "A', '\tB"', ' <a@x.org>'], ['A B <a@x.org>']],
])('%s', (_what, fields, expected) => {
  expect(answered(...fields).map((one) => formatAddresses([one]))).toEqual(expected)
})

test.each<[string, readonly string[]]>([
  ['nobody', ['Subject: x']],
  ['a group', ['From: a@x.org', 'Reply-To: friends: a@x.org, b@y.org;']],
  ['an empty group', ['From: me@example.com', 'To: undisclosed-recipients:;']],
  ['own mail to nobody', ['From: me@example.com']],
  ['a route', ['From: <@relay.example:a@x.org>']],
  ['an encoded address', ['From: =?utf-8?Q?a=40x.org?=']],
  ['an encoded address in brackets', ['From: A <=?utf-8?Q?a?=@x.org>, b']],
  ['two in one', ['From: a@x.org <b@y.org>']],
  ['two brackets', ['From: <a@x.org> <b@y.org>']],
  ['brackets in brackets', ['From: <<a@x.org>>']],
  ['a comment', ['From: a@x.org (A)']],
  ['a list with a hole', ['From: a@x.org', 'Reply-To: a@x.org,,b@y.org']],
  ['an open quote', ['From: "A <a@x.org>']],
  ['words', ['From: Mail Delivery System']],
  ['other letters', ['From: a@exämple.org']],
  ['two Reply-To fields', ['From: a@x.org', 'Reply-To: b@x.org', 'Reply-To: c@x.org']],
  ['two From fields', ['From: a@x.org', 'From: me@example.com']],
  [
    'more than twenty',
    ['From: a@x.org', `Reply-To: ${Array.from({ length: 21 }, (_, at) => `a${at}@x.org`).join(', ')}`],
  ],
  ['a flood', ['From: a@x.org', `Reply-To: ${','.repeat(500_000)}`]],
])('%s is refused in words of our own', (_what, fields) => {
  let refusal: unknown
  try {
    answered(...fields)
  } catch (error) {
    refusal = error
  }
  expect(refusal).toBeInstanceOf(Failure)
  if (!(refusal instanceof Failure)) return
  expect([refusal.code, refusal.details]).toEqual(['unreadable', undefined])
  expect(refusal.message).toMatch(/^the message .* cannot be answered; write to the address that you mean/)
  expect(refusal.message).not.toMatch(/@|x\.org/)
})

test('whatever the fields hold, who is answered can be written to as a caller would write it', () => {
  const pieces = [
    'a',
    'b@x.org',
    '<',
    '>',
    ',',
    '"',
    '\\',
    '=?utf-8?Q?=22=2C_x=40y?=',
    ':',
    ';',
    '(',
    ' ',
    'ü',
    '\u202e',
  ]
  const value = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((list) => list.join('')),
    fc.string({ unit: 'grapheme', maxLength: 400 }).map((name) => `"${name.replace(/["\\]/g, '\\$&')}" <a@x.org>`),
  )
  let answers = 0
  fc.assert(
    fc.property(value, value, (from, replyTo) => {
      let found: StrictAddress[]
      try {
        found = answerRecipients(
          [
            { name: 'From', value: from },
            { name: 'Reply-To', value: replyTo },
          ],
          OWN,
        )
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        return
      }
      answers++
      expect(found.map((one) => strictAddress(formatAddresses([one]), 'to'))).toEqual(found)
    }),
    { numRuns: 2000 },
  )
  expect(answers).toBeGreaterThan(200)
})
