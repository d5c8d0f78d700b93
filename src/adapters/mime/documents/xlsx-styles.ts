/** What the formats of an Excel document make of what is in its cells, and whether it can be seen. */
import type { Archive } from './archive.ts'
import { BLACK, hexColour, type Ink, inkSight, type Rgb, type Sight, WHITE, worse } from './ink.ts'
import { type Theme, tinted } from './theme.ts'
import { type Element, readWholeXml } from './xml.ts'

export interface CellFormat {
  readonly shows: 'plain' | 'date' | 'time'
  /** Of numbers above zero, below and at zero, and of text. */
  readonly sections: readonly Sight[]
  readonly ink: Sight
}

export const PLAIN_FORMAT: CellFormat = { shows: 'plain', sections: [], ink: 'visible' }

const MOST_FORMATS = 65_536
const BUILT_IN_DATES = new Set([14, 15, 16, 17, 22])
const BUILT_IN_TIMES = new Set([18, 19, 20, 21, 45, 46, 47])
/** Colours 8 to 63 of a workbook without a palette of its own. */
const PALETTE =
  '000000 FFFFFF FF0000 00FF00 0000FF FFFF00 FF00FF 00FFFF 800000 008000 000080 808000 800080 008080 C0C0C0 808080 9999FF 993366 FFFFCC CCFFFF 660066 FF8080 0066CC CCCCFF 000080 FF00FF FFFF00 00FFFF 800080 800000 008080 0000FF 00CCFF CCFFFF CCFFCC FFFF99 99CCFF FF99CC CC99FF FFCC99 3366FF 33CCCC 99CC00 FFCC00 FF9900 FF6600 666699 969696 003366 339966 003300 333300 993300 993366 333399 333333'.split(
    ' ',
  )

export interface Formats {
  readonly cells: readonly CellFormat[]
  /** Whether a condition may hide what is in a cell. */
  readonly conditional: boolean
}

/** By the number that a cell names. */
export function readCellFormats(archive: Archive, file: string | undefined, theme: Theme): Formats {
  const codes = new Map<number, CellFormat>()
  const cells: CellFormat[] = []
  const fonts: Partial<Ink>[] = []
  const fills: Rgb[] = []
  let hasPalette = false
  let conditional = false
  const colour = (element: Element): Rgb =>
    hasPalette && element.attribute('indexed') ? undefined : sheetColour(element, theme)
  const open = (element: Element): void => {
    const { name, parent } = element
    const list = parent?.name === 'font' ? element.around('fonts', 'dxf') : element.around('fills', 'dxf')
    if (name === 'numFmt' && codes.size < MOST_FORMATS) {
      const format = formatOf(element.attribute('formatCode') ?? '')
      if (parent?.name === 'dxf') conditional ||= format.sections.some((sight) => sight !== 'visible')
      else codes.set(element.number('numFmtId') ?? -1, format)
    } else if (name === 'indexedColors') hasPalette = true
    else if (name === 'font' && parent?.name === 'fonts' && fonts.length < MOST_FORMATS) fonts.push({})
    else if (name === 'fill' && parent?.name === 'fills' && fills.length < MOST_FORMATS) fills.push(WHITE)
    else if (parent?.name === 'font' && name === 'color') {
      if (list?.name === 'fonts') fonts.push({ ...fonts.pop(), colour: colour(element) })
      else conditional ||= inkSight({ colour: colour(element), behind: [WHITE] }) !== 'visible'
    } else if (parent?.name === 'font' && name === 'sz' && list?.name === 'fonts')
      fonts.push({ ...fonts.pop(), points: element.number('val') ?? 0 })
    else if (list?.name === 'fills' && name === 'patternFill') fills.splice(-1, 1, fillOf(element))
    else if (list?.name === 'fills' && name === 'gradientFill') fills.splice(-1, 1, undefined)
    else if (list?.name === 'fills' && name === 'fgColor' && parent?.attribute('patternType') === 'solid')
      fills.splice(-1, 1, colour(element))
    else if (name === 'xf' && parent?.name === 'cellXfs' && cells.length < MOST_FORMATS)
      cells.push(cellFormat(element, codes, fonts, fills))
    else if (name === 'alignment' && parent?.parent?.name === 'cellXfs' && isOdd(element)) {
      const last = cells.pop() ?? PLAIN_FORMAT
      cells.push({ ...last, ink: worse('uncertain', last.ink) })
    }
  }
  if (file !== undefined) readWholeXml(archive, file, 'styleSheet', { open })
  return { cells, conditional }
}

