import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lookAlike } from './look-alike.ts'

const KNOWN = [
  'me@corp.example',
  'ada.lovelace@example.com',
  'bob@example.com',
  'sales1@example.com',
  'zoe@mail.northwind.co.uk',
  'carl@gmail.com',
  'ina@gmx.de',
  'partner.example',
  'leo@münchen-immobilien.de',
]

test.each<[string, string]>([
  // Shapes of letters in the domain.
  ['bob@exarnple.com', 'bob@example.com'],
  ['bob@examp1e.com', 'bob@example.com'],
  ['bob@exampIe.com', 'bob@example.com'],
  ['bob@EXAMPIE.com', 'bob@example.com'],
  ['bob@exam-ple.com', 'bob@example.com'],
  ['stranger@exarnple.com', 'example.com'],
  ['zoe@n0rthwind.co.uk', 'zoe@mail.northwind.co.uk'],
  ['zoe@northvvind.co.uk', 'zoe@mail.northwind.co.uk'],
  ['x@c0rp.example', 'corp.example'],
  ['x@partrner.example', 'partner.example'],
  // Letters of other alphabets.
  ['bob@xn--exmple-4nf.com', 'bob@example.com'],
  ['bob@exаmple.com', 'bob@example.com'],
  ['bob@exämple.com', 'bob@example.com'],
  ['leo@munchen-immobilien.de', 'leo@münchen-immobilien.de'],
  // A slip.
  ['bob@exmaple.com', 'bob@example.com'],
  ['bob@examplee.com', 'bob@example.com'],
  ['bob@exmple.com', 'bob@example.com'],
  ['bob@ezample.com', 'bob@example.com'],
  ['carl@gmial.com', 'carl@gmail.com'],
  ['ada.lovelacce@example.com', 'ada.lovelace@example.com'],
  ['ada.lovelaec@example.com', 'ada.lovelace@example.com'],
  ['adalovelace@example.com', 'ada.lovelace@example.com'],
  ['ada_lovelace@example.com', 'ada.lovelace@example.com'],
  ['b0b@example.com', 'bob@example.com'],
  ['ada.1ovelace@example.com', 'ada.lovelace@example.com'],
  ['ada.lovelace2@example.com', 'ada.lovelace@example.com'],
  // Tags, other endings, more words.
  ['bob+evil@example.com', 'bob@example.com'],
  ['bob@example.org', 'bob@example.com'],
  ['bob@example.co', 'bob@example.com'],
  ['bob@example.co.uk', 'bob@example.com'],
  ['billing@example-billing.com', 'example.com'],
  ['billing@my-example.net', 'example.com'],
  ['bob@secure-examp1e.net', 'bob@example.com'],
  // The real one in front of another, or before the @.
  ['bob@example.com.evil.org', 'bob@example.com'],
  ['bob@mail.example.com.evil.org', 'bob@example.com'],
  ['bob@example.com-login.org', 'bob@example.com'],
  ['x@mail.northwind.co.uk.evil.org', 'mail.northwind.co.uk'],
  ['bob.example.com@evil.org', 'example.com'],
  ['"bob@example.com"@evil.org', 'example.com'],
  ['bob_example.com@evil.org', 'example.com'],
])('%s looks like %s', (address, expected) => {
  expect(lookAlike(address, KNOWN)).toBe(expected)
})

test.each([
  ...KNOWN,
  'BOB@EXAMPLE.COM',
  'Bob@example.com',
  '"bob"@example.com',
  'leo@xn--mnchen-immobilien-22b.de',
  'rob@example.com',
  'alice@example.com',
  'bo@example.com',
  'sales2@example.com',
  'bob@mail.example.com',
  'zoe@northwind.co.uk',
  'anybody@partner.example',
  'anybody@mail.partner.example',
  'dora@gmail.com',
  'ina@gmx.net',
  'bob@elsewhere.net',
  'bob@unrelated.org',
  'example@another.org',
  'bob@sample.com',
  'bob@[127.0.0.1]',
  'root@localhost',
  'root',
  '',
  '@',
])('%j is nobody else', (address) => {
  expect(lookAlike(address, KNOWN)).toBeUndefined()
})

test('nothing imitates when nobody is known', () => {
  expect(lookAlike('bob@exarnple.com', [])).toBeUndefined()
})

test('who has written to us is known, and may be an imitator all the same', () => {
  expect(lookAlike('bob@exarnple.com', ['me@example.com', 'bob@exarnple.com'])).toBe('example.com')
  expect(lookAlike('bob@example.com.evil.org', ['bob@example.com', 'bob@example.com.evil.org'])).toBe('bob@example.com')
})

test('what may be chance is none among people who are known', () => {
  const colleagues = ['jon.smith@example.com', 'john.smith@example.com', 'a@stripe.com', 'b@strive.com', 'c@stripe.org']
  for (const one of colleagues) expect(lookAlike(one, colleagues)).toBeUndefined()
})

test('never throws, and nobody imitates himself', () => {
  const some = fc.oneof(fc.emailAddress(), fc.string({ unit: 'binary' }), fc.constantFrom(...KNOWN))
  fc.assert(
    fc.property(some, fc.array(some, { maxLength: 5 }), (address, known) => {
      expect(lookAlike(address, [address])).toBeUndefined()
      const like = lookAlike(address, [...known, address])
      expect(like === undefined || like !== address).toBe(true)
    }),
  )
})
