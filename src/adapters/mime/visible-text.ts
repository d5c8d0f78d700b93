/**
 * HTML to the text that a person looking at it would see.
 *
 * INVARIANT: linear in the size of the page, any depth of nesting, never throws; holds nothing that cannot be seen: no
 * comment, no attribute but where a link leads and what an input holds, no text that is styled away.
 */
import type { Warning } from '../../core/content.ts'
import { HEADING } from './html/elements.ts'
import { Lines } from './html/lines.ts'
import type { PageElement } from './html/nodes.ts'
import { readPage, type Sink } from './html/page.ts'

export interface VisibleText {
  readonly text: string
  /** What a person may not see, a piece a line. */
  readonly uncertain: string
  /** Why, for those who measure. */
  readonly reasons: readonly string[]
  /** There is more of it, or may be. */
  readonly truncated: boolean
  readonly warnings: readonly Warning[]
}

const MAX_SHOWN_LINK = 2000

/** `subject` is what the message calls itself: a page of that title hides nothing. */
export function visibleText(html: string, maxChars: number, subject = ''): VisibleText {
  // A little more than asked for: what is invisible goes later, and a cut must not fall short for it.
  const layout = new TextLayout(maxChars + Math.min(maxChars, 10_000))
  const { findings, uncertain } = readPage(html, layout)
  const { lines } = layout
  for (let flood = 0; flood < lines.floods; flood++) findings.flooded()
  const text = lines.text()
  const warnings = findings.warnings(`${subject}\n${text}`)
  const truncated = lines.full || findings.isIncomplete
  return { text, uncertain: uncertain.text(), reasons: uncertain.reasons, truncated, warnings }
}

interface List {
  readonly ordered: boolean
  next: number
}

/** A table row: on which line its first text stands. */
interface Row {
  line: number | undefined
  cells: number
}

/** Blocks with an empty line around them. */
const SPACED = new Set(['p', 'ul', 'ol', 'dl', 'blockquote', 'pre', 'xmp', 'listing', 'figure', ...HEADING])
const LISTS = new Set(['ul', 'ol', 'menu', 'dir'])
const BLOCK_DISPLAY = /^(?:block|flex|grid|list-item|table|flow-root|-webkit-box|-webkit-flex)(?!-cell)/

class TextLayout implements Sink {
  readonly #lists: List[] = []
  readonly #rows: Row[] = []
  readonly #lines: Lines
  /** What the link shows that is open. */
  #linkText: string | undefined

  constructor(limit: number) {
    this.#lines = new Lines(limit)
  }

  get lines(): Lines {
    return this.#lines
  }

  enter({ name, attributes }: PageElement, display: string): void {
    if (isBlock(name, display)) this.#lines.block(this.#isSpaced(name))
    if (name === 'br') this.#lines.breakLine()
    else if (name === 'hr') this.#rule()
    else if (name === 'a') this.#linkText = ''
    else if (name === 'li') this.#item(attributes.get('value'))
    else if (LISTS.has(name)) this.#openList(name === 'ol', attributes.get('start'))
    else if (name === 'blockquote') this.#lines.quotes++
    else if (name === 'tr') this.#rows.push({ line: undefined, cells: 0 })
    else if (name === 'td' || name === 'th') this.#cell()
    else if (name === 'q') this.#lines.write('"')
  }

  leave({ name }: PageElement, display: string, target?: string): void {
    if (name === 'a') this.#closeLink(target)
    else if (name === 'li') this.#lines.dropBullet()
    else if (LISTS.has(name)) this.#closeList()
    else if (name === 'blockquote') this.#lines.quotes--
    else if (name === 'tr') this.#closeRow()
    else if (name === 'q') this.#lines.append('"')
    if (isBlock(name, display)) this.#lines.block(this.#isSpaced(name))
  }

  text(text: string, _: PageElement, preformatted: boolean): void {
    if (preformatted) this.#lines.writePreformatted(text)
    else this.#lines.write(text)
    const row = this.#rows.at(-1)
    if (row !== undefined && row.line === undefined && /\S/.test(text)) row.line = this.#lines.line
    if (this.#linkText !== undefined && this.#linkText.length <= MAX_SHOWN_LINK) this.#linkText += text
  }

  #rule(): void {
    this.#lines.block(false)
    this.#lines.write('---')
    this.#lines.block(false)
  }

  /** Lists inside of lists stand close. */
  #isSpaced(name: string): boolean {
    return SPACED.has(name) && !(LISTS.has(name) && this.#lists.length > 0)
  }

  #openList(ordered: boolean, start: string | undefined): void {
    this.#lists.push({ ordered, next: /^\s*-?\d{1,9}/.test(start ?? '') ? Number.parseInt(start ?? '1', 10) : 1 })
    this.#lines.indent++
  }

  #closeList(): void {
    this.#lists.pop()
    this.#lines.indent--
  }

  #item(value: string | undefined): void {
    const list = this.#lists.at(-1)
    if (list === undefined || !list.ordered) {
      this.#lines.bullet('- ')
      return
    }
    if (/^\s*-?\d{1,9}\s*$/.test(value ?? '')) list.next = Number(value)
    this.#lines.bullet(`${list.next++}. `)
  }

  #cell(): void {
    const row = this.#rows.at(-1)
    if (row === undefined) return
    const sameLine = row.line === this.#lines.line && row.cells > 0
    row.cells++
    if (sameLine) this.#lines.nextCell()
    else this.#lines.block(false)
  }

  #closeRow(): void {
    const row = this.#rows.pop()
    const outer = this.#rows.at(-1)
    if (outer !== undefined && row !== undefined) outer.line ??= row.line
  }

  #closeLink(target: string | undefined): void {
    const shown = (this.#linkText ?? '').replace(/\s+/g, ' ').trim()
    this.#linkText = undefined
    if (target === undefined || shown === '' || isSame(shown, target) || !target.startsWith('http')) return
    this.#lines.append(` (${target.length > MAX_SHOWN_LINK ? `${new URL(target).origin}/…` : target})`)
  }
}

function isBlock(name: string, display: string): boolean {
  return name !== 'td' && name !== 'th' && BLOCK_DISPLAY.test(display)
}

/** Whether a link's text is its address, give or take what people leave out. */
function isSame(shown: string, target: string): boolean {
  return bare(shown) === bare(target)
}

function bare(address: string): string {
  return address
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/$/, '')
}
