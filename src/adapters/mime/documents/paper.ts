/**
 * What is read of a document, as lines of text, and what was left out of it.
 *
 * INVARIANT: holds no more than a little beyond `maxChars`; what is hidden is counted and never kept.
 */
import { mergeWarnings, type Readable, type Warning } from '../../../core/content.ts'
import { cut } from '../../../core/text/cut.ts'
import { cleanText } from '../../../core/text/plain.ts'
import { ownText } from './own-text.ts'
import type { Element } from './xml.ts'

/** What is invisible goes later, and a cut must not fall short for it. */
const MOST_BEYOND = 10_000
/** Many small pieces take more room than what they say. */
const MOST_PIECES = 1000
const MOST_TABS = 20

export class Paper {
  readonly #maxChars: number
  readonly #room: number
  readonly #pieces: string[] = []
  /** So many of them are long. */
  #joined = 0
  #length = 0
  #breaks = 0
  #tabs = 0
  #cells = 0
  #rowHasText = false
  #inNewCell = false
  #hidden = 0
  #wasHidden = false
  #full = false
  #incomplete = false

  constructor(maxChars: number) {
    this.#maxChars = maxChars
    this.#room = maxChars + Math.min(maxChars, MOST_BEYOND)
  }

  /** Whether there is no room for more. */
  get full(): boolean {
    return this.#full
  }

  /** The text of an element, unless it cannot be seen. */
  say(text: string, { ignored, hidden, styledAway }: Pick<Element, 'ignored' | 'hidden' | 'styledAway'>): void {
    if (ignored) return
    if (hidden || styledAway) this.hide(text)
    else this.write(text)
  }

  write(text: string): void {
    if (text === '') return
    this.#wasHidden = false
    this.#inNewCell = false
    this.#rowHasText = true
    if (this.#pieces.length > 0) this.#put('\n'.repeat(this.#breaks))
    this.#put('\t'.repeat(Math.min(MOST_TABS, this.#tabs)))
    this.#breaks = 0
    this.#tabs = 0
    this.#put(text)
  }

  /** Pieces that stand beside each other count as one. */
  hide(text: string): void {
    if (!/[\p{L}\p{N}]/u.test(text)) return
    if (!this.#wasHidden) this.#hidden++
    this.#wasHidden = true
  }

  /** What follows starts a line, unless it is the first of its cell. */
  line(): void {
    if (this.#inNewCell) return
    this.#breaks = Math.max(1, this.#breaks)
    this.#tabs = 0
  }

  /** What follows stands apart. */
  gap(): void {
    this.#inNewCell = false
    this.#tabs = 0
    this.#breaks = 2
  }

  /** A row of cells begins or ends. */
  row(): void {
    this.#inNewCell = false
    this.line()
    this.#cells = 0
    this.#rowHasText = false
  }

  /** The next cell of a row: on the line of the one before it. */
  cell(): void {
    if (this.#cells++ > 0) this.#tabs++
    if (this.#rowHasText) this.#breaks = 0
    this.#inNewCell = true
  }

  /** Where the text has got to. */
  mark(): number {
    return this.#length
  }

  /** Takes back what was written since. */
  retract(mark: number): void {
    const taken: string[] = []
    while (this.#length > mark) {
      const last = this.#pieces.pop() ?? ''
      const kept = Math.max(0, last.length - (this.#length - mark))
      if (kept > 0) this.#pieces.push(last.slice(0, kept))
      taken.push(last.slice(kept))
      this.#length -= last.length - kept
    }
    this.#joined = Math.min(this.#joined, this.#pieces.length)
    this.hide(taken.join(''))
  }

  /** There was more than may be read. */
  incomplete(): void {
    this.#incomplete = true
  }

  readable(): Readable {
    const clean = cleanText(this.#pieces.join('').trim())
    const short = cut(clean.text, this.#maxChars)
    const own: Warning[] = [
      { kind: 'hidden_text_removed', count: this.#hidden },
      { kind: 'content_incomplete', count: this.#incomplete ? 1 : 0 },
    ]
    return {
      text: short.text,
      truncated: short.truncated || this.#full || this.#incomplete,
      warnings: mergeWarnings(own, clean.warnings),
    }
  }

  #put(text: string): void {
    const fitting = text.slice(0, this.#room - this.#length)
    if (fitting.length < text.length) this.#full = true
    if (fitting === '') return
    this.#pieces.push(ownText(fitting))
    this.#length += fitting.length
    if (this.#pieces.length - this.#joined < MOST_PIECES) return
    this.#pieces.push(this.#pieces.splice(this.#joined).join(''))
    this.#joined = this.#pieces.length
  }
}
