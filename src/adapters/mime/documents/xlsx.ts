/**
 * The cells of an Excel document: sheet by sheet in the order of the workbook, a line for a row, a tab between cells.
 *
 * INVARIANT: nothing of hidden sheets, rows or columns, nor of cells whose format shows nothing.
 */
import type { Archive } from './archive.ts'
import { isTrue } from './docx-styles.ts'
import { ownText } from './own-text.ts'
import type { Paper } from './paper.ts'
import { mainFile, relationsOf, targets } from './relations.ts'
import { Theme } from './theme.ts'
import { isOddColour, readSheet } from './xlsx-sheet.ts'
import { readCellFormats } from './xlsx-styles.ts'
import { type Element, readWholeXml, readXml } from './xml.ts'

const MOST_STRINGS = 200_000
const MOST_STRING_CHARS = 4_000_000

interface Sheet {
  readonly name: string
  readonly file: string
  readonly hidden: boolean
}

export function readXlsx(archive: Archive, paper: Paper): void {
  const main = mainFile(archive, 'xl/workbook.xml')
  const relations = relationsOf(archive, main)
  const files = new Map(relations.map(({ id, target }) => [id, target]))
  const { sheets, since1904 } = readWorkbook(archive, main, files)
  const theme = new Theme(archive, targets(relations, 'theme')[0])
  const odd = new Set<number>()
  const strings = readStrings(archive, targets(relations, 'sharedStrings')[0], paper, (at, element) => {
    if (isOddColour(element, theme)) odd.add(at)
  })
  const formats = readCellFormats(archive, targets(relations, 'styles')[0], theme)
  for (const sheet of sheets) {
    if (paper.full) return
    paper.gap()
    if (sheet.hidden) paper.hide(sheet.name)
    else paper.write(sheet.name)
    if (!readSheet(archive, sheet, { strings, odd, formats, theme, since1904 }, paper)) paper.incomplete()
  }
}

function readWorkbook(archive: Archive, main: string, files: ReadonlyMap<string, string>) {
  const sheets = new Map<string, Sheet>()
  let since1904 = false
  readWholeXml(archive, main, 'workbook', {
    open(element) {
      if (element.name === 'workbookPr') since1904 = isTrue(element.attribute('date1904'))
      const file = element.name === 'sheet' ? files.get(element.attribute('id') ?? '') : undefined
      if (file === undefined || sheets.has(file)) return
      const state = element.attribute('state')
      sheets.set(file, {
        name: element.attribute('name') ?? '',
        file,
        hidden: state !== undefined && state !== 'visible',
      })
    },
  })
  return { sheets: [...sheets.values()], since1904 }
}

/** The texts that cells refer to by their number. */
function readStrings(
  archive: Archive,
  file: string | undefined,
  paper: Paper,
  coloured: (at: number, element: Element) => void,
): readonly string[] {
  const strings: string[] = []
  if (file === undefined) return strings
  let pieces: string[] = []
  let chars = 0
  const isFull = (): boolean => strings.length >= MOST_STRINGS || chars >= MOST_STRING_CHARS
  const whole = readXml(archive, file, 'sst', {
    open(element) {
      if (element.name === 'si') pieces = []
      else if (element.name === 'color') coloured(strings.length, element)
    },
    close({ name }) {
      if (name === 'si' && !isFull()) strings.push(ownText(pieces.join('')))
    },
    text(text, element) {
      // How a word is pronounced stands above it, in small letters.
      if (element.name !== 't' || element.parent?.name === 'rPh' || isFull()) return
      pieces.push(text)
      chars += text.length
    },
    enough: isFull,
  })
  if (!whole || isFull()) paper.incomplete()
  return strings
}
