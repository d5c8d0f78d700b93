/**
 * Which elements are open at each piece of text, as browsers build their tree, kept as one stack and no tree.
 *
 * INVARIANT: linear in the size of the page, any depth. Where tags are missing, misplaced or crossed, the text ends up in
 * the same elements as in a browser: a difference would let a mail hide from people what we show.
 */
import {
  ENDS_FOREIGN,
  ENDS_PARAGRAPH,
  FORMATTING,
  HEADING,
  INTEGRATION,
  SPECIAL,
  TABLE_PART,
  TABLE_SECTION,
  VOID,
} from './elements.ts'
import { FormattingList } from './formatting.ts'
import { type Attributes, NO_ATTRIBUTES } from './markup.ts'
import { type Element, type ElementEvents, OpenElements } from './open-elements.ts'

/** Before the name of an element that only looks like HTML. */
export const FOREIGN = 'foreign-'
const MARKED = new Set(['td', 'th', 'caption', 'applet', 'object', 'marquee', 'template'])
const IN_SELECT = new Set(['option', 'optgroup', 'hr', 'script', 'template'])
const ENDS_SELECT = new Set(['input', 'keygen', 'textarea', 'table', ...TABLE_PART])
const HEAD = new Set([
  'title',
  'style',
  'meta',
  'link',
  'base',
  'script',
  'noscript',
  'template',
  'basefont',
  'bgsound',
])
/** What may stand in a table beside rows; all else is moved out of it, before it. */
const STAYS_IN_TABLE = new Set(['style', 'script', 'template', 'form', ...TABLE_PART])

export class Tree<S> {
  readonly #open: OpenElements<S>
  readonly #formatting = new FormattingList()
  /** Sheets and their like before any content belong to the head: selectors do not count them as children of the body. */
  #inHead = true

  constructor(events: ElementEvents<S>, html: Attributes, body: Attributes, counting: boolean) {
    this.#open = new OpenElements(events, counting)
    this.#open.push('html', html)
    this.#open.push('body', body)
  }

  get top(): Element<S> {
    return this.#open.top
  }

  inForeignContent(): boolean {
    return this.#open.foreignDepth !== -1
  }

  /** The element whose text this is. Reopens what was left open in a block that has ended. */
  textParent(): Element<S> {
    this.#inHead = false
    if (!this.inForeignContent()) this.#reopenFormatting()
    return this.#fosterParent() ?? this.#open.top
  }

