/**
 * The text of a PDF, page by page until there is enough, judged by what its pages paint.
 *
 * Runs in a worker of its own: neither the time nor the memory that a hostile file takes is bounded here.
 */
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf'
import type { Readable } from '../../core/content.ts'
import { hexColour, type Sight } from './documents/ink.ts'
import { Paper } from './documents/paper.ts'
import { type Args, isObject, matrixOf, type Operators, type PdfContext, PdfPage } from './documents/pdf-page.ts'
import { Eye } from './documents/pdf-sight.ts'

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>
type Page = Awaited<ReturnType<PdfDocument['getPage']>>

const MAX_PAGES = 200
/** In pixels. Pictures have been made smaller than this: see `withoutPictures`. */
const MAX_PICTURE = 65_536
const WARNINGS = 1
/** pdf.js says only as a warning that it left something out. What that lies over, or behind, cannot be told then. */
const LEFT_OUT = /image exceeded|image dimensions|inline image|ignoring XObject/i
const MOST_WARNINGS = 1000
const LONGEST_WARNING = 100

export async function readPdf(bytes: Uint8Array, maxChars: number): Promise<Readable> {
  const { warn } = console
  const warnings: string[] = []
  console.warn = (message) => {
    if (warnings.length < MOST_WARNINGS) warnings.push(String(message).slice(0, LONGEST_WARNING))
  }
  try {
    return await readDocument(bytes, new Paper(maxChars), warnings)
  } finally {
    console.warn = warn
  }
}

async function readDocument(bytes: Uint8Array, paper: Paper, warnings: string[]): Promise<Readable> {
  const document = await getDocumentProxy(withoutPictures(bytes), {
    verbosity: WARNINGS,
    disableFontFace: true,
    fontExtraProperties: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    enableXfa: false,
    stopAtErrors: false,
    maxImageSize: MAX_PICTURE,
  })
  try {
    return await readPages(document, paper, warnings)
  } finally {
    await document.loadingTask.destroy()
  }
}

async function readPages(document: PdfDocument, paper: Paper, warnings: string[]): Promise<Readable> {
  const eye = new Eye(paper)
  const layer = await layersOf(document)
  const names = await operatorNames()
  const last = Math.min(document.numPages, MAX_PAGES)
  let number = 1
  for (; number <= last && !paper.full; number++) {
    const page = await document.getPage(number)
    warnings.length = 0
    const pdfPage = new PdfPage(boxOf(page), { names, layer, ...fontsOf(page) })
    await performAll(page, (operators) => perform(pdfPage, operators))
    pdfPage.doubtful ||= warnings.some((warning) => LEFT_OUT.test(warning))
    paper.gap()
    eye.read(pdfPage)
    page.cleanup()
  }
  if (number <= document.numPages) paper.shorten()
  return paper.readable()
}

/**
 * pdf.js hands over operators in chunks, and keeps them until all are there: those of a drawing do not fit. Each chunk is taken when the next
 * one comes, since its fonts are there by then. Where pdf.js has no such place, all come at the end.
 */
async function performAll(page: Page, take: (operators: Operators) => void): Promise<void> {
  const keep: unknown = Reflect.get(page, '_renderPageChunk')
  let held: Operators | undefined
  if (typeof keep === 'function') {
    const tap = (chunk: Operators, state: unknown): void => {
      if (held !== undefined) take(held)
      held = { fnArray: chunk.fnArray, argsArray: chunk.argsArray }
      Reflect.apply(keep, page, [{ ...chunk, length: 0 }, state])
    }
    Object.defineProperty(page, '_renderPageChunk', { value: tap })
  }
  const rest = await page.getOperatorList()
  if (held !== undefined) take(held)
  take(rest)
}

function boxOf({ view }: Page): [number, number, number, number] {
  const [left = 0, bottom = 0, right = 0, top = 0] = view
  return [left, bottom, right, top]
}

async function operatorNames(): Promise<(string | undefined)[]> {
  const names: (string | undefined)[] = []
  for (const [name, number] of Object.entries((await getResolvedPDFJS()).OPS)) names[Number(number)] = name
  return names
}

function fontsOf({ commonObjs }: Page): Pick<PdfContext, 'font' | 'isBlank'> {
  const object = (id: string): object | undefined => {
    const found: unknown = commonObjs.has(id) ? commonObjs.get(id) : undefined
    return isObject(found) ? found : undefined
  }
  const blank = cache((font: string) =>
    cache((character: string) => {
      const outline = object(`${font}_path_${character}`)
      return (
        outline !== undefined && 'path' in outline && outline.path instanceof Float32Array && outline.path.length === 0
      )
    }),
  )
  return { font: cache(object), isBlank: (font, character) => blank(font)(character) }
}

function cache<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}

/** Layers are as a program shows them that has just opened the file. */
async function layersOf(document: PdfDocument): Promise<(group: unknown) => Sight> {
  const config = await document.getOptionalContentConfig()
  return (group) => {
    if (!isObject(group) || !('type' in group)) return 'uncertain'
    if (!config.isVisible(group)) return 'hidden'
    return 'expression' in group && group.expression ? 'uncertain' : 'visible'
  }
}

const bytewise = new TextDecoder('latin1')
/** Longer ones are left as they are. */
const HEADER = 2000

