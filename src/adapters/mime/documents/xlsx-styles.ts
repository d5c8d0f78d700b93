/** What the formats of an Excel document make of the numbers in its cells. */
import type { Archive } from './archive.ts'
import { readWholeXml } from './xml.ts'

export type CellFormat = 'plain' | 'date' | 'time' | 'hidden'

const MOST_FORMATS = 65_536
const BUILT_IN_DATES = new Set([14, 15, 16, 17, 22])
const BUILT_IN_TIMES = new Set([18, 19, 20, 21, 45, 46, 47])

/** By the number that a cell names. */
export function readCellFormats(archive: Archive, file: string | undefined): readonly CellFormat[] {
  const codes = new Map<number, CellFormat>()
  const formats: CellFormat[] = []
  if (file === undefined) return formats
  readWholeXml(archive, file, 'styleSheet', {
    open(element) {
      if (element.name === 'numFmt' && codes.size < MOST_FORMATS) {
        codes.set(Number(element.attribute('numFmtId')), formatOf(element.attribute('formatCode') ?? ''))
      } else if (element.name === 'xf' && element.parent?.name === 'cellXfs' && formats.length < MOST_FORMATS) {
        const id = Number(element.attribute('numFmtId'))
        formats.push(codes.get(id) ?? builtIn(id))
      }
    },
  })
  return formats
}

function builtIn(id: number): CellFormat {
  if (BUILT_IN_DATES.has(id)) return 'date'
  return BUILT_IN_TIMES.has(id) ? 'time' : 'plain'
}

function formatOf(code: string): CellFormat {
  // One section each for numbers above, below and at zero, and for text: all empty shows nothing at all.
  if (/^\s*;\s*;\s*;\s*$/.test(code)) return 'hidden'
  const letters = code.slice(0, 256).replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '')
  if (/[yd]/i.test(letters)) return 'date'
  return /[hs]/i.test(letters) ? 'time' : 'plain'
}

const DAY_MS = 86_400_000
/** Day 0; in sheets that began on a Mac, days are counted from 1904. */
const FROM_1900 = Date.UTC(1899, 11, 30)
const FROM_1904 = Date.UTC(1904, 0, 1)
const LAST_DAY = 2_958_465

/** A number of days as a date and a time, as far as it has them. */
export function dateText(value: string, format: CellFormat, since1904: boolean): string {
  const days = Number(value)
  if (!(days >= 0 && days <= LAST_DAY)) return value
  const moment = new Date((since1904 ? FROM_1904 : FROM_1900) + Math.round(days * DAY_MS)).toISOString()
  const [date = '', clock = ''] = moment.slice(0, 19).split('T')
  if (format === 'time' && days < 1) return clock
  return clock === '00:00:00' ? date : `${date} ${clock}`
}
