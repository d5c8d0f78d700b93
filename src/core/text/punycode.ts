/**
 * Punycode (RFC 3492): how domain names write letters beyond ASCII.
 *
 * INVARIANT: bounded by the 63 characters of a label; never throws. What is no punycode is undefined.
 */
const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700
const FIRST_BIAS = 72
const FIRST_CODE = 128
const MAX_LABEL = 63

/** What `xn--…` says. */
export function decodeLabel(label: string): string | undefined {
  const encoded = label.toLowerCase()
  if (!encoded.startsWith('xn--') || encoded.length > MAX_LABEL) return undefined
  const text = encoded.slice('xn--'.length)
  const hyphen = text.lastIndexOf('-')
  return insertAll([...text.slice(0, Math.max(0, hyphen))], text.slice(hyphen + 1))
}

function insertAll(letters: string[], digits: string): string | undefined {
  let code = FIRST_CODE
  let index = 0
  let bias = FIRST_BIAS
  for (let at = 0; at < digits.length; ) {
    const number = readNumber(digits, at, bias)
    if (number === undefined) return undefined
    const count = letters.length + 1
    bias = adapt(number.value, count, index === 0 && code === FIRST_CODE)
    index += number.value
    code += Math.floor(index / count)
    index %= count
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined
    letters.splice(index, 0, String.fromCodePoint(code))
    index++
    at = number.end
  }
  return letters.join('')
}

function readNumber(digits: string, start: number, bias: number): { value: number; end: number } | undefined {
  let value = 0
  let weight = 1
  for (let at = start, k = BASE; at < digits.length; at++, k += BASE) {
    const digit = digitValue(digits.charCodeAt(at))
    if (digit < 0) return undefined
    value += digit * weight
    if (value > Number.MAX_SAFE_INTEGER / BASE) return undefined
    const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX)
    if (digit < threshold) return { value, end: at + 1 }
    weight *= BASE - threshold
  }
  return undefined
}

function digitValue(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61
  return code >= 0x30 && code <= 0x39 ? code - 0x30 + 26 : -1
}

function adapt(delta: number, count: number, first: boolean): number {
  let rest = first ? Math.floor(delta / DAMP) : delta >> 1
  rest += Math.floor(rest / count)
  let k = 0
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW))
}
