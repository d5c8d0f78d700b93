/**
 * The text of a PDF, page by page until there is enough.
 *
 * Runs in a worker of its own: neither the time nor the memory that a hostile file takes is bounded here.
 */
import { getDocumentProxy } from 'unpdf'

export interface PdfText {
  readonly text: string
  readonly truncated: boolean
}

const MAX_PAGES = 200

export async function pdfText(bytes: Uint8Array, maxChars: number): Promise<PdfText> {
  const document = await getDocumentProxy(bytes, {
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    enableXfa: false,
    stopAtErrors: false,
    maxImageSize: 0,
  })
  try {
    return await readPages(document, maxChars)
  } finally {
    await document.loadingTask.destroy()
  }
}

async function readPages(document: Awaited<ReturnType<typeof getDocumentProxy>>, maxChars: number): Promise<PdfText> {
  const pages: string[] = []
  let length = 0
  const last = Math.min(document.numPages, MAX_PAGES)
  for (let number = 1; number <= last && length <= maxChars; number++) {
    const page = await document.getPage(number)
    const text = joinItems((await page.getTextContent()).items)
    pages.push(text)
    length += text.length + 2
    page.cleanup()
  }
  return { text: pages.join('\n\n').trim(), truncated: pages.length < document.numPages }
}

/** Items are runs of letters; `hasEOL` ends a line. Marked content has no text. */
function joinItems(items: readonly object[]): string {
  return items
    .map((item) =>
      'str' in item && typeof item.str === 'string'
        ? `${item.str}${'hasEOL' in item && item.hasEOL === true ? '\n' : ''}`
        : '',
    )
    .join('')
    .replace(/[ \t]+$/gm, '')
}
