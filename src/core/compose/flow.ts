/**
 * Text as format=flowed (RFC 3676): long lines softly broken, so that every reader breaks them as wide as it is.
 *
 * INVARIANT: a reader that joins soft breaks gets the lines that were given, but for blanks at their ends.
 */
const WIDTH = 72
const MOST_QUOTES = 20
const SIGNATURE = '-- '
const MUST_BE_STUFFED = /^(?: |>|From )/

/** Lines as a reader gets them. */
export function plainLines(text: string): string[] {
  return text.split('\n').map((line) => (line === SIGNATURE ? line : line.trimEnd()))
}

/** The same, one quotation deeper. */
export function quotedLines(text: string): string[] {
  return text.split('\n').map((line) => {
    const { marks, content } = deeper(line)
    return content === '' ? marks : `${marks} ${content}`
  })
}

/** Lines as a reader gets them, each broken where it is long. */
export function flow(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    if (line === SIGNATURE) return [line]
    return broken(line, WIDTH).map((piece) => (MUST_BE_STUFFED.test(piece) ? ` ${piece}` : piece))
  })
}

/** The same, one quotation deeper. */
export function flowQuoted(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const { marks, content } = deeper(line)
    return broken(content, WIDTH - marks.length - 1).map((piece) => (piece === '' ? marks : `${marks} ${piece}`))
  })
}

function deeper(line: string): { marks: string; content: string } {
  const [marks = ''] = /^>[> ]*(?<=>)/.exec(line) ?? []
  const depth = Math.min(marks.replaceAll(' ', '').length + 1, MOST_QUOTES)
  return { marks: '>'.repeat(depth), content: line.slice(marks.length).replace(/^ /, '').trimEnd() }
}

/** Broken behind blanks; every piece but the last ends with one. */
function broken(line: string, width: number): string[] {
  const pieces: string[] = []
  let start = 0
  while (line.length - start > width) {
    const next = nextStart(line, start, width)
    if (next === line.length) break
    pieces.push(line.slice(start, next))
    start = next
  }
  return [...pieces, line.slice(start)]
}

/** Where the first word begins that does not fit. One at least fits, and a piece that would look like a signature's is no piece. */
function nextStart(line: string, start: number, width: number): number {
  const end = start + width
  const next = line[end] === ' ' ? wordFrom(line, end) : line.lastIndexOf(' ', end) + 1
  const piece = line.slice(start, Math.max(start, next))
  return piece.trim() === '' || piece === SIGNATURE ? wordFrom(line, line.indexOf(' ', Math.max(end, next))) : next
}

/** The next word at or behind these blanks; the end where there is none. */
function wordFrom(line: string, blank: number): number {
  if (blank === -1) return line.length
  let at = blank
  while (line[at] === ' ') at += 1
  return at
}
