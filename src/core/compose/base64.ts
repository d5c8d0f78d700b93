/**
 * Base64.
 *
 * INVARIANT: linear in time and memory, so that what is attached may be large.
 */
import { asciiText, bytesOfText } from '../mime/bytes.ts'

const ALPHABET = bytesOfText('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
const PAD = 0x3d
const LINE_BREAK = bytesOfText('\r\n')
/** 57 bytes are a line of 76 letters. */
const BYTES_PER_LINE = 57

export function base64(bytes: Uint8Array): string {
  return encoded(bytes, Math.max(bytes.length, 1))
}

/** In lines of 76 letters, without a line break at the end. */
export function base64Lines(bytes: Uint8Array): string {
  return encoded(bytes, BYTES_PER_LINE)
}

/** `bytesPerLine` is a multiple of three, or there is one line. */
function encoded(bytes: Uint8Array, bytesPerLine: number): string {
  const lines = Math.ceil(bytes.length / bytesPerLine)
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4 + Math.max(0, lines - 1) * LINE_BREAK.length)
  let length = 0
  for (let at = 0; at < bytes.length; at += 3) {
    if (at > 0 && at % bytesPerLine === 0) {
      out.set(LINE_BREAK, length)
      length += LINE_BREAK.length
    }
    const left = bytes.length - at
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    out[length++] = ALPHABET[bits >> 18] ?? PAD
    out[length++] = ALPHABET[(bits >> 12) & 63] ?? PAD
    out[length++] = left > 1 ? (ALPHABET[(bits >> 6) & 63] ?? PAD) : PAD
    out[length++] = left > 2 ? (ALPHABET[bits & 63] ?? PAD) : PAD
  }
  return asciiText(out)
}
