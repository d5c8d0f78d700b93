import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../failure.ts'
import { parseAddresses } from '../mime/addresses.ts'
import { addressList } from './address-list.ts'
import { strictAddress } from './strict-address.ts'

test.each<[string, readonly string[]]>([
  ['ada@example.org', ['ada@example.org']],
  [' a@example.org ,b@example.org', ['a@example.org', 'b@example.org']],
  ['"Lovelace, Ada" <ada@example.org>, b@example.org', ['"Lovelace, Ada" <ada@example.org>', 'b@example.org']],
  ['"a,b"@example.org, <"c, d"@example.org>', ['"a,b"@example.org', '<"c, d"@example.org>']],
  ['"q\\",x" <a@example.org>', ['"q\\",x" <a@example.org>']],
])('%j is a list', (text, expected) => {
  expect(addressList(text, 'to')).toEqual(expected)
})

test.each<[text: string, offending: string]>([
  ['not-an-email', 'not-an-email'],
  ['a@example.org, nobody , b@example.org', 'nobody'],
  ['a@example.org,', 'a@example.org,'],
  [',a@example.org', ',a@example.org'],
  ['a@example.org,,b@example.org', 'a@example.org,,b@example.org'],
  ['', ''],
  ['  ', ''],
  ['friends: a@example.org, b@example.org;', 'friends: a@example.org'],
  ['<@relay,@other:a@example.org>', '<@relay'],
  ['<@relay.example:a@example.org>', '<@relay.example:a@example.org>'],
  ['a@example.org (Ada)', 'a@example.org (Ada)'],
  ['a@example.org; b@example.org', 'a@example.org; b@example.org'],
  ['a@example.org b@example.org', 'a@example.org b@example.org'],
  ['"open, a@example.org', '"open, a@example.org'],
  ['a@example.org\r\nBcc: b@example.org', 'a@example.org Bcc: b@example.org'],
  ['x'.repeat(3000), 'x'.repeat(100)],
  ['a\u202eb@example.org', 'ab@example.org'],
])('%j is refused, and the refusal says which part of it', (text, offending) => {
  const refused = refusalOf(() => addressList(text, 'to'))
  expect(refused.code).toBe('invalid_input')
  expect(refused.details).toEqual({ address: offending })
  expect(refused.message).toMatch(/^to(?:\[\d\])? /)
})

test('a list has its limit', () => {
  const of = (count: number): string => Array.from({ length: count }, (_, at) => `a${at}@example.org`).join(',')
  expect(addressList(of(100), 'to')).toHaveLength(100)
  expect(() => addressList(of(101), 'to')).toThrow('to must name at most 100 addresses')
})

test('what is taken is what a lenient reader sees', () => {
  const pieces = ['a', 'b@example.org', '@', '<', '>', ',', ', ', ';', ':', '"', '\\', '(', ')', '.', ' ', 'ü', '=?']
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((list) => list.join(''))
  fc.assert(
    fc.property(texts, (text) => {
      let taken: readonly string[]
      try {
        taken = addressList(text, 'to')
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        return
      }
      const addresses = taken.map((one) => strictAddress(one, 'to').address)
      expect(parseAddresses(text).map(({ address }) => address)).toEqual(addresses)
    }),
    { numRuns: 3000 },
  )
})

function refusalOf(run: () => unknown): Failure {
  try {
    run()
  } catch (error) {
    if (error instanceof Failure) return error
  }
  throw new Error('it was taken')
}
