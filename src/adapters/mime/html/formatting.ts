/**
 * The tags that browsers open again: `<b>` left open in a paragraph goes on in the next one.
 *
 * INVARIANT: what could cost more than the page is long is paid for from a budget, then TooComplex.
 */
import { TooComplex } from '../css/match.ts'
import type { Attributes } from './markup.ts'

export interface Format {
  readonly name: string
  readonly attributes: Attributes
  /** Where on the stack its element is; -1 where that has been closed along with a block. */
  depth: number
}

const MARKER = 'marker'
const BUDGET = 1_000_000
const LOOK_BACK = 16

export class FormattingList {
  readonly #list: (Format | typeof MARKER)[] = []
  readonly #byDepth: (Format | undefined)[] = []
  #budget = BUDGET

  /** A table cell begins: what is open outside is not opened again inside. */
  mark(): void {
    this.#list.push(MARKER)
  }

  forgetToMark(): void {
    while (this.#list.length > 0 && this.#list.pop() !== MARKER);
  }

  add(name: string, attributes: Attributes, depth: number): void {
    let same = 0
    for (let at = this.#list.length - 1; at >= Math.max(0, this.#list.length - LOOK_BACK); at--) {
      const entry = this.#list[at]
      if (entry === undefined || entry === MARKER) break
      // Of four alike, browsers forget the first.
      if (entry.name === name && sameAttributes(entry.attributes, attributes) && ++same === 3) this.#list.splice(at, 1)
    }
    const format = { name, attributes, depth }
    this.#list.push(format)
    this.#byDepth[depth] = format
  }

  find(name: string): Format | undefined {
    for (let at = this.#list.length - 1; at >= 0; at--) {
      const entry = this.#list[at]
      if (entry === undefined || entry === MARKER) return undefined
      if (entry.name === name) return entry
      this.spend(1)
    }
    return undefined
  }

  remove(format: Format): void {
    const at = this.#list.lastIndexOf(format)
    this.spend(this.#list.length - at)
    if (at !== -1) this.#list.splice(at, 1)
  }

  /** Its element has been closed, but not by its own end tag. */
  closedAt(depth: number): void {
    const format = this.#byDepth[depth]
    if (format?.depth === depth) format.depth = -1
    this.#byDepth[depth] = undefined
  }

  reopenedAt(format: Format, depth: number): void {
    format.depth = depth
    this.#byDepth[depth] = format
  }

  /** Those to be opened again, outermost first. */
  closed(): Format[] {
    const found: Format[] = []
    for (let at = this.#list.length - 1; at >= 0; at--) {
      const entry = this.#list[at]
      if (entry === undefined || entry === MARKER || entry.depth !== -1) break
      found.push(entry)
    }
    this.spend(found.length * 10)
    return found.reverse()
  }

  spend(steps: number): void {
    this.#budget -= steps
    if (this.#budget < 0) throw new TooComplex('formatting')
  }
}

function sameAttributes(a: Attributes, b: Attributes): boolean {
  if (a.size !== b.size) return false
  for (const [name, value] of a) if (b.get(name) !== value) return false
  return true
}
