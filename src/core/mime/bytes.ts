/**
 * Bytes as text, where nothing says which characters they are.
 *
 * INVARIANT: linear in the size of the input, never throws, whatever the bytes.
 */
import { detectLegacyCharset } from './legacy-charset.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const windows1252 = new TextDecoder('windows-1252')

/** Below this many bytes, one `fromCharCode` beats the set-up cost of a decoder. */
const SHORT = 32
/** Arguments in one call: far below what any engine takes. */
const CHUNK = 8192

/** Broken characters for every so many whole ones that text may have and still be UTF-8: it was cut somewhere. */
const WHOLE_PER_BROKEN = 8

/**
 * UTF-8 where the bytes are (but for a few) valid UTF-8, else a charset that they can hardly be in by chance, else latin-1 as
 * browsers read it (windows-1252).
 */
export function decodeGuessed(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes)
  if (text !== undefined) return text
  const mended = lenientUtf8.decode(bytes)
  if (isMostlyWhole(mended)) return mended
  const legacy = detectLegacyCharset(bytes)
  return legacy === undefined ? windows1252.decode(bytes) : new TextDecoder(legacy).decode(bytes)
}

/** But for a few. */
export function isLikelyUtf8(bytes: Uint8Array): boolean {
  return decodeUtf8(bytes) !== undefined || isMostlyWhole(lenientUtf8.decode(bytes))
}

function isMostlyWhole(text: string): boolean {
  let whole = 0
  let broken = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0xfffd) broken++
    else if (code > 0x7f) whole++
  }
  return broken * WHOLE_PER_BROKEN <= whole
}

/** Undefined where the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (bytes.length <= SHORT && isAscii(bytes)) return asciiText(bytes)
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

export function isAscii(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] ?? 0) > 0x7f) return false
  return true
}

/** One character per byte. Only for bytes known to be ASCII, or whose value as a number is all that matters. */
export function asciiText(bytes: Uint8Array): string {
  if (bytes.length <= CHUNK) return Reflect.apply(String.fromCharCode, undefined, bytes)
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += CHUNK) {
    pieces.push(Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + CHUNK)))
  }
  return pieces.join('')
}

/** The low eight bits of every character: the other way round of `asciiText`. */
export function bytesOfText(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

const [LF, CR] = [0x0a, 0x0d]

/** Mail of old Macintoshes, in which CR alone ends a line, with LF in its place; other bytes as they are. */
export function withLineFeeds(bytes: Uint8Array): Uint8Array {
  if (bytes.includes(LF) || !bytes.includes(CR)) return bytes
  return bytes.map((byte) => (byte === CR ? LF : byte))
}

/** Without spaces and tabs at its ends; other white space is content. */
export function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
