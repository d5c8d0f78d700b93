/**
 * Bytes to characters, whatever the label says.
 *
 * INVARIANT: linear in the size of the input, never throws: an unknown label is read as UTF-8 where that is valid, else
 * as its bytes suggest; where there is none, as UTF-16 if the text is marked so. A label of a charset of seven bits is not
 * believed where there are others.
 */
import { asciiText, decodeGuessed, decodeUtf8, isAscii, isLikelyUtf8 } from './bytes.ts'
import { unshifted } from './shifted-charset.ts'
import { decodeUtf7 } from './utf7.ts'

export interface CharsetOptions {
  /** The bytes are the beginning of a longer text: a character cut off at their end is dropped, not shown broken. */
  readonly partial?: boolean
}

/** What mail programs write, beyond the labels that `TextDecoder` knows. */
const ALIASES = new Map(
  Object.entries({
    cp1250: 'windows-1250',
    cp1251: 'windows-1251',
    cp1252: 'windows-1252',
    cp1253: 'windows-1253',
    cp1254: 'windows-1254',
    cp1255: 'windows-1255',
    cp1256: 'windows-1256',
    cp1257: 'windows-1257',
    cp1258: 'windows-1258',
    cp866: 'ibm866',
    cp874: 'windows-874',
    cp932: 'shift_jis',
    'windows-932': 'shift_jis',
    cp936: 'gbk',
    'windows-936': 'gbk',
    ms936: 'gbk',
    cp949: 'euc-kr',
    ms949: 'euc-kr',
    cp950: 'big5',
    'windows-950': 'big5',
    ms950: 'big5',
    cp65001: 'utf-8',
    utf8mb4: 'utf-8',
    'unicode-1-1-utf-8': 'utf-8',
    'x-utf-8': 'utf-8',
    'iso8859-1': 'windows-1252',
    '8859_1': 'windows-1252',
    ansi: 'windows-1252',
    'x-ansi': 'windows-1252',
    macroman: 'macintosh',
    'x-mac-romanian': 'macintosh',
    'x-mac-ce': 'macintosh',
    maccyrillic: 'x-mac-cyrillic',
    'mac-cyrillic': 'x-mac-cyrillic',
    windows1251: 'windows-1251',
    'win-1251': 'windows-1251',
    'gb2312-80': 'gbk',
    'euc-cn': 'gbk',
    euccn: 'gbk',
    'x-gbk': 'gbk',
    eucjp: 'euc-jp',
    ujis: 'euc-jp',
    sjis: 'shift_jis',
    'shift-jis': 'shift_jis',
    'x-sjis': 'shift_jis',
    'windows-31j': 'shift_jis',
    'iso-2022-jp-1': 'iso-2022-jp',
    'iso-2022-jp-2': 'iso-2022-jp',
    'iso-2022-jp-ms': 'iso-2022-jp',
    cp50220: 'iso-2022-jp',
    cp50221: 'iso-2022-jp',
    cp50222: 'iso-2022-jp',
    euc_jp: 'euc-jp',
    cp51932: 'euc-jp',
    euckr: 'euc-kr',
    euc_kr: 'euc-kr',
    ks_c_5601: 'euc-kr',
    'ks_c_5601-1987': 'euc-kr',
    'ks_c_5601-1989': 'euc-kr',
    ksc5601: 'euc-kr',
    uhc: 'euc-kr',
    'big5-hkscs': 'big5',
    big5hkscs: 'big5',
    utf16: 'utf-16',
    'tis-620': 'windows-874',
  }),
)

/** Labels that say nothing about bytes above 0x7f. */
const GUESS = new Set([
  '',
  'us-ascii',
  'ascii',
  'ansi_x3.4-1968',
  'iso646-us',
  '7bit',
  '8bit',
  'binary',
  'unknown-8bit',
  'x-unknown',
  'unknown',
  'default',
  'default_charset',
  'utf-8-unknown',
])
const UTF7 = new Set(['utf-7', 'utf7', 'unicode-1-1-utf-7', 'x-unicode-1-1-utf-7', 'csunicode11utf7'])

const MAX_LABEL = 64

