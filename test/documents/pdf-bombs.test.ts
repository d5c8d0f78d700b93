/** PDF files that eat memory or time: each ends as text or as a failure, and what is hidden stays hidden. */
import { afterAll, expect, test } from 'vitest'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { Failure } from '../../src/core/failure.ts'
import { type PdfOf, pdf, words } from './pdf.ts'

const MB = 1024 * 1024
const MAX_GROWTH = 300 * MB
/** 5 s of a processor that others use as well. */
const MAX_MS = 22_000

const reader = createContentReader({ debug() {}, info() {}, warn() {}, error() {} })
afterAll(() => reader.close())
const { signal } = new AbortController()

async function textOf(file: PdfOf): Promise<string> {
  try {
    return (await reader.pdf(pdf(file), 100_000, signal)).text
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.code
  }
}

const many = (count: number, of: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => of(at)).join('\n')
const SECRET = `1 g ${words('SECRET')}`
const forms = (depth: number): PdfOf['objects'] =>
  Array.from({ length: depth }, (_, at) => ({
    dict: `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 5 0 R >> /XObject << /X ${11 + at} 0 R >> >>`,
    stream: at === depth - 1 ? SECRET : '/X Do '.repeat(10),
  }))
const type3 = (proc: string): Partial<PdfOf> => ({
  resources: 'fonts:/T 10 0 R;',
  objects: [
    {
      dict: '/Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /CharProcs << /a 11 0 R >> /Encoding << /Differences [65 /a] >> /FirstChar 65 /LastChar 65 /Widths [1] /Resources << /Font << /T 10 0 R >> >>',
    },
    { dict: '', stream: proc },
  ],
})

const BOMBS: readonly (readonly [string, () => PdfOf])[] = [
  ['many rectangles', () => ({ content: `${many(50_000, (at) => `${at % 600} ${at % 800} 1 1 re f`)} ${SECRET}` })],
  [
    'many letters under many rectangles',
    () => ({
      content: `${many(5000, () => words('x SECRET x'.repeat(5)))} 1 g ${many(15_000, () => '0 0 600 800 re f')}`,
    }),
  ],
  [
    'a path of many lines, over many letters',
    () => ({
      content: `${many(500, () => `1 g ${words('SECRET')}`)} 0 0 m ${many(50_000, (at) => `${at % 600} ${(at * 7) % 800} l`)} f`,
    }),
  ],
  ['many states', () => ({ content: `${'q '.repeat(100_000)} ${SECRET}` })],
  [
    'many clips',
    () => ({ content: `${many(20_000, (at) => `0 0 m 600 ${at % 3} l 600 800 l 0 800 l h W n`)} ${SECRET}` }),
  ],
  ['forms in forms', () => ({ content: '/X Do', resources: '/XObject << /X 10 0 R >>', objects: forms(7) ?? [] })],
  [
    'letters made of drawings',
    () => ({
      content: `${many(2000, () => words('A'.repeat(50), { font: 'T' }))} ${SECRET}`,
      ...type3(`1 0 d0 ${many(500, () => '0 0 1 1 re f')}`),
    }),
  ],
  [
    'a letter that shows itself',
    () => ({ content: `${words('A', { font: 'T' })} ${SECRET}`, ...type3('1 0 d0 BT /T 1 Tf (AA) Tj ET') }),
  ],
  [
    'a large picture in its content',
    () => ({ content: `${SECRET} q 600 0 0 800 0 0 cm BI /W 30000 /H 30000 /BPC 8 /CS /RGB ID x EI Q` }),
  ],
  [
    'a large picture with odd names',
    () => ({
      content: `${SECRET} /I Do`,
      resources: '/XObject << /I 10 0 R >>',
      objects: [{ dict: '/Sub#74ype /Im#61ge /W 30000 /H 30000 /BPC 8 /CS /DeviceRGB', stream: 'x' }],
    }),
  ],
  ['headers of pictures without end', () => ({ content: '/Image '.repeat(300_000) + SECRET })],
]

test.each(BOMBS)('%s', async (_, make) => {
  const file = make()
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 20)
  const began = performance.now()
  const text = await textOf(file)
  clearInterval(watch)
  expect(text).not.toContain('SECRET')
  expect(performance.now() - began).toBeLessThan(MAX_MS)
  expect(most - before).toBeLessThan(MAX_GROWTH)
  expect(await textOf({ content: words('all is well') })).toBe('all is well')
})
