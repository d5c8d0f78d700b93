/**
 * Content-Transfer-Encoding, undone.
 *
 * INVARIANT: linear in the size of the input, never longer than the input, never throws, whatever the bytes; a
 * cut-off input gives the beginning of what the whole one would give.
 */

/** The bytes that were encoded. An encoding we do not know leaves them as they are. */
export function decodeTransfer(bytes: Uint8Array, encoding: string): Uint8Array {
  switch (encoding.trim().toLowerCase()) {
    case 'base64':
      return decodeBase64(bytes)
    case 'quoted-printable':
      return decodeQuotedPrintable(bytes)
    case 'x-uuencode':
    case 'uuencode':
    case 'x-uue':
    case 'uue':
      return decodeUu(bytes)
    default:
      return bytes
  }
}

const PAD = 0x3d
const NOT_BASE64 = 0xff
const BASE64 = new Uint8Array(256).fill(NOT_BASE64)
for (const [value, letter] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  BASE64[letter.charCodeAt(0)] = value
}

/** Skips what is no base64. Padding ends a group, not the text: some programs encode in pieces and join them. */
export function decodeBase64(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(Math.ceil((bytes.length * 3) / 4))
  let length = 0
  let bits = 0
  let held = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    const value = BASE64[byte] ?? NOT_BASE64
    if (value === NOT_BASE64) {
      if (byte === PAD) held = 0
      continue
    }
    bits = ((bits << 6) | value) & 0xffffff
    held += 6
    if (held >= 8) {
      held -= 8
      out[length++] = bits >> held
    }
  }
  return out.subarray(0, length)
}

const LF = 0x0a
const CR = 0x0d
const EQUALS = 0x3d

export function decodeQuotedPrintable(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length)
  let length = 0
  /** Where the text of the line ends in `out` if nothing but blanks follows: those were added on the way. */
  let solid = 0
  let at = 0
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    if (byte === EQUALS) {
      const soft = softBreak(bytes, at + 1)
      const value = soft === undefined ? hexPair(bytes, at + 1) : -1
      if (soft !== undefined) at = soft
      else if (value >= 0) {
        out[length++] = value
        at += 3
      } else {
        out[length++] = byte
        at++
      }
      solid = length
      continue
    }
    // Where the text was cut here, nobody knows whether the line ends.
    if (byte === CR && at + 1 === bytes.length && length > solid) break
    if (byte === LF || (byte === CR && bytes[at + 1] === LF)) length = solid
    out[length++] = byte
    if (byte !== 0x20 && byte !== 0x09) solid = length
    at++
  }
  return out.subarray(0, solid)
}

/** Where the next line begins, when `=` at the end of a line (blanks may follow it) or of the input is a soft break. */
function softBreak(bytes: Uint8Array, from: number): number | undefined {
  let at = from
  while (at < bytes.length && (bytes[at] === 0x20 || bytes[at] === 0x09)) at++
  if (at >= bytes.length) return bytes.length
  if (bytes[at] === LF) return at + 1
  if (bytes[at] === CR) return bytes[at + 1] === LF ? at + 2 : at + 1
  // A single hex digit at the very end is a cut-off escape.
  return at === from && at + 1 === bytes.length && hexValue(bytes[at] ?? 0) >= 0 ? bytes.length : undefined
}

function hexPair(bytes: Uint8Array, at: number): number {
  const high = hexValue(bytes[at] ?? 0)
  const low = hexValue(bytes[at + 1] ?? 0)
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

export function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  if (byte >= 0x41 && byte <= 0x46) return byte - 0x37
  if (byte >= 0x61 && byte <= 0x66) return byte - 0x57
  return -1
}

/** Lines between `begin` and `end`; each says in its first character how many bytes it holds. */
function decodeUu(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length)
  let length = 0
  let started = false
  for (let line = 0; line < bytes.length; ) {
    const feed = bytes.indexOf(LF, line)
    const end = feed === -1 ? bytes.length : feed
    const text = bytes.subarray(line, end > line && bytes[end - 1] === CR ? end - 1 : end)
    line = end + 1
    if (!started) started = startsWith(text, 'begin ')
    else if (startsWith(text, 'end')) break
    else length = uuLine(text, out, length)
  }
  return started ? out.subarray(0, length) : bytes
}

function startsWith(bytes: Uint8Array, word: string): boolean {
  for (let at = 0; at < word.length; at++) if (bytes[at] !== word.charCodeAt(at)) return false
  return true
}

function uuLine(text: Uint8Array, out: Uint8Array, from: number): number {
  const count = Math.min(((text[0] ?? 0x20) - 0x20) & 0x3f, Math.floor(((text.length - 1) * 3) / 4))
  let bits = 0
  let held = 0
  let length = from
  for (let at = 1; at < text.length && length - from < count; at++) {
    bits = ((bits << 6) | (((text[at] ?? 0x20) - 0x20) & 0x3f)) & 0xffffff
    held += 6
    if (held < 8) continue
    held -= 8
    out[length++] = bits >> held
  }
  return length
}
