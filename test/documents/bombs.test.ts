/** Office files that eat memory or time: each ends as text or as a failure, and harms nobody else. */
import { afterAll, describe, expect, test } from 'vitest'
import { createContentReader, MAX_DOCUMENT_BYTES } from '../../src/adapters/mime/reader.ts'
import { Failure } from '../../src/core/failure.ts'
import type { DocumentKind } from '../../src/core/mime/documents.ts'
import { ZIP_BOMBS } from '../corpus/zip-bombs.ts'
import { calendar, docx, odf, paragraph, pptx, run, shape, xlsx, zip } from './office.ts'

const MB = 1024 * 1024
const MAX_GROWTH = 300 * MB
const MAX_CHARS = 100_000

const reader = createContentReader({ debug() {}, info() {}, warn() {}, error() {} })
afterAll(() => reader.close())
const patience = new AbortController().signal

async function readOrFail(kind: DocumentKind, bytes: Uint8Array): Promise<string> {
  try {
    const { text } = await reader.document(kind, bytes, MAX_CHARS, patience)
    expect(text.length).toBeLessThanOrEqual(MAX_CHARS)
    return text
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(['unreadable', 'timeout', 'too_large']).toContain(error.code)
    return error.code
  }
}

/** What the test itself holds is not the reader's: the largest growth while a job runs is. */
async function growthDuring(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 20)
  try {
    await work()
  } finally {
    clearInterval(watch)
  }
  return most - before
}

async function ordinary(): Promise<void> {
  const { text } = await reader.document('docx', docx(paragraph(run('all is well'))), 1000, patience)
  expect(text).toBe('all is well')
}

const LAUGHS = `<!DOCTYPE w:document [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, at) => `<!ENTITY a${at} "${`&a${at === 0 ? '' : at - 1};`.repeat(10)}">`).join('')}]>`
const blank = (megabytes: number): string => ' '.repeat(megabytes * MB)
const document = (before: string, body: string): Uint8Array =>
  zip({ 'word/document.xml': `${before}<w:document><w:body>${body}</w:body></w:document>` })

