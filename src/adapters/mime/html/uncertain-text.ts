/**
 * Text that a person may not see, a piece a line.
 *
 * INVARIANT: linear, and never longer than its limit.
 */
const LIMIT = 1_100_000

export class UncertainText {
  readonly #pieces: string[] = []
  /** Why each piece is uncertain, for those who measure. */
  readonly reasons: string[] = []
  #length = 0
  #gap = false

  /** Of a page that could not be judged: what stands between its tags. */
  static of(html: string): UncertainText {
    const all = new UncertainText()
    const text = html
      .slice(0, LIMIT)
      .replace(/<!--[\s\S]*?(?:-->|$)|<(style|script)\b[\s\S]*?(?:<\/\1|$)/gi, ' ')
      .replace(/<[a-z/!][^<>]*>?/gi, ' ')
    all.add(text, true, 'too complex')
    return all
  }

  add(text: string, isNew: boolean, reason: string): void {
    const folded = text.replace(/\s+/g, ' ')
    if (this.#length + folded.length > LIMIT) return
    this.#length += folded.length + 1
    if (isNew) this.reasons.push(reason)
    this.#pieces.push(isNew && this.#pieces.length > 0 ? '\n' : this.#gap ? ' ' : '', folded)
    this.#gap = false
  }

  /** What follows is another word. */
  space(): void {
    this.#gap = true
  }

  text(): string {
    return this.#pieces
      .join('')
      .replace(/ {2,}/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim()
  }
}
