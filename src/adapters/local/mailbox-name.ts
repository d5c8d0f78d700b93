/** Names of mailboxes: parted by `/`, INBOX in any case is INBOX. */
import { Failure } from '../../core/failure.ts'

export const DELIMITER = '/'
const MAX_NAME = 1000
const UNFIT = /[\p{Cc}\u2028\u2029]/u

/** Whether a mailbox could have that name at all. */
export function fitsName(name: string): boolean {
  return !UNFIT.test(name)
}

/** The name a mailbox would be stored under: INBOX alone knows no case. */
export function canonicalName(name: string): string {
  if (!fitsName(name)) throw new Failure('invalid_input', 'a mailbox name holds no control characters')
  const [first = '', ...rest] = name.split(DELIMITER)
  return first.toUpperCase() === 'INBOX' ? ['INBOX', ...rest].join(DELIMITER) : name
}

/** A name that a mailbox may be made under. */
export function properName(name: string): string {
  const levels = name.split(DELIMITER)
  if (name.length > MAX_NAME || !name.isWellFormed() || levels.includes('')) {
    throw new Failure('invalid_input', `a mailbox name is 1 to ${MAX_NAME} characters, without empty levels`)
  }
  return canonicalName(name)
}

/** Every name above this one, nearest last: `a/b/c` has `a` and `a/b`. */
export function namesAbove(name: string): string[] {
  const levels = name.split(DELIMITER)
  return levels.slice(1).map((_, depth) => levels.slice(0, depth + 1).join(DELIMITER))
}
