/**
 * Floods of nothing: hundreds of blank lines or spaces that push text out of sight.
 *
 * INVARIANT: linear in the size of the text; text without such a flood comes back exactly as it was.
 */
import { hasRun } from './runs.ts'

/** More blank lines than this in a row are a flood. */
export const MAX_BLANK_LINES = 20
/** More blanks than this in a row, of whatever width, are a flood. */
export const MAX_BLANK_RUN = 100

const LINES_LEFT = 2

export function foldFloods(text: string): { text: string; folded: number } {
  // Either flood is at least so many blanks and line feeds in a row.
  if (!hasRun(text, MAX_BLANK_LINES + 1, isEmpty)) return { text, folded: 0 }
  const across = foldRuns(text)
  const down = foldLines(across.text)
  return { text: down.text, folded: across.folded + down.folded }
}

/** Long runs of spaces, tabs and no-break spaces become one space. */
function foldRuns(text: string): { text: string; folded: number } {
  const pieces: string[] = []
  let kept = 0
  let run = 0
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && isBlank(text.charCodeAt(at))) {
      run++
      continue
    }
    if (run > MAX_BLANK_RUN) {
      pieces.push(text.slice(kept, at - run), ' ')
      kept = at
    }
    run = 0
  }
  return kept === 0 ? { text, folded: 0 } : { text: pieces.join('') + text.slice(kept), folded: pieces.length / 2 }
}

function foldLines(text: string): { text: string; folded: number } {
  const pieces: string[] = []
  let kept = 0
  let folded = 0
  let blankFrom = 0
  let blankLines = 0
  for (let line = 0; line < text.length; ) {
    const feed = text.indexOf('\n', line)
    const next = feed === -1 ? text.length : feed + 1
    const blank = isBlankLine(text, line, next)
    if (blank && blankLines++ === 0) blankFrom = line
    if (blankLines > MAX_BLANK_LINES && (!blank || next === text.length)) {
      pieces.push(text.slice(kept, blankFrom), '\n'.repeat(LINES_LEFT))
      kept = blank ? next : line
      folded++
    }
    if (!blank) blankLines = 0
    line = next
  }
  return folded === 0 ? { text, folded } : { text: pieces.join('') + text.slice(kept), folded }
}

function isBlankLine(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code !== 0x0a && !isBlank(code)) return false
  }
  return true
}

function isEmpty(code: number): boolean {
  return code === 0x0a || isBlank(code)
}

function isBlank(code: number): boolean {
  if (code < 0xa0) return code === 0x20 || code === 0x09
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  )
}
