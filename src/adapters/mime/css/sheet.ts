/**
 * Style sheets: the rules that apply to somebody reading the mail, in order.
 *
 * INVARIANT: linear in the size of the input, without recursion, never throws. What browsers drop is dropped, what they
 * keep is kept, up to MAX_RULES; a sheet with more is marked, and whoever uses it must not trust it to be whole.
 */
import { type Declaration, parseDeclaration } from './declaration.ts'
import { mediaHolds } from './media.ts'
import { isRelevant } from './properties.ts'
import { SegmentReader, unescapeCss } from './scan.ts'
import { parseSelectors, type Selector } from './selector.ts'

export interface Rule {
  /** Where it stands among the others. */
  readonly order: number
  readonly selectors: readonly Selector[]
  readonly declarations: readonly Declaration[]
}

export interface Sheet {
  readonly rules: readonly Rule[]
  /** What stands in comments and in `content`: text that no reader is meant to find. */
  readonly asides: readonly string[]
  /** How many rules would have loaded something. */
  readonly loads: number
  readonly complete: boolean
}

const MAX_RULES = 20_000
const MAX_NESTING = 32

interface Block {
  readonly order: number
  /** The selectors of the rule that this block belongs to, where it belongs to one. */
  readonly prelude: string | undefined
  readonly declarations: Declaration[]
  readonly skipped: boolean
}

export function parseSheet(css: string): Sheet {
  return new SheetReader(css).read()
}

class SheetReader {
  readonly #reader: SegmentReader
  readonly #rules: Rule[] = []
  readonly #asides: string[] = []
  readonly #blocks: Block[] = []
  #opened = 0
  #loads = 0
  #complete = true

  constructor(css: string) {
    this.#reader = new SegmentReader(css)
  }

  read(): Sheet {
    for (;;) {
      const block = this.#blocks.at(-1)
      if (block === undefined) this.#reader.skipCommentMarks()
      const segment = this.#reader.next(block === undefined, block?.prelude !== undefined || block?.skipped === true)
      if (segment === undefined) break
      if (segment.end === '{') this.#open(segment.text.trim(), block)
      else this.#inside(segment.text.trim(), block)
      if (segment.end === '}') this.#close()
    }
    while (this.#blocks.length > 0) this.#close()
    return {
      // An outer rule closes after the rules nested in it, and counts before them.
      rules: this.#rules.sort((a, b) => a.order - b.order),
      asides: [...this.#asides, ...this.#reader.comments],
      loads: this.#loads,
      complete: this.#complete,
    }
  }

  #open(prelude: string, outer: Block | undefined): void {
    const order = this.#opened++
    if (this.#blocks.length >= MAX_NESTING) this.#complete = false
    const skipped = outer?.skipped === true || this.#blocks.length >= MAX_NESTING
    if (skipped) this.#blocks.push({ prelude: outer?.prelude, declarations: [], order, skipped })
    else if (prelude.startsWith('@')) this.#openAtRule(prelude, outer, order)
    else this.#blocks.push({ prelude: nested(outer?.prelude, prelude), declarations: [], order, skipped })
  }

  #openAtRule(prelude: string, outer: Block | undefined, order: number): void {
    const name = /^@([\w-]*)/.exec(unescapeCss(prelude.slice(0, 100)))?.[1]?.toLowerCase() ?? ''
    const condition = prelude.slice(name.length + 1)
    const transparent = name === 'media' ? mediaHolds(unescapeCss(condition)) : TRANSPARENT_RULES.has(name)
    this.#blocks.push({ prelude: outer?.prelude, declarations: [], order, skipped: !transparent })
  }

  #inside(text: string, block: Block | undefined): void {
    if (text === '') return
    if (/@import|url\(\s*['"]?\s*(?:https?:)?[/\\]{2}/i.test(text)) this.#loads++
    if (/content/i.test(text)) this.#asides.push(...strings(text))
    if (block === undefined || block.skipped) return
    const declaration = parseDeclaration(text)
    if (declaration !== undefined && isRelevant(declaration.name)) block.declarations.push(declaration)
  }

  #close(): void {
    const block = this.#blocks.pop()
    if (block === undefined || block.skipped || block.prelude === undefined || block.declarations.length === 0) return
    if (this.#rules.length >= MAX_RULES) {
      this.#complete = false
      return
    }
    const selectors = parseSelectors(block.prelude)
    if (selectors.length > 0) this.#rules.push({ selectors, declarations: block.declarations, order: block.order })
  }
}

/** At-rules whose rules count as if they stood outside. */
const TRANSPARENT_RULES = new Set(['supports', 'layer', 'container', 'document', '-moz-document', 'scope'])

/** `.b` inside of `.a { … }` is `.a .b`; `&` stands for `.a`. */
function nested(outer: string | undefined, inner: string): string {
  if (outer === undefined) return inner
  const parent = outer.includes(',') ? `:is(${outer})` : outer
  if (parent.length + inner.length > 2000) return inner.replaceAll('&', '*')
  return inner.includes('&') ? inner.replaceAll('&', parent) : `${parent} ${inner}`
}

function strings(text: string): string[] {
  return (text.match(/"[^"]*"|'[^']*'/g) ?? []).map((found) => unescapeCss(found.slice(1, -1)))
}
