import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoSeconds, parseDate } from './date.ts'

test.each([
  ['Mon, 26 Feb 2024 10:30:00 +0000', '2024-02-26T10:30:00Z'],
  ['Mon, 26 Feb 2024 10:30:00 +0530', '2024-02-26T05:00:00Z'],
  ['26 Feb 2024 10:30 -0800', '2024-02-26T18:30:00Z'],
  ['Mon, 26 Feb 2024 10:30:00 GMT', '2024-02-26T10:30:00Z'],
  ['Mon, 26 Feb 2024 10:30:00 EDT', '2024-02-26T14:30:00Z'],
  ['Mon, 26 Feb 2024 10:30:00 PST (Pacific (Standard) Time)', '2024-02-26T18:30:00Z'],
  ['Mon, 26 Feb 2024 10:30:00 A', '2024-02-26T10:30:00Z'],
  ['Mon, 26 Feb 2024 10:30:00', '2024-02-26T10:30:00Z'],
  ['Monday, 26 February 2024 10:30:00 GMT+0100', '2024-02-26T09:30:00Z'],
  ['Fri, 21 Nov 97 09(comment):   55  :  06 -0600', '1997-11-21T15:55:06Z'],
  ['1 Jan 49 00:00 Z', '2049-01-01T00:00:00Z'],
  ['1 Jan 50 00:00 Z', '1950-01-01T00:00:00Z'],
  ['1 Jan 102 00:00 Z', '2002-01-01T00:00:00Z'],
  ['Thu, 29 Feb 2024 23:59:60 +0000', '2024-02-29T23:59:59Z'],
  ['Mon Feb 26 10:30:00 2024', '2024-02-26T10:30:00Z'],
  ['Mon Feb 26 10:30:00 PST 2024', '2024-02-26T18:30:00Z'],
  ['2024-02-26T10:30:00.123+01:00', '2024-02-26T09:30:00Z'],
])('%s', (value, expected) => {
  expect(isoSeconds(parseDate(value) ?? Number.NaN)).toBe(expected)
})

test.each([
  '',
  'yesterday',
  'Mon, 30 Feb 2024 10:30:00 +0000',
  'Thu, 29 Feb 2023 10:30:00 +0000',
  'Mon, 26 Foo 2024 10:30:00 +0000',
  'Mon, 26 Feb 2024 24:30:00 +0000',
  'Mon, 26 Feb 2024 10:61:00 +0000',
  'Mon, 26 Feb 2024 10:30:61 +0000',
  'Mon, 0 Feb 2024 10:30:00 +0000',
  'Mon, 26 Feb 0102 10:30:00 +0000',
])('%j is no date', (value) => {
  expect(parseDate(value)).toBeUndefined()
})

test('every second from 1900 to 9999 can be written and read', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('1900-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }), (date) => {
      const seconds = Math.floor(date.getTime() / 1000) * 1000
      expect(parseDate(new Date(seconds).toUTCString())).toBe(seconds)
      expect(parseDate(isoSeconds(seconds))).toBe(seconds)
    }),
  )
})

test('any text is a date or none, and any number a time', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(['number', 'undefined']).toContain(typeof parseDate(text))
    }),
  )
  fc.assert(
    fc.property(fc.double(), (ms) => {
      expect(isoSeconds(ms)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    }),
  )
})
