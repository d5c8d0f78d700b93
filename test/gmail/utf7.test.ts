/** Two ways of writing modified UTF-7 that were written apart agree. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeName, shownName } from '../../src/adapters/imap/mailbox-names.ts'
import { fromUtf7, toUtf7 } from './utf7.ts'

test('every name is written as the adapter writes it, and read back', () => {
  const names = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((name) => !/^inbox$|\p{Cc}/iu.test(name))
  fc.assert(
    fc.property(names, (name) => {
      expect(toUtf7(name)).toBe(encodeName(name))
      expect(fromUtf7(toUtf7(name))).toBe(name)
      expect(shownName(toUtf7(name))).toBe(name)
    }),
  )
})

test.each(['&', '&AOQ', '&ZeVnLIqe', '&AGE-', 'ä', '&AOQ-&AOQ-'])('%j is no name', (text) => {
  expect(fromUtf7(text)).toBeUndefined()
})