/**
 * The headers of pictures say that they have one pixel of no depth: they keep their place on the page, and nothing is decoded.
 * The bytes are changed in place.
 */
function withoutPictures(bytes: Uint8Array): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = buffer.indexOf('/Image'); at !== -1; at = buffer.indexOf('/Image', at + 6)) {
    const from = Math.max(0, at - HEADER) + buffer.subarray(Math.max(0, at - HEADER), at).lastIndexOf(' obj')
    const to = at + buffer.subarray(at, at + HEADER).indexOf('stream')
    if (to < at) continue
    const header = bytewise.decode(bytes.subarray(from, to))
    if (!/\/Subtype\s*\/Image\b/.test(header)) continue
    const changed = header
      .replace(
        /(\/(?:Width|Height)\s+)(\d+)(?!\d|\s+\d+\s+R)/g,
        (_, key, digits) => `${key}1${' '.repeat(digits.length - 1)}`,
      )
      .replaceAll('/BitsPerComponent', '/BitsPerComponenX')
    buffer.write(changed, from, 'latin1')
  }
  return bytes
}

/** What each operator of pdf.js does to a page. One that is not known makes the page doubtful. */
function perform(page: PdfPage, { fnArray, argsArray }: Operators): void {
  for (const [at, number] of fnArray.entries()) {
    if (!page.step()) return
    const name = page.nameOf(number)
    const args = argsArray[at]
    const operator = OPERATORS[name]
    if (operator !== undefined) operator(page, Array.isArray(args) ? args : [])
    else if (!WITHOUT_INK.has(name)) page.doubtful = true
  }
}

type Operator = (page: PdfPage, args: Args) => void

const image: Operator = (page) => page.picture()
/** Many pictures at once: where they are is not computed. */
const images: Operator = (page) => page.shade()

const OPERATORS: Readonly<Record<string, Operator>> = {
  save: (page) => page.save(),
  restore: (page) => page.restore(),
  transform: (page, args) => page.transform(args),
  setLineWidth: ({ state }, [width]) => (state.lineWidth = Number(width)),
  setGState: (page, [settings]) => page.setGraphics(settings),
  clip: (page) => page.clipNext('clip'),
  eoClip: (page) => page.clipNext('eoClip'),
  constructPath: (page, [operator, data]) => page.path([operator, Array.isArray(data) ? data : []]),
  setFillRGBColor: ({ state }, [colour]) => (state.fill = hexColour(String(colour))),
  setStrokeRGBColor: ({ state }, [colour]) => (state.stroke = hexColour(String(colour))),
  setFillColorN: ({ state }) => (state.fill = undefined),
  setStrokeColorN: ({ state }) => (state.stroke = undefined),
  setFillTransparent: ({ state }) => (state.fill = undefined),
  setStrokeTransparent: ({ state }) => (state.stroke = undefined),
  shadingFill: (page) => page.shade(),
  beginText: (page) => page.beginText(),
  endText: (page) => page.endText(),
  setCharSpacing: ({ state }, [space]) => (state.charSpace = Number(space)),
  setWordSpacing: ({ state }, [space]) => (state.wordSpace = Number(space)),
  setHScale: ({ state }, [scale]) => (state.stretch = Number(scale) / 100),
  setLeading: ({ state }, [leading]) => (state.leading = Number(leading)),
  setFont: (page, args) => page.setFont(args),
  setTextRenderingMode: ({ state }, [mode]) => (state.mode = Number(mode)),
  setTextRise: ({ state }, [rise]) => (state.rise = Number(rise)),
  moveText: (page, [x, y]) => page.moveText(Number(x), Number(y)),
  setLeadingMoveText(page, [x, y]) {
    page.state.leading = -Number(y)
    page.moveText(Number(x), Number(y))
  },
  setTextMatrix: (page, [matrix]) => page.setText(matrixOf(matrix)),
  nextLine: (page) => page.moveText(0, -page.state.leading),
  showText: (page, [glyphs]) => page.show(glyphs),
  paintFormXObjectBegin(page, [matrix, box]) {
    page.save()
    page.transform(matrix)
    if (isObject(box)) page.clipTo(box)
  },
  paintFormXObjectEnd: (page) => page.restore(),
  beginGroup: (page, [about]) => page.beginGroup(about),
  endGroup: (page) => page.restore(),
  beginAnnotation: (page, args) => page.beginAnnotation(args),
  beginMarkedContent: (page, args) => page.openLayer(args),
  beginMarkedContentProps: (page, args) => page.openLayer(args),
  endMarkedContent: (page) => page.closeLayer(),
  paintImageXObject: image,
  paintInlineImageXObject: image,
  paintImageMaskXObject: image,
  paintSolidColorImageMask: image,
  paintImageXObjectRepeat: images,
  paintImageMaskXObjectRepeat: images,
  paintImageMaskXObjectGroup: images,
  paintInlineImageXObjectGroup: images,
}

/** These change nothing that counts here. */
const WITHOUT_INK = new Set(
  'dependency setLineCap setLineJoin setMiterLimit setDash setRenderingIntent setFlatness setCharWidth setCharWidthAndBounds endAnnotation markPoint markPointProps beginCompat endCompat endPath setFillColorSpace setStrokeColorSpace'.split(
    ' ',
  ),
)
