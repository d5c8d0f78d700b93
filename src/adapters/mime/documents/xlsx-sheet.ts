/** The visible cells of one sheet. */
import type { Archive } from './archive.ts'
import { isTrue } from './docx-styles.ts'
import type { Paper } from './paper.ts'
import { type CellFormat, dateText } from './xlsx-styles.ts'
import { type Element, readXml } from './xml.ts'

export interface Workbook {
  readonly strings: readonly string[]
  readonly formats: readonly CellFormat[]
  readonly since1904: boolean
}

const MOST_COLUMNS = 16_384
const MOST_RANGES = 1000
/** A wider gap between two cells says no more. */
const MOST_PASSED = 20
const LONGEST_CELL = 100_000

/** False when the sheet is longer than may be read. */
export function readSheet(
  archive: Archive,
  sheet: { readonly file: string; readonly hidden: boolean },
  workbook: Workbook,
  paper: Paper,
): boolean {
  const reader = new SheetReader(sheet.hidden, workbook, paper)
  return readXml(archive, sheet.file, 'worksheet', {
    open: (element) => reader.open(element),
    close: (element) => reader.close(element),
    text: (text, element) => reader.text(text, element),
    enough: () => paper.full,
  })
}

class SheetReader {
  readonly #hidden: boolean
  readonly #workbook: Workbook
  readonly #paper: Paper
  readonly #hiddenColumns = new Set<number>()
  #hiddenRanges = 0
  #rowsAreHidden = false
  #column = 0
  #value = ''

  constructor(hidden: boolean, workbook: Workbook, paper: Paper) {
    this.#hidden = hidden
    this.#workbook = workbook
    this.#paper = paper
  }

  open(element: Element): void {
    const { name } = element
    if (name === 'worksheet') element.hidden = this.#hidden
    else if (name === 'sheetFormatPr') this.#rowsAreHidden = isTrue(element.attribute('zeroHeight'))
    else if (name === 'col') this.#columns(element)
    else if (name === 'row') this.#row(element)
    else if (name === 'c') this.#cell(element)
  }

  text(text: string, { name, parent }: Element): void {
    const isValue = name === 'v' || (name === 't' && parent?.name !== 'rPh')
    if (isValue && this.#value.length < LONGEST_CELL) this.#value += text
  }

  close(element: Element): void {
    if (element.name === 'row') this.#paper.row()
    if (element.name !== 'c') return
    this.#paper.say(this.#shown(element).replace(/\s*\n\s*/g, ' '), element)
  }

  #columns(element: Element): void {
    if (!isTrue(element.attribute('hidden')) && element.attribute('width') !== '0') return
    if (++this.#hiddenRanges > MOST_RANGES) throw new Error('too many hidden columns')
    const last = Math.min(MOST_COLUMNS, Number(element.attribute('max')))
    for (let column = Math.max(1, Number(element.attribute('min'))); column <= last; column++) {
      this.#hiddenColumns.add(column)
    }
  }

  #row(element: Element): void {
    const height = element.attribute('ht')
    const isFlat = height === undefined ? this.#rowsAreHidden : Number(height) === 0
    element.hidden ||= isTrue(element.attribute('hidden')) || isFlat
    this.#column = 0
    this.#paper.row()
  }

  /** Cells that are empty are often left out: the others keep their place. */
  #cell(element: Element): void {
    const column = columnOf(element.attribute('r')) ?? this.#column + 1
    this.#value = ''
    const isHidden = this.#hiddenColumns.has(column)
    const from = Math.max(this.#column + 1, column - MOST_PASSED)
    for (let passed = from; passed <= column && !element.hidden; passed++) {
      if (!this.#hiddenColumns.has(passed)) this.#paper.cell()
    }
    this.#column = Math.max(this.#column, column)
    element.hidden ||= isHidden || this.#formatOf(element) === 'hidden'
  }

  #formatOf(cell: Element): CellFormat {
    return this.#workbook.formats[Number(cell.attribute('s') ?? 0)] ?? 'plain'
  }

  #shown(cell: Element): string {
    const type = cell.attribute('t') ?? 'n'
    if (type === 's') return this.#workbook.strings[Number(this.#value)] ?? ''
    if (type === 'b') return this.#value === '1' ? 'TRUE' : 'FALSE'
    const format = this.#formatOf(cell)
    if (type !== 'n' || this.#value === '' || (format !== 'date' && format !== 'time')) return this.#value
    return dateText(this.#value, format, this.#workbook.since1904)
  }
}

/** `BC12` is in column 55. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  let column = 0
  for (let at = 0; at < letters.length; at++) column = column * 26 + letters.charCodeAt(at) - 64
  return Math.min(column, MOST_COLUMNS)
}
