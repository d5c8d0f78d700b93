import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fold } from './fold.ts'

test.each([
  ['case', 'Straße KÖLN', 'straße köln'],
  ['composed and decomposed accents', 'cafe\u0301', 'café'],
  ['full-width letters', 'ＡＢＣ', 'abc'],
  ['the two small sigmas', 'ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
  ['Cyrillic', 'МОСКВА', 'москва'],
  ['soft hyphens and zero-width characters', 'Versi\u00ADche\u200Brung', 'versicherung'],
  ['white space of every kind', 'a\r\n\t b\u00A0c\u3000d', 'a b c d'],
])('%s is folded', (_what, text, folded) => {
  expect(fold(text)).toBe(folded)
})

test('a piece of a text that was typed in capitals is found in it', () => {
  expect(fold('Grüße aus Ηράκλειο')).toContain(fold('ΗΡΆΚΛΕΙΟ'))
})

test('folding never throws and gives text that can be stored', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => fold(text).isWellFormed()))
})
