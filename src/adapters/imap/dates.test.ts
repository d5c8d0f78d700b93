import { expect, test } from 'vitest'
import { addDays, parseInternalDate } from './dates.ts'

test.each([
  ['17-Jul-1996 02:44:25 -0700', '1996-07-17T09:44:25Z'],
  [' 1-Jan-2024 00:00:00 +0530', '2023-12-31T18:30:00Z'],
  ['01-jan-2024 00:00:00 +0000', '2024-01-01T00:00:00Z'],
])('%j is %s', (text, iso) => {
  expect(parseInternalDate(text)).toBe(Date.parse(iso) / 1000)
})

test.each(['', 'yesterday', '01-Foo-2024 00:00:00 +0000', '2024-01-01T00:00:00Z'])('%j is no date', (text) => {
  expect(parseInternalDate(text)).toBeUndefined()
})

test.each([
  ['2024-02-28', 2, '2024-03-01'],
  ['2024-01-01', -1, '2023-12-31'],
  ['9999-12-31', 2, '9999-12-31'],
  ['0001-01-01', -1, '0001-01-01'],
])('%s and %i days is %s', (iso, days, expected) => {
  expect(addDays(iso, days)).toBe(expected)
})
