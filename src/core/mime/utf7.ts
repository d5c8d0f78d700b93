/**
 * UTF-7 (RFC 2152), which old mail still uses and no standard decoder reads.
 *
 * INVARIANT: linear in the size of the input, never throws; what is no UTF-7 stays as it is.
 */
const VALUES = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((letter, value) => [letter, value]),
)

const SHIFTED = /\+([A-Za-z0-9+/]*)-?/g

export function decodeUtf7(text: string): string {
  return text.replace(SHIFTED, (whole, letters: string) => {
    if (letters === '') return whole.endsWith('-') ? '+' : whole
    return decodeShifted(letters)
  })
}

function decodeShifted(letters: string): string {
  const units: string[] = []
  let bits = 0
  let held = 0
  for (const letter of letters) {
    bits = ((bits << 6) | (VALUES.get(letter) ?? 0)) & 0x3fffff
    held += 6
    if (held < 16) continue
    held -= 16
    units.push(String.fromCharCode((bits >> held) & 0xffff))
  }
  return units.join('').toWellFormed()
}
