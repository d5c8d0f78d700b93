/**
 * The text of an OpenDocument file: a text, a spreadsheet or slides.
 *
 * INVARIANT: nothing of hidden sections, paragraphs, sheets, rows, columns or slides, no deleted text, no scripts; no letters that cannot be told
 * from what lies behind them. What shapes lie over is uncertain.
 */
import type { Archive } from './archive.ts'
import type { Sight } from './ink.ts'
import { OdfStyles, pointsOf, sizeSight } from './odf-styles.ts'
import type { Paper } from './paper.ts'
import { apart, type Box } from './region.ts'
import { type Element, readWholeXml, readXml } from './xml.ts'

const MOST_BLANKS = 100
const MOST_COLUMNS = 16_384
const BLOCKS = new Set(['p', 'h'])
const INLINE = new Set(['p', 'h', 'span', 'a'])
/** Not shown in place, or not text at all. */
const UNSEEN = new Set(['scripts', 'script', 'binary-data', 'title', 'desc', 'event-listeners', 'forms'])

const SHAPES = new Set('frame custom-shape rect ellipse circle polygon path regular-polygon caption'.split(' '))
/** In points: two metres. */
const MOST_PAGE = 5670
const MOST_SHAPES = 2000

export function readOdf(archive: Archive, paper: Paper): void {
  const styles = new OdfStyles()
  if (archive.has('styles.xml')) {
    readWholeXml(archive, 'styles.xml', 'document-styles', {
      open: (element) => styles.learn(element),
      close: (element) => styles.learned(element),
    })
  }
  const reader = new ContentReader(styles, paper)
  const foreseen = readXml(archive, 'content.xml', 'document-content', {
    open: (element) => reader.foresee(element),
    close: (element) => styles.learned(element),
  })
  reader.begin(foreseen)
  const whole = readXml(archive, 'content.xml', 'document-content', {
    open: (element) => reader.open(element),
    close: (element) => reader.close(element),
    text: (text, element) => reader.text(text, element),
    enough: () => paper.full,
  })
  if (!whole) paper.incomplete()
}

class ContentReader {
  readonly #styles: OdfStyles
  readonly #paper: Paper
  /** The columns of the table that is being read. */
  #columnSights = new Map<number, Sight>()
  #columns = 0
  #column = 0
  /** The pictures and filled shapes of slides. */
  readonly #covers: { readonly page: number; readonly box: Box }[] = []
  #page = 0
  /** The number of the outermost paragraph that is open, and those of the hidden ones. */
  #paragraph = 0
  readonly #hiddenParagraphs = new Set<number>()

  constructor(styles: OdfStyles, paper: Paper) {
    this.#styles = styles
    this.#paper = paper
  }

  open(element: Element): void {
    if (isOutermost(element)) element.hidden ||= this.#hiddenParagraphs.has(++this.#paragraph)
    this.#judge(element)
    this.#layOut(element)
  }

  close(element: Element): void {
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
    else if (name === 'hidden-text') element.hidden ||= element.attribute('is-hidden') !== 'false'
    else if (name === 'table-row-group' || name === 'table-column-group') {
      element.hidden ||= element.attribute('display') === 'false'
    } else if (name === 'table-row') element.hidden ||= !isShown(element.attribute('visibility'), 'visible')
    this.#judgeStyle(element)
  }

