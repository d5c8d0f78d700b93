/**
 * Header fields of a message that we write.
 *
 * INVARIANT: every field is made of printable ASCII, whatever it was given, so that no text becomes a field, a line or an
 * address of its own. Lines are broken between words before 78 characters, and no word comes near 998.
 */
import { encodedWords } from './encoded-words.ts'
import type { StrictAddress } from './strict-address.ts'

const LINE = 76
const LONGEST_PLAIN = 64
const PLAIN_TEXT = /^[!-~]+(?: [!-~]+)*$/
const ATOMS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const NOT_PRINTABLE = /[^ -~]/

export function textField(name: string, text: string): string {
  if (text === '') return `${name}:`
  const words = text.split(' ')
  const plain = PLAIN_TEXT.test(text) && !text.includes('=?') && words.every((word) => word.length <= LONGEST_PLAIN)
  return field(name, plain ? words : encodedWords(text))
}

export function addressField(name: string, list: readonly StrictAddress[]): string {
  const last = list.length - 1
  return field(
    name,
    list.flatMap((address, at) => {
      const words = wordsOf(address)
      return at === last ? words : [...words.slice(0, -1), `${words.at(-1)},`]
    }),
  )
}

/** Words that hold no blank, a line broken before whichever does not fit. */
export function field(name: string, words: readonly string[]): string {
  const lines: string[] = []
  let line = `${name}:`
  for (const word of words) {
    if (NOT_PRINTABLE.test(word)) throw new Error('a header field must be printable ASCII')
    const isFirst = lines.length === 0 && line.length === name.length + 1
    if (!isFirst && line.length + 1 + word.length > LINE) {
      lines.push(line)
      line = ''
    }
    line += ` ${word}`
  }
  return [...lines, line].join('\r\n')
}

function wordsOf({ name, address }: StrictAddress): string[] {
  // A quoted local part may hold blanks: brackets keep it together.
  if (name === '') return [address.startsWith('"') ? `<${address}>` : address]
  return [...nameWords(name), `<${address}>`]
}

function nameWords(name: string): string[] {
  const quoted = `"${name.replace(/["\\]/g, '\\$&')}"`
  if (quoted.length > LONGEST_PLAIN || name.includes('=?') || !PLAIN_TEXT.test(name)) return encodedWords(name)
  return ATOMS.test(name) ? name.split(' ') : [quoted]
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Mon, 26 Feb 2024 10:30:00 +0000`. */
export function mailDate(seconds: number): string {
  const date = new Date(seconds * 1000)
  const day = `${DAYS[date.getUTCDay()]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
  return `${day} ${date.toISOString().slice(11, 19)} +0000`
}
