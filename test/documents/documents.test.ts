/** What is shown of documents, and what is not. */
import { afterAll, describe, expect, test } from 'vitest'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import type { Readable } from '../../src/core/content.ts'
import type { DocumentKind } from '../../src/core/mime/documents.ts'
import { calendar, docx, odf, paragraph, pptx, run, shape, xlsx, zip } from './office.ts'

const reader = createContentReader({ debug() {}, info() {}, warn() {}, error() {} })
afterAll(() => reader.close())
const patience = new AbortController().signal

const read = (kind: DocumentKind, bytes: Uint8Array, maxChars = 10_000): Promise<Readable> =>
  reader.document(kind, bytes, maxChars, patience)
const hidden = (count: number) => [{ kind: 'hidden_text_removed', count }]

describe('a Word document', () => {
  test('shows headers, paragraphs, tables, notes, footers and comments', async () => {
    const cell = (...paragraphs: readonly string[]): string => `<w:tc>${paragraphs.join('')}</w:tc>`
    const table = `<w:tbl><w:tr>${cell(paragraph(run('a')))}${cell(paragraph(run('b')))}</w:tr><w:tr>${cell(paragraph())}${cell(paragraph(run('d')))}${cell(paragraph())}</w:tr></w:tbl>`
    const bytes = docx(
      `${paragraph(run('Caf\u00e9 &amp; '), run('cr\u00e8me'))}${table}${paragraph('<w:r><w:t>x</w:t><w:tab/><w:t>y</w:t><w:br/><w:t>z</w:t></w:r>')}`,
      {
        comments: `<w:comment>${paragraph(run('a comment'))}</w:comment>`,
        footer: paragraph(run('page foot')),
        footnotes: `<w:footnote>${paragraph(run('a note'))}</w:footnote>`,
        header: paragraph(run('page head')),
      },
    )
    expect(await read('docx', bytes)).toEqual({
      text: 'page head\n\nCaf\u00e9 & cr\u00e8me\na\tb\n\td\nx\ty\nz\n\na note\n\npage foot\n\na comment',
      uncertain: '',
      truncated: false,
      warnings: [],
    })
  })

  test.each([
    ['hidden letters', paragraph(run('SECRET', '<w:vanish/>'))],
    [
      'hidden letters under another prefix',
      '<x:p><x:r><x:rPr><x:vanish x:val="1"/></x:rPr><x:t>SECRET</x:t></x:r></x:p>',
    ],
    ['a deletion', paragraph(`<w:del><w:r><w:delText>SECRET</w:delText></w:r></w:del>`)],
    ['a deletion of plain text', paragraph(`<w:del>${run('SECRET')}</w:del>`)],
    ['text that was moved', paragraph(`<w:moveFrom>${run('SECRET')}</w:moveFrom>`)],
    ['a style for letters', paragraph(run('SECRET', '<w:rStyle w:val="Ghost"/>'))],
    ['a style based on another', paragraph(run('SECRET', '<w:rStyle w:val="Child"/>'))],
    ['a style for a paragraph', `<w:p><w:pPr><w:pStyle w:val="Ghost"/></w:pPr>${run('SECRET')}</w:p>`],
    [
      'a style for a table',
      `<w:tbl><w:tblPr><w:tblStyle w:val="Ghost"/></w:tblPr><w:tr><w:tc>${paragraph(run('SECRET'))}</w:tc></w:tr></w:tbl>`,
    ],
    [
      'a hidden row',
      `<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc>${paragraph(run('SECRET'))}</w:tc></w:tr></w:tbl>`,
    ],
    ['letters of half a point', paragraph(run('SECRET', '<w:sz w:val="1"/>'))],
    [
      'a text box in hidden letters',
      paragraph(
        `<w:r><w:rPr><w:vanish/></w:rPr><w:pict><w:txbxContent>${paragraph(run('SECRET'))}</w:txbxContent></w:pict></w:r>`,
      ),
    ],
  ])('does not show %s', async (_, body) => {
    const styles =
      '<w:style w:type="character" w:styleId="Ghost"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="Child"><w:basedOn w:val="Ghost"/></w:style>'
    const bytes = docx(`${paragraph(run('before'))}${body}${paragraph(run('after'))}`, { styles })
    expect(await read('docx', bytes)).toEqual({
      text: 'before\nafter',
      uncertain: '',
      truncated: false,
      warnings: hidden(1),
    })
  })

  test('shows what only looks hidden', async () => {
    const styles = '<w:style w:type="character" w:styleId="Ghost"><w:rPr><w:vanish/></w:rPr></w:style>'
    const bytes = docx(
      [
        `<w:p><w:pPr><w:rPr><w:vanish/><w:del/></w:rPr></w:pPr>${run('only its mark is hidden')}</w:p>`,
        paragraph(run('said not to be', '<w:vanish w:val="0"/>')),
        paragraph(run('brought back', '<w:rStyle w:val="Ghost"/><w:vanish w:val="false"/>')),
        paragraph(`<w:ins>${run('inserted')}</w:ins>`),
      ].join(''),
      { styles },
    )
    const { text, warnings } = await read('docx', bytes)
    expect(text.split('\n')).toEqual(['only its mark is hidden', 'said not to be', 'brought back', 'inserted'])
    expect(warnings).toEqual([])
  })

  test('shows one of several versions of a text box, and no field codes', async () => {
    const alternatives = `<mc:AlternateContent><mc:Choice Requires="nobody">${paragraph(run('NEVER'))}</mc:Choice><mc:Choice Requires="wps">${paragraph(run('boxed'))}</mc:Choice><mc:Fallback>${paragraph(run('boxed again'))}</mc:Fallback></mc:AlternateContent>`
    const field = '<w:r><w:instrText>HYPERLINK "http://example.org"</w:instrText></w:r>'
    expect(await read('docx', docx(`${alternatives}${paragraph(field, run('a link'))}`))).toMatchObject({
      text: 'boxed\na link',
      warnings: [],
    })
  })

  test('hides all where text is hidden unless it says otherwise', async () => {
    const styles = '<w:docDefaults><w:rPrDefault><w:rPr><w:vanish/></w:rPr></w:rPrDefault></w:docDefaults>'
    const bytes = docx(`${paragraph(run('SECRET'))}${paragraph(run('shown', '<w:vanish w:val="0"/>'))}`, { styles })
    expect((await read('docx', bytes)).text).toBe('shown')
  })

  test('is cut where it is long, and says so', async () => {
    const bytes = docx(Array.from({ length: 5000 }, (_, line) => paragraph(run(`line ${line}`))).join(''))
    const { text, truncated } = await read('docx', bytes, 100)
    expect(truncated).toBe(true)
    expect(text).toMatch(/^line 0\nline 1\n/)
    expect(text.length).toBeLessThanOrEqual(100)
  })

  test('is read in UTF-16 too', async () => {
    const xml = `\ufeff<w:document>${paragraph(run('Gr\u00fc\u00dfe'))}</w:document>`
    expect((await read('docx', zip({ 'word/document.xml': Buffer.from(xml, 'utf16le') }))).text).toBe('Gr\u00fc\u00dfe')
  })
})

