import fc from 'fast-check'
import { expect, test } from 'vitest'
import { domainOf, isImitation, registeredDomain } from './domains.ts'
import { decodeLabel } from './punycode.ts'

test.each([
  ['a@B.Example.', 'b.example'],
  ['"x@y"@b.example', 'b.example'],
  ['root', 'root'],
])('the domain of %s', (address, expected) => {
  expect(domainOf(address)).toBe(expected)
})

test.each([
  ['mail.example.com', 'example.com'],
  ['a.b.co.uk', 'b.co.uk'],
  ['example.com', 'example.com'],
  ['localhost', 'localhost'],
])('somebody registered %s as %s', (domain, expected) => {
  expect(registeredDomain(domain)).toBe(expected)
})

test.each([
  'раураl.com',
  'xn--pypal-4ve.com',
  'аррее.com',
  'rnicrosoft.com',
  'mail.rnicrosoft.com',
  'paypa1.com',
  'g00gle.com',
  'arnazon.co.uk',
  'corp.example.evil.example',
  'mail.corp.example.evil.example',
  'c0rp.example',
  `${'a.'.repeat(200)}com`,
])('%s imitates', (domain) => {
  expect(isImitation(domain, ['corp.example'])).toBe(true)
})

test.each([
  'microsoft.com',
  'mail.google.com',
  'corp.example',
  'mail.corp.example',
  'münchen.de',
  'xn--mnchen-3ya.de',
  'почта.рф',
  'xn--80a1acny.xn--p1ai',
  '日本語.jp',
  'example.com',
  'a-b.c-d.example',
  'xn--99999999999',
  'root',
  '',
])('%s is itself', (domain) => {
  expect(isImitation(domain, ['corp.example', 'root', ''])).toBe(false)
})

test.each([
  ['xn--mnchen-3ya', 'münchen'],
  ['xn--80a1acny', 'почта'],
  ['XN--wgv71a119e', '日本語'],
  ['xn--ls8h', '💩'],
  ['plain', undefined],
  ['xn--!', undefined],
  [`xn--${'9'.repeat(80)}`, undefined],
])('punycode %s', (label, expected) => {
  expect(decodeLabel(label)).toBe(expected)
})

test('punycode is read as browsers write it', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zà-öø-ÿа-яα-ω]{1,12}$/), (label) => {
      const written = new URL(`http://${label}.example`).hostname.split('.')[0] ?? ''
      expect(decodeLabel(written) ?? written).toBe(label)
    }),
  )
})

test('any label is punycode or not', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'az09-') }), (text) =>
      ['string', 'undefined'].includes(typeof decodeLabel(`xn--${text}`)),
    ),
  )
})
