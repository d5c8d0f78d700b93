/**
 * Style sheets: the rules that apply to somebody reading the mail, in order.
 *
 * INVARIANT: linear in the size of the input, without recursion, never throws. What browsers drop is dropped, what they
 * keep is kept, up to MAX_RULES; a sheet with more is marked, and whoever uses it must not trust it to be whole.
 */
import { type Declaration, parseDeclaration } from './declaration.ts'
import { MAYBE, type Match, NO, YES } from './match.ts'
import { mediaHolds } from './media.ts'
import { isRelevant } from './properties.ts'
import { SegmentReader, unescapeCss } from './scan.ts'
import { parseRuleSelectors, perhapsOnly, type Selector } from './selector.ts'
import { supportsHolds } from './supports.ts'

export interface Rule {
  /** Where it stands among the others. */
  readonly order: number
  readonly selectors: readonly Selector[]
  readonly declarations: readonly Declaration[]
}

/** What an animation declares: where it ends, and at any time. */
export interface Keyframes {
  readonly last: Declaration[]
  readonly all: Declaration[]
}

export interface Sheet {
  readonly rules: readonly Rule[]
  /** What stands in comments and in `content`: text that no reader is meant to find. */
  readonly asides: readonly string[]
  readonly keyframes: ReadonlyMap<string, Keyframes>
  /** The addresses of the sheets that it imports. */
  readonly imports: readonly string[]
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
  /** Whether its rules apply, only a browser can tell. */
  readonly unsure?: boolean | undefined
  /** The animation whose frames these are. */
  readonly animation?: string | undefined
}

export function parseSheet(css: string): Sheet {
  return new SheetReader(css).read()
}

class SheetReader {
  readonly #reader: SegmentReader
  readonly #rules: Rule[] = []
  readonly #asides: string[] = []
  readonly #keyframes = new Map<string, Keyframes>()
  readonly #imports: string[] = []
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
      keyframes: this.#keyframes,
      imports: this.#imports,
      loads: this.#loads,
      complete: this.#complete,
    }
  }

  #open(prelude: string, outer: Block | undefined): void {
    const order = this.#opened++
    if (this.#blocks.length >= MAX_NESTING) this.#complete = false
    const skipped = outer?.skipped === true || this.#blocks.length >= MAX_NESTING
    if (skipped) this.#blocks.push({ prelude: outer?.prelude, declarations: [], order, skipped })
    else if (outer?.animation !== undefined) this.#blocks.push({ ...outer, prelude, declarations: [], order })
    else if (prelude.startsWith('@')) this.#openAtRule(prelude, outer, order)
    else {
      const own = nested(outer?.prelude, prelude)
      this.#blocks.push({ prelude: own, declarations: [], order, skipped, unsure: outer?.unsure })
    }
  }

  #openAtRule(prelude: string, outer: Block | undefined, order: number): void {
    const name = /^@([\w-]*)/.exec(unescapeCss(prelude.slice(0, 100)))?.[1]?.toLowerCase() ?? ''
    const condition = prelude.slice(name.length + 1)
    const animation = name.endsWith('keyframes') ? unquoted(condition) : undefined
    const holds = animation === undefined ? atRuleHolds(name, unescapeCss(condition)) : YES
    const unsure = outer?.unsure === true || holds === MAYBE
    this.#blocks.push({ prelude: outer?.prelude, declarations: [], order, skipped: holds === NO, animation, unsure })
  }

  #inside(text: string, block: Block | undefined): void {
    if (text === '') return
    if (/@import|url\(\s*['"]?\s*(?:https?:)?[/\\]{2}/i.test(text)) this.#loads++
    if (/^@import/i.test(text)) this.#imports.push(importAddress(unescapeCss(text)))
    if (/content|list-style/i.test(text)) this.#asides.push(...strings(text))
    if (block === undefined || block.skipped) return
    const declaration = parseDeclaration(text)
    if (declaration !== undefined && isRelevant(declaration.name)) block.declarations.push(declaration)
  }

  #close(): void {
    const block = this.#blocks.pop()
    if (block?.animation !== undefined) this.#closeFrame(block.animation, block)
    else this.#closeRule(block)
  }

  #closeFrame(animation: string, { prelude, declarations }: Block): void {
    const frames = this.#keyframes.get(animation) ?? { last: [], all: [] }
    this.#keyframes.set(animation, frames)
    for (const declaration of declarations) {
      frames.all.push(declaration)
      if (/\bto\b|100%/i.test(prelude ?? '')) frames.last.push(declaration)
    }
  }

  #closeRule(block: Block | undefined): void {
    if (block === undefined || block.skipped || block.prelude === undefined || block.declarations.length === 0) return
    if (this.#rules.length >= MAX_RULES) {
      this.#complete = false
      return
    }
    const written = parseRuleSelectors(block.prelude)
    const selectors = block.unsure === true ? written.map(perhapsOnly) : written
    if (selectors.length > 0) this.#rules.push({ selectors, declarations: block.declarations, order: block.order })
  }
}

/** At-rules whose rules may count as if they stood outside. */
const UNDECIDED_RULES = new Set(['container', 'document', '-moz-document', 'scope'])

function atRuleHolds(name: string, condition: string): Match {
  if (name === 'media') return mediaHolds(condition) ? YES : NO
  if (name === 'supports') return supportsHolds(condition.toLowerCase())
  return name === 'layer' ? YES : UNDECIDED_RULES.has(name) ? MAYBE : NO
}

/** `.b` inside of `.a { … }` is `.a .b`; `&` stands for `.a`. */
function nested(outer: string | undefined, inner: string): string {
  if (outer === undefined) return inner
  const parent = outer.includes(',') ? `:is(${outer})` : outer
  if (parent.length + inner.length > 2000) return inner.replaceAll('&', '*')
  return inner.includes('&') ? inner.replaceAll('&', parent) : `${parent} ${inner}`
}

function unquoted(name: string): string {
  return unescapeCss(name)
    .trim()
    .replace(/^["']|["']$/g, '')
    .toLowerCase()
}

function importAddress(text: string): string {
  const match = /^@import\s*(?:url\(\s*)?(?:"([^"]*)"|'([^']*)'|([^)]*))/i.exec(text)
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? ''
}

function strings(text: string): string[] {
  return (text.match(/"[^"]*"|'[^']*'/g) ?? []).map((found) => unescapeCss(found.slice(1, -1)))
}
