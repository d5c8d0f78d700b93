import { expect, test } from 'vitest'
import { distance, plural, size } from './times.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

test.each([
  [0, 'just now'],
  [30_000, 'in a moment'],
  [-4 * MINUTE, '4 minutes ago'],
  [-70 * MINUTE, '70 minutes ago'],
  [23 * HOUR + 57 * MINUTE, 'in 24 hours'],
  [-5 * HOUR, '5 hours ago'],
  [-49 * HOUR, '2 days ago'],
])('%i milliseconds from now are %s', (off, words) => {
  expect(distance(1e12 + off, 1e12)).toBe(words)
})

test('amounts', () => {
  expect([size(1), size(999), size(48_213), size(2_000_000)]).toEqual(['1 byte', '999 bytes', '48.2 kB', '2 MB'])
  expect([plural(1, 'try', 'tries'), plural(1200, 'try', 'tries')]).toEqual(['1 try', '1,200 tries'])
})