const BOMBS: readonly (readonly [string, DocumentKind, () => Uint8Array, string | RegExp])[] = [
  ['40 MB of letters', 'docx', () => docx(paragraph(run('x'.repeat(40 * MB)))), /^x{100000}$/],
  ['40 MB of blanks', 'docx', () => docx(`${paragraph(run('begun'))}${blank(40)}`), 'begun'],
  ['40 MB of styles', 'docx', () => docx(paragraph(run('text')), { styles: blank(40) }), 'unreadable'],
  [
    'twelve notes of 6 MB',
    'pptx',
    () => pptx(Array.from({ length: 12 }, (_, at) => ({ shapes: shape(`s${at}`), notes: blank(6) }))),
    /^s0\n\ns1\n/,
  ],
  ['a million elements in each other', 'docx', () => docx('<w:a>'.repeat(1_000_000)), 'unreadable'],
  [
    'many attributes',
    'docx',
    () => docx(`<w:p ${Array.from({ length: 200_000 }, (_, at) => `a${at}="1"`).join(' ')}/>`),
    'unreadable',
  ],
  [
    'an attribute of 20 MB',
    'docx',
    () => docx(`<w:p a="${'x'.repeat(20 * MB)}"/>${paragraph(run('after'))}`),
    'unreadable',
  ],
  ['a billion laughs', 'docx', () => document(LAUGHS, paragraph(run('&a19;'))), 'unreadable'],
  [
    'an entity from elsewhere',
    'docx',
    () => document('<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]>', paragraph(run('&e;'))),
    'unreadable',
  ],
  [
    'a declaration from elsewhere',
    'odt',
    () => zip({ 'content.xml': '<!DOCTYPE d SYSTEM "http://127.0.0.1:9/d.dtd"><d/>' }),
    'unreadable',
  ],
  [
    'rows that begin at the last column',
    'xlsx',
    () => xlsx([{ name: 'S', rows: '<row><c r="XFD1"><v>1</v></c></row>'.repeat(200_000) }]),
    /^S\n\t+1\n\t+1/,
  ],
  [
    'many strings',
    'xlsx',
    () =>
      xlsx(
        [{ name: 'S', rows: '<row><c t="s"><v>999999</v></c><c t="s"><v>0</v></c></row>' }],
        Array.from({ length: 300_000 }, () => '<t>ab</t>'),
      ),
    /^S\n\t?ab$/,
  ],
  [
    'all columns hidden, many times',
    'xlsx',
    () =>
      xlsx([{ name: 'S', before: `<cols>${'<col min="1" max="16384" hidden="1"/>'.repeat(20_000)}</cols>`, rows: '' }]),
    'unreadable',
  ],
  [
    'cells repeated a billion times',
    'odt',
    () =>
      odf(
        `<office:spreadsheet><table:table table:name="S"><table:table-row table:number-rows-repeated="1000000000"><table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>`,
      ),
    'S\nx',
  ],
  [
    'a billion blanks',
    'odt',
    () => odf('<office:text><text:p>a<text:s text:c="1000000000"/>b</text:p></office:text>'),
    /^a +b$/,
  ],
  [
    'styles in a circle',
    'odt',
    () =>
      odf(
        '<office:text><text:p text:style-name="A">text</text:p></office:text>',
        '<style:style style:name="A" style:family="paragraph" style:parent-style-name="B"/><style:style style:name="B" style:family="paragraph" style:parent-style-name="A"/>',
      ),
    'text',
  ],
  [
    'a slide named many times',
    'pptx',
    () =>
      zip({
        'ppt/presentation.xml': `<p:presentation>${'<p:sldId r:id="a"/>'.repeat(200_000)}</p:presentation>`,
        'ppt/_rels/presentation.xml.rels':
          '<Relationships><Relationship Id="a" Type="x/slide" Target="s.xml"/></Relationships>',
        'ppt/s.xml': `<p:sld>${shape('once')}</p:sld>`,
      }),
    'once',
  ],
  [
    'a folded line of 20 MB',
    'ics',
    () => calendar('BEGIN:VEVENT', `SUMMARY:x${'\r\n x'.repeat(5 * MB)}`, 'END:VEVENT'),
    /^Summary: x+$/,
  ],
  ['a million components', 'ics', () => calendar('BEGIN:VEVENT\r\n'.repeat(1_000_000)), ''],
  [
    'a hundred thousand parameters',
    'ics',
    () => calendar('BEGIN:VEVENT', `SUMMARY${';A=",:;"'.repeat(100_000)}:end`),
    'Summary: end',
  ],
]

describe('document bombs', () => {
  test.each(BOMBS)('%s (%s)', async (_, kind, make, expected) => {
    const bytes = make()
    const grown = await growthDuring(async () => {
      expect(await readOrFail(kind, bytes)).toEqual(
        typeof expected === 'string' ? expected : expect.stringMatching(expected),
      )
    })
    expect(grown).toBeLessThan(MAX_GROWTH)
    await ordinary()
  })

  test.each(ZIP_BOMBS)('an archive $id', async ({ make }) => {
    const bytes = make()
    for (const kind of ['docx', 'xlsx', 'pptx', 'odt'] as const)
      expect(await readOrFail(kind, bytes)).toMatch(/^unreadable|too_large$/)
    await ordinary()
  })

  test('two files of one name are none', async () => {
    const bytes = Buffer.from(zip({ 'word/document.xml': '<w:document/>', 'word/document.xmX': '<w:document/>' }))
    for (let at = bytes.indexOf('xmX'); at !== -1; at = bytes.indexOf('xmX', at)) bytes.write('xml', at)
    expect(await readOrFail('docx', bytes)).toBe('unreadable')
  })

  test('what is encrypted cannot be read', async () => {
    const bytes = Buffer.from(docx(paragraph(run('text'))))
    for (let at = bytes.indexOf('PK\x01\x02'); at !== -1; at = bytes.indexOf('PK\x01\x02', at + 1)) bytes[at + 8] = 1
    expect(await readOrFail('docx', bytes)).toBe('unreadable')
  })

  test('what is too large is not even tried', async () => {
    expect(await readOrFail('docx', new Uint8Array(MAX_DOCUMENT_BYTES + 1))).toBe('too_large')
  })

  test('a failure quotes nothing of the document', async () => {
    const failure = await reader.document('docx', Buffer.from('SECRET'), 10, patience).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'unreadable', message: 'the document cannot be read' })
  })
})
