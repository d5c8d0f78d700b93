/**
 * Charsets of seven bits that shift between ASCII and pairs of bytes, and that no standard decoder reads: HZ (RFC 1843) and
 * ISO-2022-KR (RFC 1557). They become the charset of eight bits that has the same pairs.
 *
 * INVARIANT: linear in the size of the input, never longer than it, never throws. A line begins in ASCII, whatever was before it.
 */
const LF = 0x0a
const SHIFT_OUT = 0x0e
const SHIFT_IN = 0x0f
const ESCAPE = 0x1b
const TILDE = 0x7e
const OPEN = 0x7b
const CLOSE = 0x7d

export interface Unshifted {
  readonly bytes: Uint8Array
  readonly encoding: string
}

/** Undefined where `label`, in lower case, is none of them. */
export function unshifted(bytes: Uint8Array, label: string): Unshifted | undefined {
  if (label === 'iso-2022-kr' || label === 'csiso2022kr') return { bytes: unshiftKorean(bytes), encoding: 'euc-kr' }
  if (label === 'hz-gb-2312' || label === 'hz') return { bytes: unshiftHz(bytes), encoding: 'gbk' }
  return undefined
}

function unshiftKorean(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length)
  let [length, shifted] = [0, false]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === SHIFT_OUT) shifted = true
    else if (byte === SHIFT_IN) shifted = false
    // The announcement `ESC $ ) C`, once at the beginning of a text.
    else if (byte === ESCAPE && bytes[at + 1] === 0x24 && bytes[at + 2] === 0x29 && bytes[at + 3] === 0x43) at += 3
    else {
      if (byte === LF) shifted = false
      out[length++] = shifted && byte > 0x20 ? byte | 0x80 : byte
    }
  }
  return out.subarray(0, length)
}

function unshiftHz(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length)
  let [length, shifted] = [0, false]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    const next = bytes[at + 1]
    if (byte === TILDE && !shifted && next === OPEN) {
      shifted = true
      at++
    } else if (byte === TILDE && shifted && next === CLOSE) {
      shifted = false
      at++
    } else if (byte === TILDE && !shifted && next === TILDE) {
      out[length++] = TILDE
      at++
    } else if (byte === TILDE && !shifted && next === LF) at++
    else if (shifted && byte > 0x20 && next !== undefined && next > 0x20) {
      out[length++] = byte | 0x80
      out[length++] = next | 0x80
      at++
    } else {
      if (byte === LF) shifted = false
      out[length++] = byte
    }
  }
  return out.subarray(0, length)
}
