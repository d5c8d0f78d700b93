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
  const characters = [...text]
  const hidden = hiddenAmong(characters, removeInvisible(text, new Map()))
  return { text: characters.map((character, at) => (hidden[at] ? number(character) : character)).join(''), numbers }
}

/** Which are not among those kept, and what would join a text to one of those: a number has nothing to join. */
function hiddenAmong(characters: readonly string[], cleaned: string): readonly boolean[] {
  // Cleaning only takes out, so what stays is found again in the order of the text.
  const kept = [...cleaned]
  let found = 0
  const hidden = characters.map((character) => {
    if (character !== kept[found]) return true
    found++
    return false
  })
  const spread = (at: number, beside: number): void => {
    if (hidden[beside] === true && UNSEEN.test(characters[at] ?? '')) hidden[at] = true
  }
  for (let at = 0; at < characters.length; at++) spread(at, at - 1)
  for (let at = characters.length - 1; at >= 0; at--) spread(at, at + 1)
  return hidden
}

/** The same on one line. */
export function writeLineOut(written: string): string {
  const { text } = writeOut(written)
  return text.replaceAll('\n', '[U+000A]')
}

/** A line in pieces no wider than that on a terminal, broken behind a blank where there is one, else between two characters. */
export function broken(line: string, width: number): string[] {
  const pieces: string[] = []
  let piece = ''
  let columns = 0
  for (const character of line) {
    const needed = columnsOf(character)
    while (columns + needed > width) {
      const end = piece.lastIndexOf(' ') + 1 || endOf(piece, character)
      pieces.push(piece.slice(0, end))
      piece = piece.slice(end)
      columns = widthOf(piece)
    }
    piece += character
    columns += needed
  }
  return [...pieces, piece]
}

let characters: Intl.Segmenter | undefined

/** A sign above a letter, or a child of a family, stays with what it belongs to: alone it would be shown as something else. */
function endOf(piece: string, next: string): number {
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  const begun = characters.segment(piece + next).containing(piece.length)?.index ?? 0
  return begun === 0 ? piece.length : begun
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
