/**
 * Text as format=flowed (RFC 3676): long lines softly broken, so that every reader breaks them as wide as it is.
 *
 * INVARIANT: a reader that joins soft breaks gets the lines that were given, but for blanks at their ends.
 */
const WIDTH = 72
const MOST_QUOTES = 20
const SIGNATURE = '-- '
const MUST_BE_STUFFED = /^(?: |>|From )/

/** Lines as written, each broken where it is long. */
export function flow(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    if (line === SIGNATURE) return [line]
    return broken(line.trimEnd(), WIDTH).map((piece) => (MUST_BE_STUFFED.test(piece) ? ` ${piece}` : piece))
  })
}

/** The same, one quotation deeper. */
export function flowQuoted(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [marks = ''] = /^>[> ]*(?<=>)/.exec(line) ?? []
    const quotes = '>'.repeat(Math.min(marks.replaceAll(' ', '').length + 1, MOST_QUOTES))
    const content = line.slice(marks.length).replace(/^ /, '').trimEnd()
    return broken(content, WIDTH - quotes.length - 1).map((piece) => (piece === '' ? quotes : `${quotes} ${piece}`))
  })
}

/** Broken behind blanks; every piece but the last ends with one. */
function broken(line: string, width: number): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const word of line.match(/ *[^ ]+ */g) ?? []) {
    const isFull = piece.length + word.trimEnd().length > width && piece !== '' && piece !== SIGNATURE
    if (isFull) {
      pieces.push(piece)
      piece = ''
    }
    piece += word
  }
  return [...pieces, piece]
}