  open(name: string, attributes: Attributes, selfClosing: boolean): void {
    if (name === 'html' || name === 'body' || name === 'head' || name === 'frameset') {
      if (name === 'body') this.#inHead = false
      return
    }
    if (!HEAD.has(name)) this.#inHead = false
    if (this.inForeignContent() && !ENDS_FOREIGN.has(name)) {
      this.#push(this.#foreignName(name), attributes)
      if (selfClosing) this.#pop()
      return
    }
    while (this.inForeignContent()) this.#pop()
    if (this.#open.depthOf('select') !== -1 && !this.#allowedInSelect(name)) return
    if (TABLE_PART.has(name)) {
      if (!this.#prepareTablePart(name)) return
    } else if (!this.#prepare(name)) return
    const real = name === 'image' ? 'img' : name
    this.#push(real, attributes)
    if (VOID.has(real)) this.#pop()
    else if (FORMATTING.has(real)) this.#formatting.add(real, attributes, this.#open.length - 1)
  }

  close(name: string): void {
    const foreign = this.#open.foreignDepth
    const inForeign = foreign === -1 ? -1 : this.#open.depthOf(name, `${FOREIGN}${name}`)
    const depth = HEADING.has(name) ? this.#open.depthOf(...HEADING) : this.#open.depthOf(name)
    if (foreign !== -1 && inForeign >= foreign) this.#popTo(inForeign)
    else if (name === 'br') this.open('br', NO_ATTRIBUTES, false)
    else if (name === 'p' && depth <= this.#paragraphLimit()) {
      this.#push('p', NO_ATTRIBUTES)
      this.#pop()
    } else if (FORMATTING.has(name)) this.#closeFormatting(name)
    else if (depth > this.#closeLimit(name)) this.#popTo(depth)
  }

  end(): void {
    this.#popTo(0)
  }

  /** An end tag closes its element only where that lies deeper than this. */
  #closeLimit(name: string): number {
    if (name === 'table' || name === 'template') return 1
    if (TABLE_PART.has(name)) return this.#open.depthOf('table', 'template')
    if (name === 'li') return Math.max(this.#open.lastScope, this.#open.depthOf('ul', 'ol'))
    if (SPECIAL.has(name)) return Math.max(1, this.#open.lastScope - (MARKED.has(name) || name === 'select' ? 1 : 0))
    return this.#open.lastSpecial
  }

  /** A `td` of SVG or MathML is no table cell, whatever its name. A style sheet of SVG is one. */
  #foreignName(name: string): string {
    if (INTEGRATION.has(name) || !(SPECIAL.has(name) || FORMATTING.has(name))) return name
    const isSheet = name === 'style' && this.#open.at(this.#open.foreignDepth)?.name === 'svg'
    return isSheet ? name : `${FOREIGN}${name}`
  }

  #reopenFormatting(): void {
    for (const format of this.#formatting.closed()) {
      this.#push(format.name, format.attributes)
      this.#formatting.reopenedAt(format, this.#open.length - 1)
    }
  }

  #fosterParent(): Element<S> | undefined {
    const { name } = this.#open.top
    if (name !== 'table' && name !== 'tr' && !TABLE_SECTION.has(name)) return undefined
    return this.#open.at(this.#open.depthOf('table') - 1)
  }

  #allowedInSelect(name: string): boolean {
    if (IN_SELECT.has(name)) return true
    const select = this.#open.depthOf('select')
    if (name === 'select') this.#popTo(select)
    if (!ENDS_SELECT.has(name) || (TABLE_PART.has(name) && this.#open.depthOf('table') === -1)) return false
    this.#popTo(select)
    return true
  }

  #prepare(name: string): boolean {
    const open = this.#open
    if (name === 'form' && open.depthOf('form') !== -1) return false
    if (name === 'table' && this.#fosterParent() !== undefined) this.#popTo(open.depthOf('table'))
    if (name === 'li') this.#closeItem('li')
    else if (name === 'dd' || name === 'dt') this.#closeItem('dd', 'dt')
    if (ENDS_PARAGRAPH.has(name) && open.depthOf('p') > this.#paragraphLimit()) this.#popTo(open.depthOf('p'))
    if (HEADING.has(name) && HEADING.has(open.top.name)) this.#pop()
    if ((name === 'option' || name === 'optgroup') && open.top.name === 'option') this.#pop()
    if (name === 'button' && open.depthOf('button') > open.lastScope) this.#popTo(open.depthOf('button'))
    if ((name === 'a' || name === 'nobr') && this.#formatting.find(name) !== undefined) this.#closeFormatting(name)
    if (!ENDS_PARAGRAPH.has(name)) this.#reopenFormatting()
    return true
  }

  /** Rows and cells exist only in tables. Says whether this one does, having closed what it follows. */
  #prepareTablePart(name: string): boolean {
    const open = this.#open
    const table = open.depthOf('table')
    if (table === -1 || open.depthOf('template') > table) return false
    if (name === 'td' || name === 'th') {
      const row = open.depthOf('tr')
      if (row > table) this.#popTo(row + 1)
      else {
        this.#prepareRow(table)
        this.#push('tr', NO_ATTRIBUTES)
      }
    } else if (name === 'tr') this.#prepareRow(table)
    else {
      const group = name === 'col' ? open.depthOf('colgroup') : -1
      this.#popTo(Math.max(table, group) + 1)
    }
    return true
  }

  #prepareRow(table: number): void {
    const section = this.#open.depthOf(...TABLE_SECTION)
    this.#popTo(Math.max(section, table) + 1)
    if (section < table) this.#push('tbody', NO_ATTRIBUTES)
  }

  /** A list item ends the one before it, unless a list or a block other than these has begun in between. */
  #closeItem(...names: readonly string[]): void {
    const depth = this.#open.depthOf(...names)
    if (depth === -1) return
    const { specials } = this.#open
    for (let at = specials.length - 1; at >= 0; at--) {
      const special = specials[at] ?? 0
      if (special === depth) {
        this.#popTo(depth)
        return
      }
      const name = this.#open.at(special)?.name
      if (special < depth || (name !== 'div' && name !== 'p' && name !== 'address')) return
      this.#formatting.spend(1)
    }
  }

  /** `<b><div></b>`: the div stays open, the b does not. What stands above it is opened again without it. */
  #closeFormatting(name: string): void {
    const open = this.#open
    const format = this.#formatting.find(name)
    if (format === undefined) {
      const depth = open.depthOf(name)
      if (depth > open.lastSpecial) this.#popTo(depth)
      return
    }
    if (format.depth !== -1 && format.depth < open.lastScope) return
    this.#formatting.remove(format)
    if (format.depth === -1) return
    const above = open.from(format.depth + 1)
    const lastBlock = above.findLastIndex((element) => SPECIAL.has(element.name))
    this.#popTo(format.depth)
    this.#formatting.spend(10 * (lastBlock + 1))
    for (const element of above.slice(0, lastBlock + 1)) {
      if (!FORMATTING.has(element.name)) this.#push(element.name, element.attributes)
    }
  }

  #paragraphLimit(): number {
    return Math.max(this.#open.lastScope, this.#open.depthOf('button'))
  }

  #popTo(depth: number): void {
    while (this.#open.length > depth) this.#pop()
  }

  #push(name: string, attributes: Attributes): void {
    const parent = this.#inHead ? this.#open.at(0) : STAYS_IN_TABLE.has(name) ? undefined : this.#fosterParent()
    if (parent === undefined) this.#open.push(name, attributes)
    else this.#open.push(name, attributes, parent)
    if (MARKED.has(name)) this.#formatting.mark()
  }

  #pop(): void {
    const element = this.#open.pop()
    if (element === undefined) return
    if (MARKED.has(element.name)) this.#formatting.forgetToMark()
    else if (FORMATTING.has(element.name)) this.#formatting.closedAt(this.#open.length)
  }
}
