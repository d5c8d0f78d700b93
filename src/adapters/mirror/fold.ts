/**
 * Header text as the search for parts of it compares it.
 *
 * INVARIANT: what differs only in case, in how accents are composed, in the width or kind of white space, or in characters
 * that nobody sees, folds to the same text.
 */
import { allFields, decodeUnstructured, type HeaderField } from '../../core/mime/header.ts'
import { foldWhite } from '../../core/text/white.ts'

const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu
const BEYOND_ASCII = /[^\p{ASCII}]/u
const MOST_CHARACTERS = 65_536

export function fold(text: string): string {
  const lower = BEYOND_ASCII.test(text) ? foldUnicode(text) : text.toLowerCase()
  return foldWhite(lower)
}

/** Every field of that name. An address list is also found without the quotes around its names. */
export function foldedField(header: readonly HeaderField[], name: string): string {
  const values = allFields(header, name).map(decodeUnstructured)
  return fold(values.flatMap(withoutQuotes).join(' ')).slice(0, MOST_CHARACTERS).toWellFormed()
}

function foldUnicode(text: string): string {
  // Compatibility forms can hide capitals, and lower case can decompose a letter: so compose on both sides of it.
  const lower = text.replace(UNSEEN, '').normalize('NFKC').toLowerCase().normalize('NFKC')
  // A capital sigma has two small ones, by its place in the word.
  return lower.replaceAll('ς', 'σ').toWellFormed()
}

function withoutQuotes(value: string): string[] {
  return value.includes('"') ? [value, value.replaceAll(/["\\]/g, '')] : [value]
}
