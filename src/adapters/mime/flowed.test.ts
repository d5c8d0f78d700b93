import { expect, test } from 'vitest'
import { unflow } from './flowed.ts'

test.each([
  ['joins soft-broken lines', 'one \ntwo\nthree', false, 'one two\nthree'],
  ['drops the blank where it was added', 'so \nft', true, 'soft'],
  ['keeps the blank where it was not', 'so \nft', false, 'so ft'],
  ['joins quoted lines of one depth', '> a \n> b\n>> c', false, '> a b\n>> c'],
  ['does not join across depths', '> a \nb', false, '> a \nb'],
  ['removes stuffing', ' >no quote\n From here', false, '>no quote\nFrom here'],
  ['leaves signatures alone', 'text \n-- \nme', false, 'text \n-- \nme'],
  ['leaves empty lines alone', 'a\n\nb', false, 'a\n\nb'],
])('%s', (_, text, delSp, expected) => {
  expect(unflow(text, delSp)).toBe(expected)
})
