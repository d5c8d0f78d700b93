import { expect, test } from 'vitest'
import { readRequireDigest } from './require-digest.ts'

test.each(['true', '1', 'yes', 'on', ' TRUE\n', 'ture'])('%j requires the digest', (value) => {
  expect(readRequireDigest({ POSTERN_REQUIRE_DIGEST: value })).toBe(true)
})

test.each([undefined, '', ' ', 'false', '0', 'No', ' off '])('%j does not', (value) => {
  expect(readRequireDigest({ POSTERN_REQUIRE_DIGEST: value })).toBe(false)
})