export function decodeCharset(bytes: Uint8Array, label: string | undefined, options: CharsetOptions = {}): string {
  const partial = options.partial === true
  const name = normalise(label)
  if (SEVEN_BIT.test(name) && !isAscii(bytes)) return notSevenBit(bytes, name, partial)
  const pairs = unshifted(bytes, name)
  if (pairs !== undefined) return decodeCharset(pairs.bytes, pairs.encoding, options)
  if (UTF7.has(name)) return decodeUtf7(asciiText(bytes))
  const isGuessed = GUESS.has(name)
  if (isGuessed && !isMarkedUtf16(bytes)) return guess(bytes, partial)
  const encoding = isGuessed || name === 'utf-16' ? utf16Order(bytes) : name
  const decoder = partial ? newDecoder(encoding) : decoderFor(encoding)
  if (decoder === undefined) return guess(bytes, partial)
  return decoder.decode(decoder.encoding === 'utf-8' ? withNuls(bytes) : bytes, { stream: partial })
}

const ESCAPE = 0x1b
const SEVEN_BIT = /^(?:iso-2022-(?:jp|kr)|csiso2022(?:jp|kr)|hz(?:-gb-2312)?)$/
/** In which the same text is where somebody forgot to encode it. */
const EIGHT_BIT: readonly (readonly [sevenBit: RegExp, eightBit: readonly string[]])[] = [
  [/jp$/, ['euc-jp', 'shift_jis']],
  [/kr$/, ['euc-kr']],
  [/^hz/, ['gbk']],
]

/** Text that has bytes which its charset does not: most often UTF-8. What cannot be anything else is read as it says. */
function notSevenBit(bytes: Uint8Array, name: string, partial: boolean): string {
  if (isLikelyUtf8(partial ? withoutCutCharacter(bytes) : bytes)) return guess(bytes, partial)
  const shifts = bytes.includes(ESCAPE)
  const candidates = EIGHT_BIT.flatMap(([sevenBit, eightBit]) => (!shifts && sevenBit.test(name) ? eightBit : []))
  for (const encoding of candidates) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: partial })
    } catch {
      // It is not in that one.
    }
  }
  const pairs = unshifted(bytes, name) ?? { bytes, encoding: name }
  return new TextDecoder(pairs.encoding).decode(pairs.bytes, { stream: partial })
}

/** Of bytes above 0x7f. */
export function saysNothing(label: string | undefined): boolean {
  return GUESS.has(normalise(label))
}

/** What a label means, by its own name; undefined where nobody knows. */
export function encodingNamed(label: string): string | undefined {
  const name = normalise(label)
  return UTF7.has(name) ? 'utf-7' : decoderFor(name)?.encoding
}

/** IMAP cannot carry a NUL. Servers send 0x80 instead, which is no UTF-8 after a letter: as NUL it is seen for what it is. */
function withNuls(bytes: Uint8Array): Uint8Array {
  let restored: Uint8Array | undefined
  for (let at = bytes.indexOf(0x80); at !== -1; at = bytes.indexOf(0x80, at + 1)) {
    if (!isAsciiWord(bytes[at - 1]) || !isAsciiWord(bytes[at + 1])) continue
    restored ??= bytes.slice()
    restored[at] = 0
  }
  return restored ?? bytes
}

function isAsciiWord(byte: number | undefined): boolean {
  return byte !== undefined && byte < 0x80 && /\w/.test(String.fromCharCode(byte))
}

function normalise(label: string | undefined): string {
  const name = (label ?? '')
    .slice(0, MAX_LABEL)
    .trim()
    .replace(/^['"]+|['"]+$/g, '')
    .toLowerCase()
  return ALIASES.get(name) ?? name
}

/** One per encoding, kept: making one costs more than decoding a header with it. */
const decoders = new Map<string, TextDecoder>()

function decoderFor(encoding: string): TextDecoder | undefined {
  const kept = decoders.get(encoding)
  if (kept !== undefined) return kept
  const decoder = newDecoder(encoding)
  // Keyed by the encoding's own name, of which there are about forty, or by one of its few hundred labels.
  if (decoder !== undefined) decoders.set(encoding, decoder)
  return decoder
}

function newDecoder(encoding: string): TextDecoder | undefined {
  try {
    return new TextDecoder(encoding)
  } catch {
    return undefined
  }
}

/** What everybody else goes by where nothing is said. Nobody begins a text with these two letters of latin-1. */
export function isMarkedUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
}

function utf16Order(bytes: Uint8Array): string {
  const bigEndian = (bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0 && bytes[1] !== 0)
  return bigEndian ? 'utf-16be' : 'utf-16le'
}

function guess(bytes: Uint8Array, partial: boolean): string {
  const whole = partial ? withoutCutCharacter(bytes) : bytes
  const text = decodeUtf8(whole)
  return text === undefined ? decodeGuessed(bytes) : text.replace(/^\uFEFF/, '')
}

/** Without the beginning of a UTF-8 character at the end whose rest is missing. */
export function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes
    if (byte >= 0xc0) return needed(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

function needed(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
}
