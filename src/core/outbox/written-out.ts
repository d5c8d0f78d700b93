/**
 * Text for a person who has to see all of it.
 *
 * INVARIANT: linear in the size of the text, never throws. Nothing is left out: what nobody would see, what would turn the
 * text around it or speak to a terminal is written as its number, `[U+202E]`.
 */
import { removeInvisible } from '../text/invisible.ts'

export interface WrittenOut {
  readonly text: string
  /** How many characters are written as their numbers. */
  readonly numbers: number
}

/** What the cleaning would replace instead of leaving it out. */
const REPLACED = /[\r\f\u0085\u2028\u2029\p{Cs}\uf0b7\uf0a7]/gu
const UNSEEN = /\p{DI}/u
const PLAIN = /^[\n -~]*$/

/** Lines end in `\n`. Joiners and selectors stay where a script or an emoji needs them. */
export function writeOut(written: string): WrittenOut {
  const lines = written.replaceAll('\r\n', '\n').replaceAll('\t', '    ')
  if (PLAIN.test(lines)) return { text: lines, numbers: 0 }
  let numbers = 0
  const number = (character: string): string => {
    numbers++
    return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
  }
  const text = lines.replace(REPLACED, number)
  // What is left to clean is only taken out, so what stays is found again in the order of the text.
  const kept = [...removeInvisible(text, new Map())]
  let at = 0
  let afterNumber = false
  const shown = [...text].map((character) => {
    const stays = character === kept[at]
    if (stays) at++
    // What would have joined it to a character before it has nothing to join once that is a number.
    afterNumber = !stays || (afterNumber && UNSEEN.test(character))
    return afterNumber ? number(character) : character
  })
  return { text: shown.join(''), numbers }
}

/** The same on one line. */
export function writeLineOut(written: string): string {
  const { text } = writeOut(written)
  return text.replaceAll('\n', '[U+000A]')
}

/** A line in pieces no wider than that on a terminal, broken behind a blank where there is one. */
export function broken(line: string, width: number): string[] {
  const pieces: string[] = []
  let piece = ''
  let columns = 0
  for (const character of line) {
    const needed = columnsOf(character)
    if (columns + needed > width) {
      const blank = piece.lastIndexOf(' ') + 1
      pieces.push(blank === 0 ? piece : piece.slice(0, blank))
      piece = blank === 0 ? '' : piece.slice(blank)
      columns = widthOf(piece)
    }
    piece += character
    columns += needed
  }
  return [...pieces, piece]
}

/** As wide as it can be: letters of East Asia and pictures take two columns. */
function columnsOf(character: string): number {
  return (character.codePointAt(0) ?? 0) < 0x300 ? 1 : 2
}

function widthOf(text: string): number {
  let columns = 0
  for (const character of text) columns += columnsOf(character)
  return columns
}
