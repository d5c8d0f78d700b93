/**
 * Characters that no reader sees, or that change how the text around them is displayed.
 *
 * INVARIANT: linear in the size of the text; whatever is taken out is counted; what a script or an emoji needs to be
 * shown as written (joiners between its own letters, one selector after what it selects) stays.
 */
import type { WarningKind } from '../content.ts'

export type Counts = Map<WarningKind, number>

const SUSPECT_CLASS = String.raw`\p{DI}\p{Cc}\p{Co}\p{Cs}\p{Noncharacter_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb`
/** England's, Scotland's and Wales' flags are a black flag and letters in tag characters. The others are no flags. */
const TAG_FLAG = ['eng', 'sct', 'wls'].map((country) => `\u{1f3f4}${tags(`gb${country}`)}\u{e007f}`).join('|')
const SUSPECT = new RegExp(`${TAG_FLAG}|(?![\\n\\t])[${SUSPECT_CLASS}]`, 'gu')

function tags(letters: string): string {
  return [...letters].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
}

export function removeInvisible(text: string, counts: Counts): string {
  // What stays to the left of a character decides about it, so a run of removed ones must not hide behind itself.
  let end = -1
  let left = ''
  return text.replace(SUSPECT, (found, offset: number) => {
    if (offset !== end) left = before(text, offset)
    const instead = replacement(found, offset, left, text, counts)
    if (instead !== '') left = instead
    end = offset + found.length
    return instead
  })
}

function replacement(found: string, offset: number, left: string, text: string, counts: Counts): string {
  const code = found.codePointAt(0) ?? 0
  if (code === 0x1f3f4) return found
  if (code === 0x0d) return carriageReturn(text, offset, counts)
  if (code === 0x0c) return '\n'
  if (isLineBreak(code)) return counted(counts, 'control_characters_removed', '\n')
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return counted(counts, 'control_characters_removed', '')
  if (isDirection(code)) return counted(counts, 'direction_controls_removed', '')
  if (code >= 0xd800 && code < 0xe000) return counted(counts, 'control_characters_removed', '\ufffd')
  // The bullets of the Symbol and Wingdings fonts, as word processors write them.
  if (code === 0xf0b7 || code === 0xf0a7) return '•'
  if (code === 0xfeff && offset === 0) return ''
  if (isNeeded(found, code, left, after(text, offset + found.length))) return found
  return counted(counts, 'invisible_characters_removed', '')
}

function counted(counts: Counts, kind: WarningKind, instead: string): string {
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return instead
}

/** The half of a line break goes quietly; alone it would let a terminal write over the line. */
function carriageReturn(text: string, offset: number, counts: Counts): string {
  if (text.charCodeAt(offset + 1) === 0x0a) return ''
  return counted(counts, 'control_characters_removed', '\n')
}

function isLineBreak(code: number): boolean {
  return code === 0x85 || code === 0x2028 || code === 0x2029
}

function isDirection(code: number): boolean {
  return (
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069) ||
    code === 0x200e ||
    code === 0x200f ||
    code === 0x061c
  )
}

const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u
const PICTURE = /\p{Extended_Pictographic}/u
const HAN = /\p{Script=Han}/u
const KEYCAP = /[0-9#*]/
const INVISIBLE = new RegExp(`[${SUSPECT_CLASS}]`, 'u')
const BRAILLE = /[\u2801-\u28ff]/
/** Scripts whose letters join, and whose writers use joiners to say how. */
const JOINING = new RegExp(
  `[${[
    ...'Arabic Syriac Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada'.split(' '),
    ...'Malayalam Sinhala Myanmar Khmer Tibetan Balinese Javanese Meetei_Mayek Tirhuta Grantha'.split(' '),
  ]
    .map((script) => `\\p{Script=${script}}`)
    .join('')}]`,
  'u',
)

function isNeeded(found: string, code: number, left: string, right: string): boolean {
  if (code === 0x200c || code === 0x200d) {
    if (JOINING.test(left)) return !INVISIBLE.test(right)
    return found === '\u200d' && EMOJI.test(left) && PICTURE.test(right)
  }
  if (code === 0xfe0e || code === 0xfe0f) return PICTURE.test(left) || (KEYCAP.test(left) && right === '\u20e3')
  if ((code >= 0xfe00 && code <= 0xfe02) || (code >= 0xe0100 && code <= 0xe01ef)) return HAN.test(left)
  if (code >= 0x180b && code <= 0x180f) return /\p{Script=Mongolian}/u.test(left) && !INVISIBLE.test(left)
  return code === 0x2800 && BRAILLE.test(left)
}

/** The character that ends at `offset`. */
function before(text: string, offset: number): string {
  if (offset === 0) return ''
  const low = text.charCodeAt(offset - 1)
  return low >= 0xdc00 && low <= 0xdfff ? text.slice(Math.max(0, offset - 2), offset) : text.charAt(offset - 1)
}

/** The character that begins at `offset`. */
function after(text: string, offset: number): string {
  const code = text.codePointAt(offset)
  return code === undefined ? '' : String.fromCodePoint(code)
}

const ESC = String.fromCharCode(0x1b)
const CSI = String.fromCharCode(0x9b)
const BEL = String.fromCharCode(0x07)
// Bounded, so that no unfinished sequence is scanned to the end of the text.
const TERMINAL = new RegExp(
  `${ESC}\\][^${BEL}${ESC}]{0,256}(?:${BEL}|${ESC}\\\\)|(?:${ESC}\\[|${CSI})[0-?]{0,64}[ -/]{0,16}[@-~]|${ESC}[ -/]{0,16}[0-~]`,
  'g',
)

/** Sequences that would colour, hide or move text on a terminal. */
export function removeTerminalSequences(text: string, counts: Counts): string {
  if (!text.includes(ESC) && !text.includes(CSI)) return text
  return text.replace(TERMINAL, () => counted(counts, 'control_characters_removed', ''))
}
