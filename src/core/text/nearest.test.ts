import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const KNOWN = ['host', 'port', 'secret_ref', 'oauth_scope', 'id']

test.each([
  ['hst', 'host'],
  ['HOST', 'host'],
  ['secretRef', 'secret_ref'],
  ['secret-ref', 'secret_ref'],
  ['oath_scope', 'oauth_scope'],
  ['prot', 'port'],
  ['colour', undefined],
  ['', undefined],
])('%s means %s', (written, meant) => {
  expect(nearest(written, KNOWN)).toBe(meant)
})

test('what is too long to be a slip is not measured', () => {
  expect(nearest('x'.repeat(1_000_000), KNOWN)).toBeUndefined()
})
