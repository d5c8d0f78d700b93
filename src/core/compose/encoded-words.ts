/**
 * Text of any kind as encoded words (RFC 2047).
 *
 * INVARIANT: pure ASCII without blanks, each word at most 64 characters, no character split over two words; decoded and
 * joined they are the text. They hold no character that means something in a list of addresses.
 */
import { base64 } from './base64.ts'

/** Short of the 75 that are allowed, so that a field's name fits before it. */
const LONGEST_WORD = 64
const START = '=?utf-8?'
const END = '?='
const MOST_ENCODED = LONGEST_WORD - START.length - 'Q?'.length - END.length
/** Three bytes become four letters. */
const MOST_BASE64_BYTES = Math.floor(MOST_ENCODED / 4) * 3
/** What may stand unencoded in a word wherever it is used (RFC 2047, 5.3). */
const PLAIN = /^[A-Za-z0-9!*+/-]$/

const utf8 = new TextEncoder()

export function encodedWords(text: string): string[] {
  const quoted = words([...text].map(quotedForm), MOST_ENCODED).map((chunk) => `${START}Q?${chunk}${END}`)
  const binary = chunks(text).map((bytes) => `${START}B?${base64(bytes)}${END}`)
  return lengthOf(binary) < lengthOf(quoted) ? binary : quoted
}

function quotedForm(character: string): string {
  if (character === ' ') return '_'
  if (PLAIN.test(character)) return character
  return [...utf8.encode(character)].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}

function words(forms: readonly string[], most: number): string[] {
  const found: string[] = []
  let word = ''
  for (const form of forms) {
    if (word !== '' && word.length + form.length > most) {
      found.push(word)
      word = ''
    }
    word += form
  }
  return word === '' ? found : [...found, word]
}

function chunks(text: string): Uint8Array[] {
  const found: Uint8Array[] = []
  let chunk: number[] = []
  for (const character of text) {
    const bytes = utf8.encode(character)
    if (chunk.length > 0 && chunk.length + bytes.length > MOST_BASE64_BYTES) {
      found.push(Uint8Array.from(chunk))
      chunk = []
    }
    chunk.push(...bytes)
  }
  return chunk.length === 0 ? found : [...found, Uint8Array.from(chunk)]
}

function lengthOf(list: readonly string[]): number {
  return list.reduce((sum, word) => sum + word.length + 1, 0)
}
