import { expect, test } from 'vitest'
import { readDevMode } from './dev-mode.ts'

test.each(['false', '0', 'no', 'off', 'FALSE', ' Off\n', 'nO'])('%j turns it off', (value) => {
  expect(readDevMode({ DEV_MODE: value })).toBe(false)
})

test.each([undefined, '', ' ', 'true', '1', 'yes', 'on', 'disabled', 'fasle', '00', 'n', 'false;'])(
  '%j leaves it on',
  (value) => {
    expect(readDevMode({ DEV_MODE: value })).toBe(true)
  },
)
