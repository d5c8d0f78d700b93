/**
 * What a word is, in text and in a search.
 *
 * INVARIANT: words are runs of letters, digits and marks; letter case and characters that nobody sees do not matter,
 * accents do. Scripts that are written without spaces are found by any two characters that follow each other, so that
 * any part of a run is found. Every index and every search uses these functions and no others.
 */
import { hasRun } from '../text/runs.ts'

/** Longer ones are no words; their beginnings stand for them. */
const LONGEST = 128

const RUN = /[\p{L}\p{N}\p{M}]+/gu
const ASCII_RUN = /[a-z0-9]+/g
const ASCII = /^[\0-\x7f]*$/
const UNSPACED_OR_NOT =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/gu
const UNSPACED = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u
const UNSPACED_RUN =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/gu
const BETWEEN_RUNS = /[^\p{L}\p{N}\p{M}\0-\x7f]+/gu
// The look behind keeps a word from being measured again from each of its letters.
const LONG_ASCII = /(?<![A-Za-z0-9])[A-Za-z0-9]{129,}/g
const LONG = /(?<![a-z0-9\x80-\uffff])[a-z0-9\x80-\uffff]{129,}/g
const UNSEEN = /[\p{DI}\p{Co}\p{Cs}\ufff9-\ufffb]/gu

/** Lower case, because mail servers tell fewer letters apart than that and so find all that we do. */
export function foldWords(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return text.replace(UNSEEN, '').normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
}

/** The runs of a text, folded, each of spaced or of unspaced script. */
export function piecesOf(text: string): string[] {
  if (ASCII.test(text)) return (text.toLowerCase().match(ASCII_RUN) ?? []).map(shortened)
  return (foldWords(text).match(RUN) ?? []).flatMap((run) =>
    ASCII.test(run)
      ? [shortened(run)]
      : (run.match(UNSPACED_OR_NOT) ?? []).map((piece) => (isUnspaced(piece) ? piece : shortened(piece))),
  )
}

/** What a text is indexed by, in order. A run of unspaced script ends with its last character alone. */
export function wordsIn(text: string): string[] {
  const words: string[] = []
  for (const piece of piecesOf(text)) {
    // One by one: a run may be longer than a call takes arguments.
    if (isUnspaced(piece)) for (const pair of pairs(piece, true)) words.push(pair)
    else words.push(piece)
  }
  return words
}

/**
 * A text whose words are those of `wordsIn`, for whoever parts it at every ASCII character that is no letter and no digit, and
 * folds the case of ASCII: so that plain text, which most is, stays as it is.
 */
export function indexedText(text: string): string {
  if (ASCII.test(text)) return withoutLong(text, LONG_ASCII)
  const parted = foldWords(text)
    .replace(BETWEEN_RUNS, ' ')
    .replace(UNSPACED_RUN, (run) => ` ${pairs(run, true).join(' ')} `)
  return withoutLong(parted, LONG)
}

/** Hardly any text has a long word, and looking for one by the expression takes longer than all the rest. */
function withoutLong(text: string, long: RegExp): string {
  return hasRun(text, LONGEST + 1, isInWord) ? text.replace(long, shortened) : text
}

/** What is beyond ASCII is taken for a letter. */
function isInWord(code: number): boolean {
  if (code < 0x41) return code >= 0x30 && code <= 0x39
  return code >= 0x80 || (code <= 0x7a && (code >= 0x61 || code <= 0x5a))
}

export interface Pattern {
  readonly words: readonly string[]
  /** Whether the last one may go on. */
  readonly open: boolean
}

/** What to look for among the words of a text, one behind the other. */
export function patternOf(pieces: readonly string[], open: boolean): Pattern {
  const last = pieces.at(-1) ?? ''
  const before = pieces.slice(0, -1).flatMap((piece) => (isUnspaced(piece) ? pairs(piece, true) : [piece]))
  if (!isUnspaced(last)) return { words: [...before, last], open }
  const ending = pairs(last, false)
  return { words: [...before, ...ending], open: ending.length === 1 && [...last].length === 1 }
}

export function isUnspaced(piece: string): boolean {
  return UNSPACED.test(piece)
}

function pairs(run: string, ended: boolean): string[] {
  const characters = [...run]
  if (characters.length === 1) return characters
  const two = characters.slice(0, -1).map((character, at) => character + characters[at + 1])
  return ended ? [...two, characters.at(-1) ?? ''] : two
}

/** What is cut off in the middle of a character loses its half, so that the rest still stands in the text. */
function shortened(word: string): string {
  if (word.length <= LONGEST) return word
  const start = word.slice(0, LONGEST)
  return start.isWellFormed() ? start : start.slice(0, -1)
}
