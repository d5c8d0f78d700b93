import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressField, textField } from '../compose/header-lines.ts'
import { strictAddress } from '../compose/strict-address.ts'
import { Failure } from '../failure.ts'
import { checkWire, type Envelope, unnamedIn } from './wire-check.ts'

const FROM = 'ada@example.org'
const TO = 'bob@example.com'
const CC = 'cy@example.com'
const EVIL = 'drop@evil.example'
const ENVELOPE: Envelope = { from: FROM, recipients: [TO, CC, 'hidden@example.net'] }
const FIELDS = [`From: Ada <${FROM}>`, `To: "Bob, B." <${TO}>`, `Cc: ${CC}`, 'Subject: A letter', 'Date: today']

function bytes(fields: readonly string[] = FIELDS, body = 'Hello\r\n'): Uint8Array {
  return new TextEncoder().encode(`${fields.join('\r\n')}\r\n\r\n${body}`)
}

const check = (message: Uint8Array, envelope: Partial<Envelope> = {}): void =>
  checkWire(message, { ...ENVELOPE, ...envelope })

function passes(message: Uint8Array, envelope: Partial<Envelope> = {}): boolean {
  try {
    check(message, envelope)
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(Failure)
    expect(error).toMatchObject({ code: 'invalid_input' })
    return false
  }
}

describe('a message passes', () => {
  test.each<[string, Uint8Array, Partial<Envelope>]>([
    ['as it should be', bytes(), {}],
    ['with folded addresses', bytes([FIELDS[0] ?? '', `To: ${TO},\r\n ${CC}`]), {}],
    ['to hidden recipients only', bytes([FIELDS[0] ?? '']), {}],
    ['with a domain in other letter case', bytes([`From: ada@EXAMPLE.org`, 'To: bob@Example.COM']), {}],
    ['with a whole header and no body', bytes(FIELDS, ''), {}],
    ['with exactly those in To and Cc', bytes(), { to: [TO], cc: [CC] }],
    ['with nobody in Cc where nobody should be', bytes(FIELDS.slice(0, 2)), { to: [TO], cc: [] }],
    ['with the longest line', bytes(FIELDS, `${'x'.repeat(998)}\r\n`), {}],
    ['whose body looks like a header', bytes(FIELDS, `Bcc: ${EVIL}\r\n\r\nTo: ${EVIL}\r\n`), {}],
  ])('%s', (_, message, envelope) => expect(() => check(message, envelope)).not.toThrow())
})

const adding = (...fields: readonly string[]): Uint8Array => bytes([...FIELDS, ...fields])
const withTo = (value: string): Uint8Array => bytes([FIELDS[0] ?? '', `To: ${value}`])

describe('a message is refused', () => {
  test.each<[string, Uint8Array]>([
    ['from somebody else', bytes([`From: ${EVIL}`, ...FIELDS.slice(1)])],
    ['from nobody', bytes(FIELDS.slice(1))],
    ['from two', bytes([`From: ${FROM}, ${EVIL}`, ...FIELDS.slice(1)])],
    ['with a second From', adding(`From: ${FROM}`)],
    ['with a second To', adding(`To: ${TO}`)],
    ['with a second Cc in other letter case', adding(`cC: ${CC}`)],
    ['with a Bcc', adding(`Bcc: ${TO}`)],
    ['with an empty Bcc', adding('bcc:')],
    ['with a Bcc and a blank before its colon', adding(`Bcc : ${EVIL}`)],
    ['with Resent-To', adding(`Resent-To: ${TO}`)],
    ['with Resent-Bcc', adding(`RESENT-BCC: ${EVIL}`)],
    ['to somebody who does not get it', withTo(`${TO}, ${EVIL}`)],
    ['with a group', withTo(`friends: ${TO};`)],
    ['with a route', withTo(`<@evil.example:${TO}>`)],
    ['with a comment', withTo(`${TO} (${EVIL})`)],
    ['with an encoded address', withTo(`=?utf-8?q?${EVIL}?=`)],
    ['with an address that holds another', withTo(`"${EVIL}"@example.com`)],
    ['with an address as a bare name', withTo(`${EVIL} <${TO}>`)],
    ['with a line that is no field', adding('no field')],
    ['with a field that begins with blanks', bytes([` To: ${EVIL}`, ...FIELDS])],
    ['with a folded line of blanks', bytes([...FIELDS, 'X-A: b', '  ', 'X-C: d'])],
    ['without the end of its header', new TextEncoder().encode(`${FIELDS.join('\r\n')}\r\n`)],
    ['with LF alone', bytes(FIELDS, 'a\nb\r\n')],
    ['with CR alone', bytes(FIELDS, 'a\rb\r\n')],
    ['with CR at its end', bytes(FIELDS, 'a\r')],
    ['with LF CR', bytes(FIELDS, 'a\n\r')],
    ['with CR CR LF', bytes(FIELDS, 'a\r\r\n')],
    ['with LF alone and a dot', bytes(FIELDS, 'a\n.\r\nb\r\n')],
    ['with NUL', bytes(FIELDS, 'a\0b\r\n')],
    ['with other than ASCII', bytes(FIELDS, 'ä\r\n')],
    ['without the end of its last line', bytes(FIELDS, 'a')],
    ['with a line too long', bytes(FIELDS, `${'x'.repeat(999)}\r\n`)],
    ['empty', new Uint8Array()],
    ['of blank lines', new TextEncoder().encode('\r\n\r\n')],
  ])('%s', (_, message) => expect(passes(message)).toBe(false))

  test.each<[string, Partial<Envelope>]>([
    ['to nobody', { recipients: [] }],
    ['to somebody twice', { recipients: [TO, CC, 'bob@EXAMPLE.com'] }],
    ['without one whom it names', { recipients: [TO] }],
    ['to an address in brackets', { recipients: [TO, CC, `<${EVIL}>`] }],
    ['to an address with a name', { recipients: [TO, CC, `Eve <${EVIL}>`] }],
    ['to an address with a blank at its end', { recipients: [TO, CC, `${EVIL} `] }],
    ['to an address and a command', { recipients: [TO, CC, `a@b.example>\r\nRCPT TO:<${EVIL}`] }],
    ['to an address and a parameter', { recipients: [TO, CC, 'a@b.example> NOTIFY=NEVER'] }],
    ['to two in one', { recipients: [TO, CC, `${EVIL},a@b.example`] }],
    ['to one with a blank in quotes', { recipients: [TO, CC, `"${EVIL} x"@corp.example`] }],
    ['to one with a bracket in quotes', { recipients: [TO, CC, '"a>b"@corp.example'] }],
    ['from an address in brackets', { from: `<${FROM}>` }],
    ['for another sender', { from: EVIL }],
    ['with others in To', { to: [CC] }],
    ['with fewer in To than it should have', { to: [TO, CC] }],
    ['with somebody in Cc', { cc: [] }],
  ])('%s', (_, envelope) => expect(passes(bytes(), envelope)).toBe(false))
})

