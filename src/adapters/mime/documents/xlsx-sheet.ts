/** The visible cells of one sheet. */
import type { Archive } from './archive.ts'
import { isTrue } from './docx-styles.ts'
import { inkSight, type Sight, WHITE, worse } from './ink.ts'
import type { Paper } from './paper.ts'
import { relationsOf, targets } from './relations.ts'
import type { Theme } from './theme.ts'
import { type CellFormat, dateText, type Formats, PLAIN_FORMAT, sectionFor, sheetColour } from './xlsx-styles.ts'
import { type Element, readXml } from './xml.ts'

export interface Workbook {
  readonly strings: readonly string[]
  /** The numbers of those that have letters which may not be seen. */
  readonly odd: ReadonlySet<number>
  readonly formats: Formats
  readonly theme: Theme
  readonly since1904: boolean
}

const MOST_COLUMNS = 16_384
const MOST_RANGES = 1000
const MOST_COMPARED = 20_000_000
/** A wider gap between two cells says no more. */
const MOST_PASSED = 20
const LONGEST_CELL = 100_000
/** Of rows, in points; of columns, in letters. */
const FLAT = 2
const LOW = 6
const THIN = 0.3
const NARROW = 1

/** From one cell to another, both of them in it: column, row, column, row. */
type Range = readonly [number, number, number, number]

/** False when the sheet is longer than may be read. */
export function readSheet(
  archive: Archive,
  sheet: { readonly file: string; readonly hidden: boolean },
  workbook: Workbook,
  paper: Paper,
): boolean {
  const reader = new SheetReader(sheet.hidden, workbook, paper)
  const drawing = targets(relationsOf(archive, sheet.file), 'drawing')[0]
  if (drawing !== undefined) readDrawing(archive, drawing, reader, sheet.hidden ? 'hidden' : 'uncertain', paper)
  // What is merged, or shown under conditions, is said after the cells.
  const foreseen = readXml(archive, sheet.file, 'worksheet', { open: (element) => reader.foresee(element) })
  const read = readXml(archive, sheet.file, 'worksheet', {
    open: (element) => reader.open(element),
    close: (element) => reader.close(element),
    text: (text, element) => reader.text(text, element),
    enough: () => paper.full,
  })
  return foreseen && read
}

/** Pictures and boxes lie over cells; what boxes look like is not computed. */
function readDrawing(archive: Archive, file: string, reader: SheetReader, sight: Sight, paper: Paper): void {
  let corner: number[] = []
  readXml(archive, file, 'wsDr', {
    open({ name }) {
      if (name.endsWith('Anchor')) corner = []
      else if (name === 'p') paper.line()
    },
    text(text, { name, parent }) {
      if (name === 't') paper.put(text, sight)
      if ((name === 'col' || name === 'row') && /^(?:from|to)$/.test(parent?.name ?? '')) corner.push(Number(text) + 1)
    },
    close({ name }) {
      if (!name.endsWith('Anchor')) return
      const [left = 1, top = 1, right = MOST_COLUMNS, bottom = Number.POSITIVE_INFINITY] = corner
      reader.cover([left, top, right, bottom])
    },
  })
}

class SheetReader {
  readonly #hidden: boolean
  readonly #workbook: Workbook
  readonly #paper: Paper
  readonly #columns = new Map<number, Sight>()
  readonly #covered: Range[] = []
  readonly #merged: Range[] = []
  #ranges = 0
  #compared = 0
  #otherColumns: Sight = 'visible'
  #otherRows: Sight = 'visible'
  #column = 0
  #row = 0
  #value = ''
  #isOdd = false

  constructor(hidden: boolean, workbook: Workbook, paper: Paper) {
    this.#hidden = hidden
    this.#workbook = workbook
    this.#paper = paper
  }

  cover(range: Range): void {
    this.#covered.push(range)
  }

  foresee(element: Element): void {
    const { name } = element
    const isConditional = name === 'conditionalFormatting' && this.#workbook.formats.conditional
    if (isConditional) for (const range of (element.attribute('sqref') ?? '').split(' ')) this.cover(rangeOf(range))
    else if (name === 'mergeCell') this.#merged.push(rangeOf(element.attribute('ref') ?? ''))
  }

  open(element: Element): void {
    const { name } = element
    if (name === 'worksheet') element.hidden = this.#hidden
    else if (name === 'sheetFormatPr') {
      const height = element.number('defaultRowHeight') ?? LOW
      this.#otherRows = isTrue(element.attribute('zeroHeight')) ? 'hidden' : sizeSight(height, FLAT, LOW)
      this.#otherColumns = sizeSight(element.number('defaultColWidth') ?? NARROW, THIN, NARROW)
    } else if (name === 'col') this.#setColumns(element)
    else if (name === 'row') this.#openRow(element)
    else if (name === 'c') this.#cell(element)
    else if (name === 'color' && element.around('rPr') !== undefined)
      this.#isOdd ||= isOddColour(element, this.#workbook.theme)
  }