  #judgeStyle(element: Element): void {
    const { name } = element
    const style = element.attribute('style-name') ?? ''
    if (name === 'span' || name === 'a') {
      if (style !== '') element.styledAway ||= this.#styles.hides('text', style)
      if (style !== '') this.#styles.apply(element, 'text', style)
    } else if (BLOCKS.has(name)) {
      element.styledAway ||= this.#styles.hides('paragraph', style)
      this.#styles.apply(element, 'paragraph', style)
    } else if (name === 'table-row') this.#bySize(element, this.#styles.size('table-row', style))
    else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.#styles.apply(element, 'table-cell', style)
      if (name === 'covered-table-cell') element.doubtful = true
    } else if (name === 'table') element.hidden ||= this.#styles.hides('table', style)
    else if (name === 'page') {
      element.hidden ||= this.#styles.hides('drawing-page', style)
      this.#page++
    } else if (SHAPES.has(name)) this.#judgeShape(element, style)
  }

  #bySize(element: Element, sight: Sight | undefined): void {
    element.hidden ||= sight === 'hidden'
    element.doubtful ||= sight === 'uncertain'
  }

  /** What a shape is filled with, and which of two lies over the other, is not computed. */
  #judgeShape(element: Element, style: string): void {
    for (const side of ['width', 'height']) this.#bySize(element, sizeSight(pointsOf(element.attribute(side))))
    element.doubtful ||= element.attribute('transform') !== undefined || this.#isFilled(element, style)
    if (element.around('page') === undefined) return
    const box = boxOf(element)
    element.hidden ||= apart(box, [0, 0, MOST_PAGE, MOST_PAGE])
    element.doubtful ||= this.#covers.some((other) => other.page === this.#page && !apart(box, other.box))
  }

  /** A frame shows what lies behind it unless it says otherwise; other shapes do not. */
  #isFilled({ name }: Element, style: string): boolean {
    return this.#styles.isFilled(style) ?? name !== 'frame'
  }

  /** The styles, and what may lie over text, before it is read. */
  foresee(element: Element): void {
    this.#styles.learn(element)
    const { name, parent } = element
    if (name === 'page') this.#page++
    if (isOutermost(element)) this.#paragraph++
    // Stands somewhere in the paragraph that it is about.
    if (name === 'hidden-paragraph' && element.attribute('is-hidden') !== 'false')
      this.#hiddenParagraphs.add(this.#paragraph)
    const isFilled = SHAPES.has(name) && this.#isFilled(element, element.attribute('style-name') ?? '')
    if (element.around('page') === undefined || !(isFilled || name === 'image')) return
    if (this.#covers.length >= MOST_SHAPES) throw new Error('too many shapes')
    this.#covers.push({ page: this.#page, box: boxOf(name === 'image' && parent !== undefined ? parent : element) })
  }

  /** From here on the text is read. A paragraph that was not foreseen to its end is not shown. */
  begin(isWhole: boolean): void {
    if (!isWhole) this.#hiddenParagraphs.add(this.#paragraph)
    this.#page = 0
    this.#paragraph = 0
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
    this.#columnSights = new Map()
    this.#columns = 0
    if (element.parent?.name !== 'spreadsheet') return
    this.#paper.gap()
    this.#paper.say(element.attribute('name') ?? '', element)
  }

  #tableColumn(element: Element): void {
    const next = Math.min(MOST_COLUMNS, this.#columns + repeatsOf(element, 'number-columns-repeated'))
    const isHidden = element.hidden || !isShown(element.attribute('visibility'), 'visible')
    const sight = isHidden ? 'hidden' : this.#styles.size('table-column', element.attribute('style-name') ?? '')
    for (let column = this.#columns; column < next && sight !== 'visible'; column++)
      this.#columnSights.set(column, sight)
    this.#columns = next
  }

  #row(): void {
    this.#column = 0
    this.#paper.row()
  }

  #cell(element: Element): void {
    const sight = this.#columnSights.get(this.#column) ?? 'visible'
    element.hidden ||= sight === 'hidden'
    element.doubtful ||= sight === 'uncertain'
    this.#column += repeatsOf(element, 'number-columns-repeated')
    if (!element.hidden) this.#paper.cell()
  }
}

/** What is turned, or has no size of its own, may be anywhere. */
function boxOf(element: Element): Box {
  const [x = 0, y = 0, width, height] = ['x', 'y', 'width', 'height'].map((key) => pointsOf(element.attribute(key)))
  const isKnown = width !== undefined && height !== undefined && element.attribute('transform') === undefined
  return isKnown ? [x, y, x + width, y + height] : [0, 0, MOST_PAGE, MOST_PAGE]
}

function isOutermost(element: Element): boolean {
  return BLOCKS.has(element.name) && element.around('p', 'h') === undefined
}

function isShown(value: string | undefined, shown = 'true'): boolean {
  return value === undefined || value === shown
}

function repeatsOf(element: Element, attribute: string): number {
  const count = Number(element.attribute(attribute) ?? 1)
  return Number.isInteger(count) && count > 0 ? Math.min(count, MOST_COLUMNS) : 1
}