describe('where the header says who gets it', () => {
  const HIDDEN = ['hidden@example.net']
  const hiding = (...list: readonly string[]): Uint8Array => adding(`Bcc: ${list.join(', ')}`)

  test('a Bcc of exactly those that nobody else names passes', () => {
    expect(unnamedIn(bytes(), ENVELOPE.recipients)).toEqual(HIDDEN)
    expect(() => check(hiding(...HIDDEN), { bcc: HIDDEN })).not.toThrow()
    expect(() => check(bytes(), { recipients: [TO, CC], bcc: [] })).not.toThrow()
  })

  test.each<[string, Uint8Array, Partial<Envelope>]>([
    ['without it', bytes(), { bcc: HIDDEN }],
    ['with one more in it', hiding(...HIDDEN, EVIL), { bcc: HIDDEN }],
    ['with another in it', hiding(EVIL), { bcc: HIDDEN }],
    ['with two of it', adding(`Bcc: ${HIDDEN[0]}`, `Bcc: ${HIDDEN[0]}`), { bcc: HIDDEN }],
    ['with it where nobody is hidden', hiding(...HIDDEN), { bcc: [] }],
    ['with a recipient who is named nowhere', bytes(), { bcc: [] }],
    ['with one in it who is no recipient', hiding(EVIL), { recipients: [TO, CC], bcc: [EVIL] }],
  ])('a message %s is refused', (_, message, envelope) => expect(passes(message, envelope)).toBe(false))
})

const PIECES = [
  TO,
  EVIL,
  'Bob',
  ',',
  ';',
  ':',
  '<',
  '>',
  '"',
  '\\',
  '(',
  ')',
  ' ',
  '\t',
  '@',
  '=?utf-8?q?',
  '?=',
  '\r\n ',
  '\r\n',
  '\r',
  '\n',
]

test('whatever stands in To, nobody else can be found there', () => {
  const value = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(''))
  let passed = 0
  fc.assert(
    fc.property(value, (written) => {
      if (!passes(withTo(written), { recipients: [TO] })) return
      passed += 1
      // Behind a blank line it is text. Names, quoted or encoded, are no addresses to anybody.
      const [field = ''] = written.split('\r\n\r\n')
      const bare = field.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/=\?utf-8\?q\?[^? ]*\?=/g, '')
      expect(bare).not.toContain(EVIL)
    }),
    { numRuns: 5000, examples: [[TO], [`Bob <${TO}>`]] },
  )
  expect(passed).toBeGreaterThan(1)
})

test('whatever a name or a subject is, what we write of it passes', () => {
  const text = fc
    .string({ unit: 'binary', maxLength: 60 })
    .filter((each) => each.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(each))
  fc.assert(
    fc.property(text, text, (name, subject) => {
      const to = addressField('To', [{ name: name.replace(/\s+/gu, ' ').trim(), address: TO }])
      expect(() => check(bytes([`From: ${FROM}`, to, textField('Subject', subject)]))).not.toThrow()
    }),
  )
})

test('whatever is taken strictly as an address and has a plain name before its @ passes', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (address) => {
      fc.pre(takes(address))
      const to = addressField('To', [{ name: '', address }])
      expect(() => check(bytes([`From: ${FROM}`, to]), { recipients: [address] })).not.toThrow()
    }),
  )
})

function takes(address: string): boolean {
  try {
    return strictAddress(address, 'it').address === address
  } catch {
    return false
  }
}