/** Far from its cell, or made as small as the cell wants it. */
function isOdd(alignment: Element): boolean {
  return (alignment.number('indent') ?? 0) > 15
}

function fillOf(pattern: Element): Rgb {
  return ['none', 'solid', undefined].includes(pattern.attribute('patternType')) ? WHITE : undefined
}

function cellFormat(
  xf: Element,
  codes: ReadonlyMap<number, CellFormat>,
  fonts: readonly Partial<Ink>[],
  fills: readonly Rgb[],
): CellFormat {
  const id = xf.number('numFmtId') ?? 0
  const font = fonts[xf.number('fontId') ?? 0] ?? {}
  const fill = xf.number('fillId') ?? 0
  const behind = fill < fills.length ? fills[fill] : WHITE
  return { ...(codes.get(id) ?? builtIn(id)), ink: inkSight({ colour: BLACK, ...font, behind: [behind] }) }
}

export function sheetColour(element: Element, theme: Theme): Rgb {
  const tint = element.number('tint') ?? 0
  const number = element.number('theme')
  if (number !== undefined) return tinted(theme.numbered(number), tint)
  const index = element.number('indexed')
  if (index !== undefined)
    return index === 64 ? BLACK : index === 65 ? WHITE : hexColour(PALETTE[index < 8 ? index : index - 8])
  const value = element.attribute('rgb')
  return value === undefined ? BLACK : tinted(hexColour(value), tint)
}

function builtIn(id: number): CellFormat {
  const shows = BUILT_IN_DATES.has(id) ? 'date' : BUILT_IN_TIMES.has(id) ? 'time' : 'plain'
  return { ...PLAIN_FORMAT, shows }
}

function formatOf(code: string): CellFormat {
  // A semicolon in quotes parts nothing.
  const sections = code
    .slice(0, 256)
    .replace(/"[^"]*"?|\\./g, (quoted) => quoted.replaceAll(';', ' '))
    .split(';')
  const letters = code.slice(0, 256).replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '')
  const shows = /[yd]/i.test(letters) ? 'date' : /[hs]/i.test(letters) ? 'time' : 'plain'
  return { ...PLAIN_FORMAT, shows, sections: sections.map(sectionSight) }
}

/** A section that is empty shows nothing; one without a place for the value shows something else. */
function sectionSight(section: string): Sight {
  if (/\[(?:white|color\s*\d+)\]/i.test(section)) return 'uncertain'
  const bare = section.replace(/"[^"]*"?|\\.|[_*].|\[(?!h|m|s)[^\]]*\]/gi, '').trim()
  if (/[0#?@yhsdmge]|general/i.test(bare)) return 'visible'
  return section.trim() === '' || bare === '' ? 'hidden' : 'uncertain'
}

/** Which section shows a value. */
export function sectionFor({ sections }: CellFormat, type: string, value: string): Sight {
  const isText = type === 's' || type === 'str' || type === 'inlineStr'
  if (isText) return sections[3] ?? 'visible'
  const number = Number(value)
  return (
    sections[Math.min(sections.length - 1, number > 0 ? 0 : number < 0 ? 1 : sections.length < 3 ? 0 : 2)] ?? 'visible'
  )
}

const DAY_MS = 86_400_000
/** Day 0; in sheets that began on a Mac, days are counted from 1904. */
const FROM_1900 = Date.UTC(1899, 11, 30)
const FROM_1904 = Date.UTC(1904, 0, 1)
const LAST_DAY = 2_958_465

/** A number of days as a date and a time, as far as it has them. */
export function dateText(value: string, shows: CellFormat['shows'], since1904: boolean): string {
  const days = Number(value)
  if (!(days >= 0 && days <= LAST_DAY)) return value
  const moment = new Date((since1904 ? FROM_1904 : FROM_1900) + Math.round(days * DAY_MS)).toISOString()
  const [date = '', clock = ''] = moment.slice(0, 19).split('T')
  if (shows === 'time' && days < 1) return clock
  return clock === '00:00:00' ? date : `${date} ${clock}`
}
