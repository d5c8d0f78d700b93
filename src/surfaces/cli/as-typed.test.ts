import { expect, test } from 'vitest'
import { asTyped } from './as-typed.ts'

test.each([
  ['run "postern setup" again', 'run "npx postern setup" again'],
  ['→ run: postern forget a --yes && postern sync a', '→ run: npx postern forget a --yes && npx postern sync a'],
  ['run: POSTERN_DEBUG=1 postern doctor', 'run: POSTERN_DEBUG=1 npx postern doctor'],
  ['; "postern --help" lists them', '; "npx postern --help" lists them'],
  ['(postern audit verify says what)', '(npx postern audit verify says what)'],
])('a command is named as it is typed: %s', (words, typed) => {
  expect(asTyped(words, 'npx postern')).toBe(typed)
  expect(asTyped(words, 'postern')).toBe(words)
})

test.each([
  'postern: the vault cannot be read\n',
  'in /home/ada/postern setup',
  'run "npx postern setup" again',
  '"postern" stands in the file',
  'claude mcp add postern --transport http',
])('what is no command stays as it is: %s', (words) => {
  expect(asTyped(words, 'npx postern')).toBe(words)
})

test('a program is named as it is, whatever stands in its path', () => {
  expect(asTyped('run: postern doctor', 'node "/srv/$& $1/postern.mjs"')).toBe(
    'run: node "/srv/$& $1/postern.mjs" doctor',
  )
})
