import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareScopes, normalScope, nothingGranted, scopeMayWrite } from './scopes.ts'

test.each([
  ['https://mail.google.com/', true],
  ['https://www.googleapis.com/auth/gmail.modify', true],
  ['https://www.googleapis.com/auth/gmail.readonly', false],
  ['https://www.googleapis.com/auth/gmail.metadata openid email', false],
  ['https://www.googleapis.com/auth/gmail.readonly https://www.googleapis.com/auth/gmail.send', false],
  ['https://www.googleapis.com/auth/gmail.readonly https://www.googleapis.com/auth/gmail.modify', true],
  ['https://outlook.office.com/IMAP.AccessAsUser.All offline_access', true],
  ['https://outlook.office.com/SMTP.Send https://outlook.office.com/IMAP.AccessAsUser.All', true],
  ['https://graph.microsoft.com/Mail.Read', false],
  ['https://graph.microsoft.com/Mail.ReadWrite', true],
  ['imap:read', false],
  ['mail-readonly', false],
  ['spread', true],
  ['openid offline_access', true],
  ['', true],
])('%s writes: %s', (scope, writes) => {
  expect(scopeMayWrite(scope)).toBe(writes)
})

const scopes = fc.array(fc.stringMatching(/^[!-~]{1,12}$/), { maxLength: 6 })

test('order, repetition and blanks make no other scope', () => {
  fc.assert(
    fc.property(scopes, (list) => {
      const other = [...list, ...list].reverse().join('  \t')
      expect(normalScope(other)).toBe(normalScope(list.join(' ')))
      expect(normalScope(normalScope(other))).toBe(normalScope(other))
    }),
  )
})

test('more scopes never take the right to write away', () => {
  fc.assert(
    fc.property(scopes, scopes, (some, more) => {
      fc.pre(some.length > 0 && scopeMayWrite(some.join(' ')) && compareScopes('', some.join(' ')).extra.length > 0)
      expect(scopeMayWrite([...some, ...more].join(' '))).toBe(true)
    }),
  )
})

test('what is missing and what is extra concerns mail alone', () => {
  expect(compareScopes('mail contacts offline_access', 'openid mail drive')).toEqual({
    missing: ['contacts'],
    extra: ['drive'],
  })
  expect(nothingGranted('mail', 'openid')).toBe(true)
  expect(nothingGranted('mail contacts', 'mail')).toBe(false)
  expect(nothingGranted('openid', '')).toBe(false)
})