describe('an Excel document', () => {
  const text = (at: string, value: string): string => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`

  test('shows its sheets in their order, a line for a row', async () => {
    const bytes = xlsx(
      [
        {
          name: 'Sums',
          rows: `<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" t="s"><v>0</v></c></row><row r="2"><c r="A2"><v>12.5</v></c><c r="C2" t="b"><v>1</v></c></row>`,
        },
        {
          name: 'More',
          rows: `<row r="1"><c r="A1" s="1"><v>45292</v></c><c r="B1" s="2"><v>45292.5</v></c><c r="C1" t="str"><f>A1&amp;B1</f><v>joined</v></c></row>`,
        },
      ],
      ['<t>amount</t>', '<r><t>na</t></r><r><t>me</t></r><rPh><t>how it is said</t></rPh>'],
      {
        numFmts: '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/>',
        cellXfs: '<xf numFmtId="14"/><xf numFmtId="164"/>',
      },
    )
    expect(await read('xlsx', bytes)).toEqual({
      text: 'Sums\nname\tamount\n12.5\t\tTRUE\n\nMore\n2024-01-01\t2024-01-01 12:00:00\tjoined',
      uncertain: '',
      truncated: false,
      warnings: [],
    })
  })

  test('does not show hidden sheets, rows, columns and cells', async () => {
    const bytes = xlsx(
      [
        { name: 'SECRET1', state: 'hidden', rows: `<row>${text('A1', 'SECRET')}</row>` },
        { name: 'SECRET2', state: 'veryHidden', rows: `<row>${text('A1', 'SECRET')}</row>` },
        {
          name: 'Seen',
          before: '<cols><col min="2" max="3" hidden="1"/><col min="5" max="5" width="0"/></cols>',
          rows: [
            `<row r="1">${['A1', 'B1', 'C1', 'D1', 'E1'].map((at) => text(at, at < 'B' || at[0] === 'D' ? at : 'SECRET')).join('')}</row>`,
            `<row r="2" hidden="1">${text('A2', 'SECRET')}</row>`,
            `<row r="3" ht="0" customHeight="1">${text('A3', 'SECRET')}</row>`,
            `<row r="4"><c r="A4" s="1" t="inlineStr"><is><t>SECRET</t></is></c>${text('D4', 'end')}</row>`,
          ].join(''),
        },
      ],
      [],
      { numFmts: '<numFmt numFmtId="165" formatCode=";;;"/>', cellXfs: '<xf numFmtId="165"/>' },
    )
    const { text: shown, warnings } = await read('xlsx', bytes)
    expect(shown).toBe('Seen\nA1\tD1\n\tend')
    expect(warnings).toMatchObject([{ kind: 'hidden_text_removed' }])
  })
})

