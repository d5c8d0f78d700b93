/** Small PDF files, put together for tests. */

export interface PdfOf {
  /** What the page paints. */
  readonly content: string
  /** Further entries of the page, of its resources and of the catalogue. */
  readonly page?: string
  readonly resources?: string
  readonly catalog?: string
  /** Further objects from number 10 on; `stream` holds what they carry. */
  readonly objects?: readonly { readonly dict: string; readonly stream?: string }[]
}

export function pdf({ content, page = '', resources = '', catalog = '', objects = [] }: PdfOf): Uint8Array {
  const box = page.includes('/MediaBox') ? '' : '/MediaBox [0 0 600 800]'
  const all = new Map<number, string>([
    [1, `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`],
    [2, '<< /Type /Pages /Kids [3 0 R] /Count 1 >>'],
    [
      3,
      `<< /Type /Page /Parent 2 0 R ${box} /Contents 4 0 R /Resources << /Font << /F1 5 0 R ${fontsIn(resources)} >> ${withoutFonts(resources)} >> ${page} >>`,
    ],
    [4, streamOf('', content)],
    [5, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'],
  ])
  for (const [at, { dict, stream }] of objects.entries()) {
    all.set(10 + at, stream === undefined ? `<< ${dict} >>` : streamOf(dict, stream))
  }
  let file = '%PDF-1.7\n'
  const offsets = new Map<number, number>()
  for (const [number, object] of all) {
    offsets.set(number, file.length)
    file += `${number} 0 obj\n${object}\nendobj\n`
  }
  const size = Math.max(...all.keys()) + 1
  const table = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number)
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const start = file.length
  file += `xref\n0 ${size}\n${table.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Uint8Array.from(Buffer.from(file, 'latin1'))
}

function streamOf(dict: string, stream: string): string {
  return `<< ${dict} /Length ${stream.length} >>\nstream\n${stream}\nendstream`
}

/** `fonts:/F2 10 0 R;` at the beginning of resources names more fonts. */
function fontsIn(resources: string): string {
  return /^fonts:([^;]*);/.exec(resources)?.[1] ?? ''
}

function withoutFonts(resources: string): string {
  return resources.replace(/^fonts:[^;]*;/, '')
}

/** Text at a place, with operators before it. */
export const words = (text: string, { x = 100, y = 500, size = 12, font = 'F1', before = '' } = {}): string =>
  `BT /${font} ${size} Tf ${before} ${x} ${y} Td (${text}) Tj ET\n`
