/**
 * What is read of a document, as lines of text, what of it a person may not see, and what was left out.
 *
 * INVARIANT: holds no more than a little beyond `maxChars` of each; what is hidden is counted and never kept.
 */
import { mergeWarnings, type Readable, type Warning } from '../../../core/content.ts'
import { cut } from '../../../core/text/cut.ts'
import { cleanText } from '../../../core/text/plain.ts'
import type { Sight } from './ink.ts'
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
  /** What was put last, as far as the next piece may belong to it. */
  #last: Sight | undefined
  readonly #uncertain: string[] = []
  #uncertainLength = 0
  #cutUncertain = false
  #full = false
  #allDoubtful = false
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
  say(text: string, { ignored, sight }: Pick<Element, 'ignored' | 'sight'>): void {
    if (!ignored) this.put(text, sight)
  }

  put(text: string, sight: Sight): void {
    if (sight === 'visible') this.write(text)
    else if (sight === 'hidden') this.hide(text)
    else this.#doubt(text)
  }

  write(text: string): void {
    if (text === '') return
    this.#last = 'visible'
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
    if (this.#last !== 'hidden') this.#hidden++
    this.#last = 'hidden'
  }

  /** Each piece is a line of its own; what stands beside it on its line belongs to it. */
  #doubt(text: string): void {
    const joins = this.#last === 'uncertain'
    const flat = (joins ? text : text.trimStart()).replace(/\s+/g, ' ')
    if (flat === '') return
    this.#last = 'uncertain'
    const room = this.#room - this.#uncertainLength
    if (flat.length > room) this.#cutUncertain = true
    const piece = ownText(flat.slice(0, Math.max(0, room)))
    this.#uncertainLength += piece.length + 1
    if (joins) this.#uncertain.push(`${this.#uncertain.pop()}${piece}`)
    else if (piece !== '') this.#uncertain.push(piece)
  }

  /** What follows starts a line, unless it is the first of its cell. */
  line(): void {
    this.#endPiece()
    if (this.#inNewCell) return
    this.#breaks = Math.max(1, this.#breaks)
    this.#tabs = 0
  }

  /** What follows stands apart. */
  gap(): void {
    this.#endPiece()
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
    this.#endPiece()
    if (this.#cells++ > 0) this.#tabs++
    if (this.#rowHasText) this.#breaks = 0
    this.#inNewCell = true
  }

  /** Something may lie over all of it. */
  doubtAll(): void {
    this.#allDoubtful = true
  }

  /** There was more than may be read. */
  incomplete(): void {
    this.#incomplete = true
  }

  /** There is more than was asked for. */
  shorten(): void {
    this.#full = true
  }

  readable(): Readable {
    if (this.#allDoubtful) {
      this.#uncertain.unshift(
        ...this.#pieces
          .splice(0)
          .join('')
          .split(/\s*\n\s*/)
          .filter((line) => line !== ''),
      )
    }
    const clean = cleanText(this.#pieces.join('').trim())
    const short = cut(clean.text, this.#maxChars)
    const doubtful = cleanText(this.#uncertain.join('\n'))
    const uncertain = cut(doubtful.text, this.#maxChars)
    const own: Warning[] = [
      { kind: 'hidden_text_removed', count: this.#hidden },
      { kind: 'uncertain_text', count: this.#uncertain.length },
      { kind: 'content_incomplete', count: this.#incomplete ? 1 : 0 },
    ]
    return {
      text: short.text,
      uncertain: uncertain.text,
      truncated: [short.truncated, uncertain.truncated, this.#full, this.#cutUncertain, this.#incomplete].includes(
        true,
      ),
      warnings: mergeWarnings(own, clean.warnings, doubtful.warnings),
    }
  }

  /** What follows is no part of a piece before it. */
  #endPiece(): void {
    if (this.#last === 'uncertain') this.#last = undefined
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
