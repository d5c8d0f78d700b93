/** Small office files, put together for tests. */
import { strToU8, zipSync } from 'fflate'

export type Files = Readonly<Record<string, string | Uint8Array>>

export function zip(files: Files): Uint8Array {
  return zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [name, typeof content === 'string' ? strToU8(content) : content]),
    ),
  )
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const R = `xmlns:r="${OFFICE}"`

export function relations(...related: readonly (readonly [id: string, kind: string, target: string])[]): string {
  const each = related.map(([id, kind, to]) => `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${to}"/>`)
  return `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${each.join('')}</Relationships>`
}

/** `around` holds the files beside the body by kind: `header`, `footer`, `footnotes`, `comments`, `styles`. */
export function docx(body: string, around: Readonly<Record<string, string>> = {}, more: Files = {}): Uint8Array {
  const roots: Readonly<Record<string, string>> = { header: 'hdr', footer: 'ftr' }
  const kinds = Object.keys(around)
  return zip({
    '[Content_Types].xml': `${XML}<Types/>`,
    '_rels/.rels': relations(['rId1', 'officeDocument', 'word/document.xml']),
    'word/document.xml': `${XML}<w:document ${W}><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relations(...kinds.map((kind) => [kind, kind, `${kind}1.xml`] as const)),
    ...Object.fromEntries(
      kinds.map((kind) => {
        const root = roots[kind] ?? kind
        return [`word/${kind}1.xml`, `${XML}<w:${root} ${W}>${around[kind]}</w:${root}>`]
      }),
    ),
    ...more,
  })
}

export const run = (text: string, properties = ''): string =>
  `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`
export const paragraph = (...runs: readonly string[]): string => `<w:p>${runs.join('')}</w:p>`

export interface SheetOf {
  readonly name: string
  readonly state?: string
  /** What stands before the rows, and after them. */
  readonly before?: string
  readonly after?: string
  readonly rows: string
}

export function xlsx(
  sheets: readonly SheetOf[],
  strings: readonly string[] = [],
  { numFmts = '', cellXfs = '', fonts = '', fills = '', dxfs = '' } = {},
  more: Files = {},
): Uint8Array {
  const named = sheets.map(({ name, state }, at) => {
    const hidden = state === undefined ? '' : ` state="${state}"`
    return `<sheet name="${name}" sheetId="${at + 1}"${hidden} r:id="s${at}"/>`
  })
  return zip({
    '_rels/.rels': relations(['rId1', 'officeDocument', '/xl/workbook.xml']),
    'xl/workbook.xml': `${XML}<workbook ${R}><sheets>${named.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ...sheets.map((_, at) => [`s${at}`, 'worksheet', `worksheets/sheet${at + 1}.xml`] as const),
      ['strings', 'sharedStrings', 'sharedStrings.xml'],
      ['styles', 'styles', 'styles.xml'],
    ),
    'xl/sharedStrings.xml': `${XML}<sst>${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `${XML}<styleSheet><numFmts>${numFmts}</numFmts><fonts><font/>${fonts}</fonts><fills><fill/><fill/>${fills}</fills><cellXfs><xf numFmtId="0"/>${cellXfs}</cellXfs><dxfs>${dxfs}</dxfs></styleSheet>`,
    ...Object.fromEntries(
      sheets.map(({ before = '', after = '', rows }, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `${XML}<worksheet>${before}<sheetData>${rows}</sheetData>${after}</worksheet>`,
      ]),
    ),
    ...more,
  })
}

export interface SlideOf {
  readonly shapes: string
  /** What stands before the shapes. */
  readonly background?: string
  readonly show?: string
  readonly notes?: string
}

/** The slides stand in the presentation in the order given, in the archive in the opposite one. */
export function pptx(slides: readonly SlideOf[], { size = '', more = {} as Files } = {}): Uint8Array {
  const file = (at: number): string => `slides/slide${slides.length - at}.xml`
  const named = slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="r${at}"/>`)
  const files: Record<string, string> = {}
  for (const [at, { shapes, show, notes, background = '' }] of slides.entries()) {
    const number = slides.length - at
    files[`ppt/${file(at)}`] =
      `${XML}<p:sld${show === undefined ? '' : ` show="${show}"`}><p:cSld>${background}<p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`
    if (notes === undefined) continue
    files[`ppt/slides/_rels/slide${number}.xml.rels`] = relations([
      'n',
      'notesSlide',
      `../notesSlides/notesSlide${number}.xml`,
    ])
    files[`ppt/notesSlides/notesSlide${number}.xml`] =
      `${XML}<p:notes><p:cSld><p:spTree>${notes}</p:spTree></p:cSld></p:notes>`
  }
  return zip({
    '_rels/.rels': relations(['rId1', 'officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `${XML}<p:presentation ${R}>${size}<p:sldIdLst>${named.join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(...slides.map((_, at) => [`r${at}`, 'slide', file(at)] as const)),
    ...files,
    ...more,
  })
}

export const shape = (text: string, { hidden = false, properties = '<a:rPr lang="en"/>' } = {}): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Box"${hidden ? ' hidden="1"' : ''}/></p:nvSpPr><p:txBody>${text
    .split('\n')
    .map((line) => `<a:p><a:r>${properties}<a:t>${line}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`

/** `body` goes into `office:body`; `styles` are those of the file itself. */
export function odf(body: string, styles = '', common = ''): Uint8Array {
  return zip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'styles.xml': `${XML}<office:document-styles><office:styles>${common}</office:styles></office:document-styles>`,
    'content.xml': `${XML}<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body>${body}</office:body></office:document-content>`,
  })
}

export const calendar = (...lines: readonly string[]): Uint8Array =>
  strToU8(['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n'))
