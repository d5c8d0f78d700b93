import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const KNOWN = ['host', 'port', 'secret_ref', 'oauth_scope', 'id', 'to_contains', 'subject_contains']

test.each([
  ['hst', 'host'],
  ['HOST', 'host'],
  ['secretRef', 'secret_ref'],
  ['secret-ref', 'secret_ref'],
  ['oath_scope', 'oauth_scope'],
  ['prot', 'port'],
  ['colour', undefined],
  ['subjct_contain', 'subject_contains'],
  ['body_contains', undefined],
  ['bodyContains', undefined],
  ['cc_contains', undefined],
  ['', undefined],
])('%s means %s', (written, meant) => {
  expect(nearest(written, KNOWN)).toBe(meant)
})

test('what is too long to be a slip is not measured', () => {
  expect(nearest('x'.repeat(1_000_000), KNOWN)).toBeUndefined()
})
