import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../failure.ts'
import { parseAddresses } from '../mime/addresses.ts'
import { strictAddress } from './strict-address.ts'

test.each<[string, string, string]>([
  ['ada@example.org', '', 'ada@example.org'],
  ['  ada@example.org ', '', 'ada@example.org'],
  ['<ada@example.org>', '', 'ada@example.org'],
  ['Ada Lovelace <ada@example.org>', 'Ada Lovelace', 'ada@example.org'],
  ['A. Lovelace <ada@example.org>', 'A. Lovelace', 'ada@example.org'],
  ['"Lovelace, Ada" <ada@example.org>', 'Lovelace, Ada', 'ada@example.org'],
  ['"a \\"b\\" \\\\" <ada@example.org>', 'a "b" \\', 'ada@example.org'],
  ['Zoë  Ünal <zoe@example.org>', 'Zoë Ünal', 'zoe@example.org'],
  ["o'neil+tag.x@sub.example.org", '', "o'neil+tag.x@sub.example.org"],
  ['"a b"@example.org', '', '"a b"@example.org'],
  ['"x@y"@example.org', '', '"x@y"@example.org'],
  ['root@localhost', '', 'root@localhost'],
  ['root@[127.0.0.1]', '', 'root@[127.0.0.1]'],
  ['=?utf-8?Q?boss?= <a@example.org>', '=?utf-8?Q?boss?=', 'a@example.org'],
])('%j is taken', (text, name, address) => {
  expect(strictAddress(text, 'to[0]')).toEqual({ name, address })
})

test.each([
  ...['', ' ', '\t', ',', 'ada', 'ada@', '@example.org', 'Ada', '<>', 'Ada <>', 'Ada <ada>'],
  ...['a@example.org, b@example.org', 'a@example.org b@example.org', 'a@example.org;', 'a@example.org,'],
  ...['A <a@example.org>, B <b@example.org>', 'A <a@example.org> <b@example.org>', 'a@b@example.org'],
  ...['group: a@example.org;', 'undisclosed-recipients:;', '<@relay.example:a@example.org>', '@relay:a@example.org'],
  ...['a@example.org\r\nBcc: b@example.org', 'a\n@example.org', 'A\r <a@example.org>', 'a@example.org\0'],
  ...['a@example.org\u2028', '\u202eA <a@example.org>', 'a@example.org (Ada)', '(x)a@example.org', 'a @example.org'],
  ...['a@ example.org', 'a..b@example.org', '.a@example.org', 'a.@example.org', 'a@.example.org', 'a@example..org'],
  ...['a@-example.org', 'a@exa_mple.org', 'a@example.org.', 'ä@example.org', 'a@exämple.org', 'a@[x y]', 'a@[]'],
  ...['Last, First <a@example.org>', 'a@b <c@example.org>', '"open <a@example.org>', 'A "B" <a@example.org>'],
  ...[`${'a'.repeat(65)}@example.org`, `a@${'x'.repeat(64)}.org`, `a@${'x.'.repeat(130)}org`, 'a'.repeat(5000)],
  ...[`${'n'.repeat(300)} <a@example.org>`, '"a\\" <a@example.org>', '\ud800 <a@example.org>', 'mailto:a@example.org'],
])('%j is refused', (text) => {
  expect(() => strictAddress(text, 'to[3]')).toThrow(Failure)
  expect(() => strictAddress(text, 'to[3]')).toThrow(/^to\[3\] /)
})

test('what is taken is what a lenient reader sees, one address and the same one', () => {
  const pieces = [
    'a',
    'b@example.org',
    '@',
    '<',
    '>',
    ',',
    ';',
    ':',
    '"',
    '\\',
    '(',
    ')',
    '[',
    ']',
    '.',
    ' ',
    'ü',
    '=?',
    '?=',
  ]
  const texts = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((list) => list.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      let taken: ReturnType<typeof strictAddress>
      try {
        taken = strictAddress(text, 'to')
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        return
      }
      expect(parseAddresses(text).map(({ address }) => address)).toEqual([taken.address])
    }),
    { numRuns: 3000 },
  )
})
