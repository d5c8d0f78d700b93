import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeName, isOdd, shownName } from './mailbox-names.ts'

test.each([
  ['INBOX', 'INBOX'],
  ['Sent Items', 'Sent Items'],
  ['R&-D', 'R&D'],
  ['Entw&APw-rfe', 'Entwürfe'],
  ['~peter/mail/&U,BTFw-/&ZeVnLIqe-', '~peter/mail/台北/日本語'],
  ['&2D3c7A- box', '📬 box'],
  ['a&-b&AOk--c', 'a&bé-c'],
])('%j is shown as %j and written back', (raw, shown) => {
  expect(shownName(raw)).toBe(shown)
  expect(encodeName(shown)).toBe(raw)
  expect(isOdd(raw)).toBe(false)
})

test.each(['inbox', 'Inbox'])('%j is INBOX', (name) => {
  expect([shownName(name), encodeName(name), isOdd(name)]).toEqual(['INBOX', 'INBOX', false])
})

test.each(['R&D', 'b&AOk', '&AOk', 'x&AGEAYg-', '&AA0-', '&2D0-', '&AOk-&AOk-', '&*-', '&A-'])(
  '%j is odd and shown as it is',
  (raw) => {
    expect([shownName(raw), isOdd(raw)]).toEqual([raw, true])
  },
)

test('bytes above ASCII are shown as the text they are', () => {
  expect(shownName('caf\xc3\xa9')).toBe('café')
  expect(isOdd('caf\xc3\xa9')).toBe(true)
})

test('every name comes back as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
      if (/\p{Cc}/u.test(name) || /^inbox$/i.test(name)) return
      expect(encodeName(name)).toMatch(/^[ -~]*$/)
      expect(shownName(encodeName(name))).toBe(name)
    }),
  )
})

test('whatever a server sends is shown somehow', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'&-+,AaOk/é "\\') }), (raw) => {
      expect(typeof shownName(raw)).toBe('string')
      if (!isOdd(raw)) expect(encodeName(shownName(raw))).toBe(raw)
    }),
  )
})
