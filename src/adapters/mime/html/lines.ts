/**
 * Text laid out on lines: blanks folded, breaks collected until something follows them, quotes and lists marked.
 *
 * INVARIANT: linear; never holds more than `limit` characters, and says when something did not fit.
 */

/** Deeper quotes and lists are marked like this many. */
const MAX_MARKS = 8
const FLOOD_OF_BREAKS = 50
const UNFOLDED = /[\t\n\r\f]| {2}/

export class Lines {
  readonly #limit: number
  readonly #pieces: string[] = []
  #length = 0
  #breaks = 0
  #forced = 0
  #space = false
  #separator = false
  #cellStart = false
  #lineOpen = false
  #bullet = ''
  #quotesBefore = 0
  /** The number of the line that is being written. */
  line = 0
  quotes = 0
  indent = 0
  full = false
  floods = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Text inside of a line; line breaks in it are blanks. */
  write(text: string): void {
    const folded = UNFOLDED.test(text) ? text.replace(/[ \t\n\r\f]+/g, ' ') : text
    const start = folded.startsWith(' ') ? 1 : 0
    const end = folded.length > 1 && folded.endsWith(' ') ? folded.length - 1 : folded.length
    if (start === 1) this.#space = true
    if (end <= start) return
    this.#begin()
    this.#put(start === 0 && end === folded.length ? folded : folded.slice(start, end))
    this.#space = end < folded.length
  }

  /** Text whose line breaks and blanks stay. */
  writePreformatted(text: string): void {
    for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
      if (index > 0) this.breakLine()
      if (line === '') continue
      this.#space = false
      this.#begin()
      this.#put(line)
    }
  }

  /** Directly behind what was written last, whatever breaks are due. */
  append(text: string): void {
    this.#put(text)
  }

  /** A block begins or ends: what follows starts a line, after an empty one where `gap`. */
  block(gap: boolean): void {
    if (this.#cellStart) return
    this.#breaks = Math.max(this.#breaks, gap ? 2 : 1)
    this.#space = false
    this.#separator = false
  }

  /** `<br>`: one more line, of which a row counts as one empty line. */
  breakLine(): void {
    this.#cellStart = false
    this.#space = false
    this.#separator = false
    if (++this.#forced === FLOOD_OF_BREAKS) this.floods++
    this.#breaks = this.#breaks === 0 ? 1 : 2
  }

  /** A table cell begins that stands on the same line as the one before it. */
  nextCell(): void {
    this.#breaks = 0
    this.#space = false
    this.#separator = true
    this.#cellStart = true
  }

  bullet(mark: string): void {
    this.#bullet = mark
  }

  dropBullet(): void {
    this.#bullet = ''
  }

  /** All of it, no blanks at its ends. */
  text(): string {
    return this.#pieces
      .join('')
      .replace(/[ \t\u00a0]+$/gm, '')
      .replace(/^\n+|\n+$/g, '')
  }

  #begin(): void {
    this.#forced = 0
    this.#cellStart = false
    if (this.#breaks > 0 && this.#lineOpen) this.#newLine()
    this.#breaks = 0
    if (!this.#lineOpen) this.#openLine()
    else if (this.#separator) this.#put(' | ')
    else if (this.#space) this.#put(' ')
    this.#space = false
    this.#separator = false
  }

  #newLine(): void {
    const quote = '> '.repeat(Math.min(MAX_MARKS, this.quotes, this.#quotesBefore)).trimEnd()
    this.#put(this.#breaks > 1 ? `\n${quote}\n` : '\n')
    this.line += this.#breaks
    this.#lineOpen = false
  }

  #openLine(): void {
    this.#lineOpen = true
    this.#quotesBefore = this.quotes
    const quote = '> '.repeat(Math.min(MAX_MARKS, this.quotes))
    const depth = Math.max(0, Math.min(MAX_MARKS, this.indent) - (this.#bullet === '' ? 0 : 1))
    const margin = this.indent === 0 ? '' : '  '.repeat(depth)
    if (quote !== '' || margin !== '' || this.#bullet !== '') this.#put(`${quote}${margin}${this.#bullet}`)
    this.#bullet = ''
  }

  #put(text: string): void {
    if (this.full) return
    const room = this.#limit - this.#length
    if (text.length > room) this.full = true
    const kept = text.length > room ? text.slice(0, room) : text
    this.#pieces.push(kept)
    this.#length += kept.length
  }
}
