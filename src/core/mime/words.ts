/**
 * Encoded words (RFC 2047): `=?utf-8?Q?caf=C3=A9?=`.
 *
 * INVARIANT: linear in the size of the input, never throws; what is no well-formed encoded word stays as it is, and a
 * charset that nobody knows is read as UTF-8 where valid, else as latin-1.
 */
import { bytesOfText } from './bytes.ts'
import { decodeCharset } from './charset.ts'
import { decodeBase64, hexValue } from './transfer.ts'

// Every run ends at the next question mark, so no part of a text is scanned from more than a few places.
const WORD = /=\?([^\s?*]{1,64})(?:\*[^\s?]{0,32})?\?([BbQq])\?([^?\r\n]*)\?=/g
/** Encodings that switch by escape sequences. */
const SHIFTING = /^(?:iso-2022|hz)/
const BLANK = /^[ \t\r\n]*$/

interface Word {
  readonly charset: string
  readonly bytes: Uint8Array
}

/** Text with its encoded words decoded; blanks between two of them go away, and their bytes are joined first. */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text
  const pieces: string[] = []
  let run: Word[] = []
  let at = 0
  const close = (): void => {
    pieces.push(decodeRun(run))
    run = []
  }
  for (const match of text.matchAll(WORD)) {
    const between = text.slice(at, match.index)
    if (run.length === 0 || !BLANK.test(between)) {
      close()
      pieces.push(between)
    }
    run.push(readWord(match))
    at = match.index + match[0].length
  }
  close()
  pieces.push(text.slice(at))
  return pieces.join('')
}

function readWord([, charset = '', encoding = '', content = '']: RegExpExecArray): Word {
  const bytes = encoding.toLowerCase() === 'b' ? decodeBase64(bytesOfText(content)) : decodeQ(content)
  return { charset: charset.toLowerCase(), bytes }
}

/** A character may be split over neighbouring words of one charset, so their bytes are decoded together. */
function decodeRun(run: readonly Word[]): string {
  const texts: string[] = []
  for (let at = 0; at < run.length; ) {
    const charset = run[at]?.charset ?? ''
    let end = at + 1
    // Those start again in every word.
    while (end < run.length && run[end]?.charset === charset && !SHIFTING.test(charset)) end++
    texts.push(decodeCharset(joined(run.slice(at, end)), charset))
    at = end
  }
  return texts.join('')
}

function joined(words: readonly Word[]): Uint8Array {
  const bytes = new Uint8Array(words.reduce((size, word) => size + word.bytes.length, 0))
  let at = 0
  for (const word of words) {
    bytes.set(word.bytes, at)
    at += word.bytes.length
  }
  return bytes
}

function decodeQ(content: string): Uint8Array {
  const out = new Uint8Array(content.length * 3)
  let length = 0
  for (let at = 0; at < content.length; at++) {
    const code = content.charCodeAt(at)
    const high = code === 0x3d ? hexValue(content.charCodeAt(at + 1)) : -1
    const low = high < 0 ? -1 : hexValue(content.charCodeAt(at + 2))
    if (low >= 0) {
      out[length++] = high * 16 + low
      at += 2
    } else if (code === 0x5f) out[length++] = 0x20
    else if (code < 0x80) out[length++] = code
    else length += encodeInto(content, at, out, length)
  }
  return out.subarray(0, length)
}

const utf8 = new TextEncoder()

/** An 8-bit character that stands in the word unencoded: most likely UTF-8. */
function encodeInto(content: string, at: number, out: Uint8Array, length: number): number {
  const code = content.charCodeAt(at)
  if (code >= 0xdc00 && code <= 0xdfff) return 0
  const bytes = utf8.encode(String.fromCodePoint(content.codePointAt(at) ?? 0xfffd))
  out.set(bytes, length)
  return bytes.length
}
