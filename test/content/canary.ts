/**
 * Words that stand for a text whose sight is in question, and the same words with their letters exchanged.
 *
 * INVARIANT: an exchanged word is as wide as the word itself: `h`, `n` and `u` have one width, and so have all digits. What
 * follows it stays where it was, so a picture differs only where the word itself is seen.
 */
const LETTERS = 'hnu'
const EXCHANGED: Readonly<Record<string, string>> = { h: 'u', n: 'u', u: 'h' }
const HEAD = 8

/** The word of a number: `canary(7)` is `hhhhuuhn0007`. Numbers up to 9,999 have words of their own. */
export function canary(number: number): string {
  let left = (number * 2654435761) % 6561
  let head = ''
  for (let at = 0; at < HEAD; at++) {
    head += LETTERS[left % 3] ?? 'h'
    left = Math.floor(left / 3)
  }
  return head + String(number % 10_000).padStart(4, '0')
}

/** Another first half, the same second half. */
export function otherHead(word: string): string {
  return [...word.slice(0, HEAD)].map((letter) => EXCHANGED[letter] ?? letter).join('') + word.slice(HEAD)
}

/** Another second half, the same first half. */
export function otherTail(word: string): string {
  return word.slice(0, HEAD) + [...word.slice(HEAD)].map((digit) => (Number(digit) + 4) % 10).join('')
}