describe('a PowerPoint document', () => {
  test('shows its slides in their order, with their notes', async () => {
    const bytes = pptx([
      {
        shapes: shape('First\nof two'),
        notes: `${shape('say this')}<p:sp><a:p><a:fld type="slidenum"><a:t>1</a:t></a:fld></a:p></p:sp>`,
      },
      { shapes: shape('Second') },
    ])
    expect(await read('pptx', bytes)).toEqual({
      text: 'First\nof two\n\nsay this\n\nSecond',
      uncertain: '',
      truncated: false,
      warnings: [],
    })
  })

  test('does not show hidden slides, their notes, and hidden shapes', async () => {
    const bytes = pptx([
      { shapes: shape('SECRET'), show: '0', notes: shape('SECRET') },
      {
        shapes: [
          shape('SECRET', { hidden: true }),
          `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="9" name="g" hidden="true"/></p:nvGrpSpPr>${shape('SECRET')}</p:grpSp>`,
          shape('SECRET', { properties: '<a:rPr sz="100"/>' }),
          shape('SECRET', { properties: '<a:rPr><a:noFill/></a:rPr>' }),
          shape('seen', { properties: '<a:rPr sz="1800"><a:ln><a:noFill/></a:ln></a:rPr>' }),
        ].join(''),
      },
    ])
    const { text, warnings } = await read('pptx', bytes)
    expect(text).toBe('seen')
    expect(warnings).toMatchObject([{ kind: 'hidden_text_removed' }])
  })
})

describe('an OpenDocument file', () => {
  const p = (text: string, more = ''): string => `<text:p${more}>${text}</text:p>`

  test('shows a text', async () => {
    const note = `<text:note><text:note-citation>1</text:note-citation><text:note-body> ${p('noted')} </text:note-body></text:note>`
    const body = `<office:text><text:h>Title</text:h>${p('one<text:s text:c="2"/>two<text:tab/>three<text:line-break/>four')}${p(`with a <text:span>span</text:span>${note}`)}</office:text>`
    expect(await read('odt', odf(body))).toMatchObject({
      text: 'Title\none  two\tthree\nfour\nwith a span1\nnoted',
      warnings: [],
    })
  })

  test.each([
    ['a hidden section', `<text:section text:display="none">${p('SECRET')}</text:section>`],
    ['a section under a condition', `<text:section text:display="condition">${p('SECRET')}</text:section>`],
    ['a span of a hidden style', p('<text:span text:style-name="T1">SECRET</text:span>')],
    ['a paragraph of a hidden style', p('SECRET', ' text:style-name="P1"')],
    ['a paragraph of a style based on one', p('SECRET', ' text:style-name="P2"')],
    ['a paragraph that is told to hide', p('SECRET<text:hidden-paragraph text:is-hidden="true"/> SECRET')],
    ['hidden text', p('<text:hidden-text text:is-hidden="true" text:string-value="SECRET">SECRET</text:hidden-text>')],
    [
      'deleted text',
      `<text:tracked-changes><text:changed-region><text:deletion>${p('SECRET')}</text:deletion></text:changed-region></text:tracked-changes>`,
    ],
  ])('does not show %s', async (_, body) => {
    const styles =
      '<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style><style:style style:name="P2" style:family="paragraph" style:parent-style-name="P1"/>'
    const common =
      '<style:style style:name="P1" style:family="paragraph"><style:text-properties text:display="none"/></style:style>'
    const bytes = odf(`<office:text>${p('before')}${body}${p('after')}</office:text>`, styles, common)
    expect(await read('odt', bytes)).toEqual({
      text: 'before\nafter',
      uncertain: '',
      truncated: false,
      warnings: hidden(1),
    })
  })

  test('never shows a hidden paragraph, however long it is', async () => {
    const body = `<office:text>${p(`${'SECRET '.repeat(20_000)}<text:hidden-paragraph text:is-hidden="true"/>`)}${p('after')}</office:text>`
    expect((await read('odt', odf(body), 1000)).text).not.toContain('SECRET')
  })

  test('takes back what it wrote of a hidden paragraph of many pieces, and nothing else', async () => {
    const pieces = '<text:span>SECRET</text:span>'.repeat(2500)
    const lines = Array.from({ length: 1500 }, (_, line) => p(`line ${line}`)).join('')
    const body = `<office:text>${lines}${p(`${pieces}<text:hidden-paragraph text:is-hidden="true"/>`)}${p('after')}</office:text>`
    const { text, warnings } = await read('odt', odf(body), 100_000)
    expect(text).toBe(`${Array.from({ length: 1500 }, (_, line) => `line ${line}`).join('\n')}\nafter`)
    expect(warnings).toEqual(hidden(1))
  })

  test('shows the visible cells of sheets', async () => {
    const cell = (text: string, more = ''): string =>
      `<table:table-cell${more}>${text === '' ? '' : p(text)}</table:table-cell>`
    const row = (cells: string, more = ''): string => `<table:table-row${more}>${cells}</table:table-row>`
    const body = `<office:spreadsheet><table:table table:name="Seen"><table:table-column/><table:table-column table:visibility="collapse"/><table:table-column table:number-columns-repeated="1000000000"/>${row(cell('a') + cell('SECRET') + cell('c'))}${row(cell('') + cell('') + cell('f') + cell('', ' table:number-columns-repeated="1000000000"'))}${row(cell('SECRET'), ' table:visibility="collapse"')}${row(cell('SECRET'), ' table:visibility="filter"')}</table:table><table:table table:name="SECRET" table:style-name="ta1">${row(cell('SECRET'))}</table:table></office:spreadsheet>`
    const styles =
      '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="false"/></style:style>'
    expect((await read('odt', odf(body, styles))).text).toBe('Seen\na\tc\n\tf')
  })

  test('shows slides that are not hidden', async () => {
    const page = (text: string, more = ''): string =>
      `<draw:page${more}><draw:frame><draw:text-box>${p(text)}</draw:text-box><svg:desc>not seen</svg:desc></draw:frame></draw:page>`
    const styles =
      '<style:style style:name="dp1" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    const body = `<office:presentation>${page('one')}${page('SECRET', ' draw:style-name="dp1"')}${page('three')}</office:presentation>`
    expect(await read('odt', odf(body, styles))).toMatchObject({ text: 'one\n\nthree', warnings: hidden(1) })
  })
})

