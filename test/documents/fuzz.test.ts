/** Whatever the bytes, a document ends as text or as a failure; what was hidden in it stays hidden wherever it is cut. */

import fc from 'fast-check'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { Failure } from '../../src/core/failure.ts'
import type { DocumentKind } from '../../src/core/mime/documents.ts'
import type { ContentReader } from '../../src/ports/content-reader.ts'
import { calendar, docx, odf, paragraph, pptx, run, shape, xlsx } from './office.ts'

let reader: ContentReader
beforeAll(() => {
  reader = createContentReader({ debug() {}, info() {}, warn() {}, error() {} })
})
afterAll(() => reader.close())
const { signal } = new AbortController()

const SAMPLES: readonly (readonly [DocumentKind, Uint8Array])[] = [
  ['docx', docx(paragraph(run('seen'), run('SECRET', '<w:vanish/>')), { header: paragraph(run('head')), styles: '' })],
  [
    'xlsx',
    xlsx(
      [{ name: 'S', rows: '<row hidden="1"><c t="s"><v>0</v></c></row><row><c><v>1</v></c></row>' }],
      ['<t>SECRET</t>'],
    ),
  ],
  [
    'pptx',
    pptx([
      { shapes: shape('seen'), notes: shape('note') },
      { shapes: shape('SECRET'), show: '0' },
    ]),
  ],
  [
    'odt',
    odf(
      '<office:text><text:section text:display="none"><text:p>SECRET</text:p></text:section><text:p>seen</text:p></office:text>',
    ),
  ],
  ['ics', calendar('BEGIN:VEVENT', 'SUMMARY;X="a:b":seen', 'DTSTART:20260101', 'END:VEVENT')],
]
const sample = fc.constantFrom(...SAMPLES)

const MAX_CHARS = 1000

async function settles(kind: DocumentKind, bytes: Uint8Array): Promise<string> {
  try {
    const { text } = await reader.document(kind, bytes, MAX_CHARS, signal)
    expect(text.length).toBeLessThanOrEqual(MAX_CHARS)
    return text
  } catch (error) {
    expect(error).toBeInstanceOf(Failure)
    return ''
  }
}

test('random bytes', async () => {
  const kinds = fc.constantFrom<DocumentKind>('pdf', 'docx', 'xlsx', 'pptx', 'odt', 'html', 'ics', 'text')
  await fc.assert(
    fc.asyncProperty(kinds, fc.uint8Array({ maxLength: 2000 }), async (kind, bytes) => {
      await settles(kind, bytes)
    }),
    { numRuns: 100 },
  )
})

test('documents with bytes changed, or cut off', async () => {
  const change = fc.tuple(fc.nat(), fc.nat({ max: 255 }))
  await fc.assert(
    fc.asyncProperty(sample, fc.array(change, { maxLength: 20 }), fc.nat(), async ([kind, original], changes, end) => {
      const bytes = new Uint8Array(original)
      for (const [at, value] of changes) bytes[at % bytes.length] = value
      await settles(kind, bytes)
      await settles(kind, bytes.subarray(0, end % bytes.length))
    }),
    { numRuns: 100 },
  )
})

test('documents whose XML has pieces missing, doubled or put in', async () => {
  const piece = fc.constantFrom(
    '',
    '<',
    '>',
    '"',
    '&#x0;',
    '&amp',
    '<![CDATA[',
    ']]>',
    '<!--',
    '<!X',
    '<?x',
    '</w:p>',
    '\u0000',
  )
  const edit = fc.record({ file: fc.nat(), from: fc.nat(), length: fc.nat({ max: 60 }), piece, double: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(sample, fc.array(edit, { minLength: 1, maxLength: 5 }), async ([kind, original], edits) => {
      if (kind === 'ics') return
      const files = unzipSync(original)
      const names = Object.keys(files)
      for (const { file, from, length, piece: put, double } of edits) {
        const name = names[file % names.length] ?? ''
        const xml = strFromU8(files[name] ?? new Uint8Array())
        const at = from % (xml.length + 1)
        files[name] = strToU8(`${xml.slice(0, at)}${put}${xml.slice(double ? Math.max(0, at - length) : at + length)}`)
      }
      await settles(kind, zipSync(files))
    }),
    { numRuns: 100 },
  )
})

test('what is hidden stays hidden where the text of a file ends early', async () => {
  await fc.assert(
    fc.asyncProperty(sample, fc.nat(), fc.nat(), async ([kind, original], file, end) => {
      if (kind === 'ics') return
      const files = unzipSync(original)
      const names = Object.keys(files)
      const name = names[file % names.length] ?? ''
      const content = files[name] ?? new Uint8Array()
      files[name] = content.subarray(0, end % (content.length + 1))
      expect(await settles(kind, zipSync(files))).not.toContain('SECRET')
    }),
    { numRuns: 100 },
  )
})
