/**
 * The text of an OpenDocument file: a text, a spreadsheet or slides.
 *
 * INVARIANT: nothing of hidden sections, paragraphs, sheets, rows, columns or slides, no deleted text, no scripts.
 */
import type { Archive } from './archive.ts'
import { OdfStyles } from './odf-styles.ts'
import type { Paper } from './paper.ts'
import { type Element, readWholeXml, readXml } from './xml.ts'

const MOST_BLANKS = 100
const MOST_COLUMNS = 16_384
const BLOCKS = new Set(['p', 'h'])
const INLINE = new Set(['p', 'h', 'span', 'a'])
/** Not shown in place, or not text at all. */
const UNSEEN = new Set(['scripts', 'script', 'binary-data', 'title', 'desc', 'event-listeners', 'forms'])

export function readOdf(archive: Archive, paper: Paper): void {
  const styles = new OdfStyles()
  if (archive.has('styles.xml')) {
    readWholeXml(archive, 'styles.xml', 'document-styles', {
      open: (element) => styles.learn(element),
      close: (element) => styles.learned(element),
    })
  }
  const reader = new ContentReader(styles, paper)
  const whole = readXml(archive, 'content.xml', 'document-content', {
    open: (element) => reader.open(element),
    close: (element) => reader.close(element),
    text: (text, element) => reader.text(text, element),
    enough: () => paper.full && !reader.inParagraph,
  })
  reader.abandon()
  if (!whole) paper.incomplete()
}

class ContentReader {
  readonly #styles: OdfStyles
  readonly #paper: Paper
  /** The columns of the table that is being read. */
  #hiddenColumns = new Set<number>()
  #columns = 0
  #column = 0
  /** The outermost paragraph that is open, and where its text began. */
  #paragraph: { readonly element: Element; readonly mark: number; hidden: boolean } | undefined

  constructor(styles: OdfStyles, paper: Paper) {
    this.#styles = styles
    this.#paper = paper
  }

  /** Within one, whether it is hidden may still be to come. */
  get inParagraph(): boolean {
    return this.#paragraph !== undefined
  }

  /** What was not read to its end is not shown. */
  abandon(): void {
    if (this.#paragraph !== undefined) this.#paper.retract(this.#paragraph.mark)
  }

  open(element: Element): void {
    this.#styles.learn(element)
    if (BLOCKS.has(element.name)) this.#paragraph ??= { element, mark: this.#paper.mark(), hidden: false }
    this.#judge(element)
    this.#layOut(element)
  }

  close(element: Element): void {
    this.#styles.learned(element)
    if (element === this.#paragraph?.element) {
      if (this.#paragraph.hidden) this.#paper.retract(this.#paragraph.mark)
      this.#paragraph = undefined
    }
    if (BLOCKS.has(element.name) || element.name === 'annotation') this.#paper.line()
    else if (element.name === 'table-row') this.#paper.row()
  }

  text(text: string, element: Element): void {
    if (!(BLOCKS.has(element.name) || element.around('p', 'h') !== undefined)) return
    // Blanks between the elements of a note or a frame are for those who read XML.
    if (!INLINE.has(element.name) && !/\S/.test(text)) return
    this.#paper.say(text.replace(/[ \t\r\n]+/g, ' '), element)
  }

  #judge(element: Element): void {
    const { name, parent } = element
    if (UNSEEN.has(name)) element.ignored = true
    else if (name === 'tracked-changes') element.hidden = true
    // Who wrote a comment, and when, is no text.
    else if (parent?.name === 'annotation' && !BLOCKS.has(name) && name !== 'list') element.ignored = true
    else if (name === 'section') element.hidden ||= !isShown(element.attribute('display'))
    else if (name === 'hidden-paragraph') this.#hideParagraph(element)
    else if (name === 'hidden-text') element.hidden ||= element.attribute('is-hidden') !== 'false'
    else if (name === 'table-row-group' || name === 'table-column-group') {
      element.hidden ||= element.attribute('display') === 'false'
    } else if (name === 'table-row') element.hidden ||= !isShown(element.attribute('visibility'), 'visible')
    this.#judgeStyle(element)
  }

  /** Stands somewhere in the paragraph that it is about. */
  #hideParagraph(element: Element): void {
    if (this.#paragraph !== undefined && element.attribute('is-hidden') !== 'false') this.#paragraph.hidden = true
  }

  #judgeStyle(element: Element): void {
    const { name } = element
    const style = element.attribute('style-name') ?? ''
    if (name === 'span' || name === 'a') {
      if (style !== '') element.styledAway ||= this.#styles.hides('text', style)
    } else if (BLOCKS.has(name)) element.styledAway ||= this.#styles.hides('paragraph', style)
    else if (name === 'table') element.hidden ||= this.#styles.hides('table', style)
    else if (name === 'page') element.hidden ||= this.#styles.hides('drawing-page', style)
  }

  #layOut(element: Element): void {
    const { name } = element
    if (BLOCKS.has(name) || name === 'line-break' || name === 'annotation') this.#paper.line()
    else if (name === 'tab') this.#paper.say('\t', element)
    else if (name === 's') this.#paper.say(' '.repeat(Math.min(MOST_BLANKS, repeatsOf(element, 'c'))), element)
    else if (name === 'page' || name === 'notes') this.#paper.gap()
    else if (name === 'table') this.#table(element)
    else if (name === 'table-column') this.#tableColumn(element)
    else if (name === 'table-row') this.#row()
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#cell(element)
  }

  #table(element: Element): void {
    this.#hiddenColumns = new Set()
    this.#columns = 0
    if (element.parent?.name !== 'spreadsheet') return
    this.#paper.gap()
    this.#paper.say(element.attribute('name') ?? '', element)
  }

  #tableColumn(element: Element): void {
    const next = Math.min(MOST_COLUMNS, this.#columns + repeatsOf(element, 'number-columns-repeated'))
    const isHidden = element.hidden || !isShown(element.attribute('visibility'), 'visible')
    for (let column = this.#columns; column < next && isHidden; column++) this.#hiddenColumns.add(column)
    this.#columns = next
  }

  #row(): void {
    this.#column = 0
    this.#paper.row()
  }

  #cell(element: Element): void {
    element.hidden ||= this.#hiddenColumns.has(this.#column)
    this.#column += repeatsOf(element, 'number-columns-repeated')
    if (!element.hidden) this.#paper.cell()
  }
}

function isShown(value: string | undefined, shown = 'true'): boolean {
  return value === undefined || value === shown
}

function repeatsOf(element: Element, attribute: string): number {
  const count = Number(element.attribute(attribute) ?? 1)
  return Number.isInteger(count) && count > 0 ? Math.min(count, MOST_COLUMNS) : 1
}