  text(text: string, { name, parent }: Element): void {
    const isValue = name === 'v' || (name === 't' && parent?.name !== 'rPh')
    if (isValue && this.#value.length < LONGEST_CELL) this.#value += text
  }

  close(element: Element): void {
    if (element.name === 'row') this.#paper.row()
    if (element.name !== 'c') return
    const format = this.#formatOf(element)
    const type = element.attribute('t') ?? 'n'
    const isOdd = this.#isOdd || (type === 's' && this.#workbook.odd.has(Number(this.#value)))
    const own = [format.ink, sectionFor(format, type, this.#value), this.#placeSight(), element.sight].reduce(worse)
    this.#paper.put(this.#shown(type, format).replace(/\s*\n\s*/g, ' '), isOdd ? worse('uncertain', own) : own)
  }

  #setColumns(element: Element): void {
    const width = isTrue(element.attribute('hidden')) ? 0 : (element.number('width') ?? NARROW)
    const sight = sizeSight(width, THIN, NARROW)
    if (sight === 'visible' && this.#otherColumns === 'visible') return
    if (++this.#ranges > MOST_RANGES) throw new Error('too many hidden columns')
    const last = Math.min(MOST_COLUMNS, Number(element.attribute('max')))
    for (let column = Math.max(1, Number(element.attribute('min'))); column <= last; column++)
      this.#columns.set(column, sight)
  }

  #columnSight(column: number): Sight {
    return this.#columns.get(column) ?? this.#otherColumns
  }

  #openRow(element: Element): void {
    const height = element.number('ht')
    const sight = height === undefined ? this.#otherRows : sizeSight(height, FLAT, LOW)
    element.hidden ||= isTrue(element.attribute('hidden')) || sight === 'hidden'
    element.doubtful ||= sight === 'uncertain'
    this.#column = 0
    this.#row = element.number('r') ?? this.#row + 1
    this.#paper.row()
  }

  /** Cells that are empty are often left out: the others keep their place. */
  #cell(element: Element): void {
    const column = columnOf(element.attribute('r')) ?? this.#column + 1
    this.#value = ''
    this.#isOdd = false
    const from = Math.max(this.#column + 1, column - MOST_PASSED)
    for (let passed = from; passed <= column && !element.hidden; passed++) {
      if (this.#columnSight(passed) !== 'hidden') this.#paper.cell()
    }
    this.#column = Math.max(this.#column, column)
    const sight = this.#columnSight(column)
    element.hidden ||= sight === 'hidden'
    element.doubtful ||= sight === 'uncertain'
  }

  /** Of merged cells only the first is seen. */
  #placeSight(): Sight {
    this.#compared += this.#merged.length + this.#covered.length
    if (this.#compared > MOST_COMPARED) return 'uncertain'
    const [column, row] = [this.#column, this.#row]
    const lies = ([left, top, right, bottom]: Range): boolean =>
      column >= left && column <= right && row >= top && row <= bottom
    if (this.#merged.some((range) => lies(range) && (range[0] !== column || range[1] !== row))) return 'hidden'
    return this.#covered.some(lies) ? 'uncertain' : 'visible'
  }

  #formatOf(cell: Element): CellFormat {
    return this.#workbook.formats.cells[Number(cell.attribute('s') ?? 0)] ?? PLAIN_FORMAT
  }

  #shown(type: string, { shows }: CellFormat): string {
    if (type === 's') return this.#workbook.strings[Number(this.#value)] ?? ''
    if (type === 'b') return this.#value === '1' ? 'TRUE' : 'FALSE'
    if (type !== 'n' || this.#value === '' || shows === 'plain') return this.#value
    return dateText(this.#value, shows, this.#workbook.since1904)
  }
}

/** Letters of their own colour: which cell they are shown in is not asked. */
export function isOddColour(element: Element, theme: Theme): boolean {
  return inkSight({ colour: sheetColour(element, theme), behind: [WHITE] }) !== 'visible'
}

function sizeSight(size: number, least: number, enough: number): Sight {
  if (size >= enough) return 'visible'
  return size <= least ? 'hidden' : 'uncertain'
}

function rangeOf(reference: string): Range {
  const [from = '', to = from] = reference.split(':')
  const row = (cell: string): number => Number(/\d+$/.exec(cell)?.[0] ?? 1)
  return [columnOf(from) ?? 1, row(from), columnOf(to) ?? MOST_COLUMNS, row(to)]
}

/** `BC12` is in column 55. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  let column = 0
  for (let at = 0; at < letters.length; at++) column = column * 26 + letters.charCodeAt(at) - 64
  return Math.min(column, MOST_COLUMNS)
}
