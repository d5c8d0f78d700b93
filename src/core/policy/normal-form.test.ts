import fc from 'fast-check'
import { expect, test } from 'vitest'
import { domainIn, foldText, normalAddress, normalDomain } from './normal-form.ts'

test.each<[string, string]>([
  ['example.com', 'example.com'],
  ['EXAMPLE.Com', 'example.com'],
  ['example.com.', 'example.com'],
  ['example.com...', 'example.com'],
  [' example.com. . ', 'example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['bu\u0308cher.example', 'xn--bcher-kva.example'],
  ['XN--BCHER-KVA.example.', 'xn--bcher-kva.example'],
  ['bücher\u3002example\u3002', 'xn--bcher-kva.example'],
  ['ｅｘａｍｐｌｅ.com', 'example.com'],
  ['почта.рф', 'xn--80a1acny.xn--p1ai'],
  ['[127.0.0.1]', '[127.0.0.1]'],
  ['', ''],
  ['.', ''],
  ['..a', '..a'],
])('the domain %j is %j', (written, normal) => {
  expect(normalDomain(written)).toBe(normal)
})

test.each([
  'bücher.example/evil.example',
  'bücher.example?evil.example',
  'bücher.example#evil.example',
  'bücher.example:25',
  'bücher.example\\evil.example',
  'bü\tcher.example',
  'bücher.exam%70le',
  'x@bücher.example',
  'bü cher.example',
])('%j is not bücher.example', (written) => {
  expect(normalDomain(written)).not.toBe(normalDomain('bücher.example'))
})

test.each(['sub.example.com', 'example.com.evil.example', 'xexample.com', 'example.co', 'ехаmple.com', 'example..com'])(
  '%j is not example.com',
  (written) => {
    expect(normalDomain(written)).not.toBe('example.com')
  },
)

test.each<[string, string]>([
  ['Alice@Example.COM', 'alice@example.com'],
  [' alice@example.com. ', 'alice@example.com'],
  ['alice @ example.com', 'alice@example.com'],
  ['"alice"@example.com', 'alice@example.com'],
  ['"al\\ice"@example.com', 'alice@example.com'],
  ['"alice bee"@example.com', '"alice bee"@example.com'],
  ['"eve@evil"@example.com', '"eve@evil"@example.com'],
  ['""@example.com', '""@example.com'],
  ['J\u030c@example.com', '\u01f0@example.com'],
  ['ÄRGER@bücher.example', 'ärger@xn--bcher-kva.example'],
  ['=?utf-8?q?a?=@example.com', '=?utf-8?q?a?=@example.com'],
  ['root', 'root'],
  ['ROOT ', 'root'],
  ['', ''],
  ['@', '@'],
])('the address %j is %j', (written, normal) => {
  expect(normalAddress(written)).toBe(normal)
})

test.each<[string, string]>([
  ['a@b.example', 'b.example'],
  ['"x@y"@b.example', 'b.example'],
  ['root', ''],
  ['a@', ''],
])('the domain in %j is %j', (address, domain) => {
  expect(domainIn(address)).toBe(domain)
})

test.each<[string, string]>([
  ['Rechnung', 'RECHNUNG'],
  ['straße', 'STRASSE'],
  ['STRAẞE', 'STRASSE'],
  ['Ελλάς', 'ΕΛΛΆΣ'],
  ['u\u0308ber', 'über'],
  ['ﬁn', 'FIN'],
  ['\u212aelvin', 'KELVIN'],
])('the texts %j and %j are the same', (one, other) => {
  expect(foldText(one)).toBe(foldText(other))
})

const odd = fc.string({
  unit: fc.constantFrom(...'aAß.. @"\\\t%/:İıJẞς\u030c\u0308\u0307\u0345\u3002\u00ad\u200d\ud800'),
})

test('whatever the text, its form has itself as its form', () => {
  fc.assert(
    fc.property(fc.oneof(odd, fc.string({ unit: 'binary' })), (text) => {
      for (const form of [foldText, normalDomain, normalAddress]) expect(form(form(text))).toBe(form(text))
    }),
    { numRuns: 20_000 },
  )
})

test('letter case never matters', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zäöüéпочта.@-]{0,12}$/), (text) => {
      for (const form of [foldText, normalDomain, normalAddress]) expect(form(text.toUpperCase())).toBe(form(text))
    }),
  )
})

test.each(['.', ' ', '. ', 'ü', '"', '\\', '@', 'ü.'])('%j half a million times is read in one pass', (piece) => {
  const long = piece.repeat(500_000)
  for (const form of [foldText, normalDomain, normalAddress]) {
    expect(typeof form(`${long}x`)).toBe('string')
    expect(typeof form(`x@${long}x`)).toBe('string')
  }
})
