import fc from 'fast-check'
import { expect, test } from 'vitest'
import { squeezeAddresses } from './squeeze-addresses.ts'

test.each([
  ['a@b.example', 'a@b.example'],
  ['x @ foe . example', 'x@foe.example'],
  ['Joe <x (c) @ foe (d(e)) . example>', 'Joe <x@foe.example>'],
  ['x\r\n @foe.\t example , y@b', 'x@foe.example , y@b'],
  ['"a . b" <x@foe.example>', '"a . b" <x@foe.example>'],
  ['"a \\" . (b" . c', '"a \\" . (b".c'],
  ['John Q. Public <a@b.example>', 'John Q.Public <a@b.example>'],
  ['a (b) c', 'a c'],
  ['a (b', 'a'],
  ['a "b . c', 'a "b . c'],
  ['', ''],
  ['Ann B. <a@b.example>, c@d.example', 'Ann B.<a@b.example>, c@d.example'],
  ['Ann B <a@b.example>, c@d.example', 'Ann B <a@b.example>, c@d.example'],
  ['a  b', 'a b'],
  [' a', ' a'],
  ['a ', 'a'],
  ['a\u00a0b', 'a b'],
])('%j becomes %j', (value, squeezed) => {
  expect(squeezeAddresses(value)).toBe(squeezed)
})

test('nothing is left to squeeze afterwards, and nothing throws', () => {
  const pieces = fc.constantFrom('a', ' ', '.', '@', '(', ')', '"', '\\', '<', '>', ',', '\t')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (list) => {
      const once = squeezeAddresses(list.join(''))
      expect(squeezeAddresses(once)).toBe(once)
    }),
  )
})