describe('a calendar', () => {
  test('shows what, when, where and who', async () => {
    const bytes = calendar(
      'METHOD:REQUEST',
      'BEGIN:VTIMEZONE',
      'TZID:Europe/Berlin',
      'BEGIN:STANDARD',
      'DTSTART:19701025T030000',
      'END:STANDARD',
      'END:VTIMEZONE',
      'BEGIN:VEVENT',
      'UID:1@example.org',
      'SUMMARY:Lunch\\, at',
      '  noon',
      'DTSTART;TZID=Europe/Berlin:20260301T120000',
      'DTEND:20260301T123030Z',
      'LOCATION:Room 1\\; upstairs',
      'ORGANIZER;CN="Ada: L":mailto:ada@example.org',
      'ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;CN=Bob:MAILTO:bob@example.org',
      'ATTENDEE:mailto:eve@example.org',
      'DESCRIPTION:Bring:\\n- bread\\n- a back\\\\slash',
      'X-ALT-DESC:not this',
      'BEGIN:VALARM',
      'DESCRIPTION:nor this',
      'END:VALARM',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'DTSTART;VALUE=DATE:20260302',
      'END:VEVENT',
    )
    expect(await read('ics', bytes)).toEqual({
      text: [
        'Method: REQUEST',
        '',
        'Summary: Lunch, at noon',
        'Start: 2026-03-01 12:00 Europe/Berlin',
        'End: 2026-03-01 12:30:30 UTC',
        'Location: Room 1; upstairs',
        'Organizer: Ada: L <ada@example.org>',
        'Attendee: Bob <bob@example.org>, needs-action',
        'Attendee: eve@example.org',
        'Description: Bring:\n- bread\n- a back\\slash',
        '',
        'Start: 2026-03-02',
      ].join('\n'),
      uncertain: '',
      truncated: false,
      warnings: [],
    })
  })
})

test('a page and a text are read as bodies are', async () => {
  expect(await read('html', Buffer.from('<p>se\u00e9n</p><p hidden>SECRET</p>'))).toMatchObject({
    text: 'se\u00e9n',
    warnings: hidden(1),
  })
  expect((await read('text', Buffer.from('a,b\r\nc\u200b,d'))).text).toBe('a,b\nc,d')
})

test('invisible characters go from documents too', async () => {
  expect(await read('docx', docx(paragraph(run('a\u202eb\u200bc'))))).toMatchObject({ text: 'abc' })
})
