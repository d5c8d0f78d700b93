/**
 * Another reading of an address list: blanks and comments around the dots and the `@` of an address mean nothing to a
 * mail server, and to a hasty reader they end it.
 *
 * INVARIANT: linear in the size of the input, never throws. What is in quotes stays as it is.
 */
export function squeezeAddresses(value: string): string {
  return SQUEEZABLE.test(value) ? squeeze(value) : value
}

/** Most lists have one reading: a comment, a quote that may hold anything, or a blank that is no single one between words. */
const SQUEEZABLE = /["(]|[^\S ]|^ | $| [ .@]|[.@] /

function squeeze(value: string): string {
  const kept: string[] = []
  let blank = false
  for (let at = 0; at < value.length; ) {
    const end = pieceEnd(value, at)
    const piece = value.slice(at, end)
    at = end
    if (piece.trim() === '' || piece.startsWith('(')) {
      blank = true
      continue
    }
    if (blank && !isJoint(piece) && !isJoint(kept.at(-1))) kept.push(' ')
    kept.push(piece)
    blank = false
  }
  return kept.join('')
}

function isJoint(piece: string | undefined): boolean {
  return piece === '.' || piece === '@'
}

/** Where a quoted text or a comment ends that begins here, else the next character. One without an end takes all. */
function pieceEnd(value: string, start: number): number {
  const first = value[start]
  if (first !== '"' && first !== '(') return start + 1
  let depth = 0
  for (let at = start; at < value.length; at += 1) {
    const character = value[at]
    if (character === '\\') at += 1
    else if (first === '"' && character === '"' && at > start) return at + 1
    else if (first === '(' && character === '(') depth += 1
    else if (first === '(' && character === ')' && --depth === 0) return at + 1
  }
  return value.length
}
