/** What a person sees of office files: hidden text is never in their text, and what is seen always is. */
import { afterAll, describe, expect, test } from 'vitest'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import type { Readable } from '../../src/core/content.ts'
import type { DocumentKind } from '../../src/core/mime/documents.ts'
import { docx, odf, paragraph, pptx, relations, run, xlsx } from './office.ts'

const reader = createContentReader({ debug() {}, info() {}, warn() {}, error() {} })
afterAll(() => reader.close())
const { signal } = new AbortController()
const read = (kind: DocumentKind, bytes: Uint8Array): Promise<Readable> => reader.document(kind, bytes, 10_000, signal)

type Sight = 'hidden' | 'uncertain' | 'visible'
type Case = readonly [sight: Sight, what: string, bytes: () => Uint8Array]

// Word
const inWord = (body: string, styles?: string) => (): Uint8Array =>
  docx(`${paragraph(run('Before'))}${body}${paragraph(run('After'))}`, styles === undefined ? {} : { styles })
const letters = (properties: string): string => paragraph(run('SECRET', properties))
const colour = (value: string): string => `<w:color w:val="${value}"/>`
const shade = (fill: string): string => `<w:shd w:val="clear" w:fill="${fill}"/>`
const block = (properties: string, text = run('SECRET')): string => `<w:p><w:pPr>${properties}</w:pPr>${text}</w:p>`
const table = (cell: string, text = paragraph(run('SECRET')), row = '', all = ''): string =>
  `<w:tbl>${all}<w:tr>${row}<w:tc><w:tcPr>${cell}</w:tcPr>${text}</w:tc></w:tr></w:tbl>`
const style = (id: string, properties: string, type = 'paragraph', more = ''): string =>
  `<w:style w:type="${type}" w:styleId="${id}"${more}>${properties}</w:style>`
const THEME = `<a:theme><a:themeElements><a:clrScheme><a:dk1><a:sysClr val="windowText" lastClr="000000"/></a:dk1><a:lt1><a:sysClr val="window" lastClr="FFFFFF"/></a:lt1><a:accent1><a:srgbClr val="4472C4"/></a:accent1></a:clrScheme></a:themeElements></a:theme>`
const withTheme =
  (body: string, settings = '') =>
  (): Uint8Array =>
    docx(
      `${paragraph(run('Before'))}${body}${paragraph(run('After'))}`,
      {},
      {
        'word/_rels/document.xml.rels': relations(
          ['t', 'theme', 'theme/theme1.xml'],
          ['s', 'settings', 'settings.xml'],
        ),
        'word/theme/theme1.xml': THEME,
        'word/settings.xml': `<w:settings>${settings}</w:settings>`,
      },
    )
const floating = (anchor: string, inside: string): string =>
  paragraph(`<w:r><w:drawing><wp:anchor ${anchor}>${inside}</wp:anchor></w:drawing></w:r>`, run('SECRET'))

const WORD: readonly Case[] = [
  ['hidden', 'white letters', inWord(letters(colour('FFFFFF')))],
  ['hidden', 'nearly white letters', inWord(letters(colour('F4F4F4')))],
  ['uncertain', 'light letters', inWord(letters(colour('DDDDDD')))],
  ['visible', 'grey letters', inWord(letters(colour('808080')))],
  ['visible', 'red letters', inWord(letters(colour('FF0000')))],
  ['visible', 'letters of automatic colour', inWord(letters(colour('auto')))],
  ['hidden', 'letters of one point', inWord(letters('<w:sz w:val="2"/>'))],
  ['hidden', 'letters of a point and a half', inWord(letters('<w:sz w:val="3"/>'))],
  ['uncertain', 'letters of three points', inWord(letters('<w:sz w:val="6"/>'))],
  ['visible', 'small print', inWord(letters('<w:sz w:val="10"/>'))],
  ['hidden', 'black letters on black', inWord(letters(`${colour('000000')}${shade('000000')}`))],
  [
    'hidden',
    'yellow letters highlighted in yellow',
    inWord(letters(`${colour('FFFF00')}<w:highlight w:val="yellow"/>`)),
  ],
  ['visible', 'white letters highlighted in blue', inWord(letters(`${colour('FFFFFF')}<w:highlight w:val="blue"/>`))],
  ['visible', 'white letters in a dark paragraph', inWord(block(shade('203864'), run('SECRET', colour('FFFFFF'))))],
  ['visible', 'white letters in a dark cell', inWord(table(shade('203864'), letters(colour('FFFFFF'))))],
  ['hidden', 'dark letters in a dark cell', inWord(table(shade('203864'), letters(colour('203864'))))],
  ['uncertain', 'letters on a pattern', inWord(letters(`${colour('FFFFFF')}<w:shd w:val="pct50" w:fill="000000"/>`))],
  [
    'hidden',
    'white by a style',
    inWord(letters('<w:rStyle w:val="S"/>'), style('S', `<w:rPr>${colour('FFFFFF')}</w:rPr>`, 'character')),
  ],
  [
    'hidden',
    'white by a style of a style',
    inWord(
      block('<w:pStyle w:val="T"/>'),
      style('S', `<w:rPr>${colour('FFFFFF')}</w:rPr>`) + style('T', '<w:basedOn w:val="S"/>'),
    ),
  ],
  [
    'hidden',
    'white in all of the document',
    inWord(
      letters(''),
      `<w:docDefaults><w:rPrDefault><w:rPr>${colour('FFFFFF')}</w:rPr></w:rPrDefault></w:docDefaults>`,
    ),
  ],
  [
    'hidden',
    'white by the usual style',
    inWord(letters(''), style('N', `<w:rPr>${colour('FFFFFF')}</w:rPr>`, 'paragraph', ' w:default="1"')),
  ],
  [
    'visible',
    'black where the usual style is white',
    inWord(
      paragraph(run('SECRET', colour('000000'))),
      style('N', `<w:rPr>${colour('FFFFFF')}</w:rPr>`, 'paragraph', ' w:default="1"'),
    ),
  ],
  [
    'hidden',
    'one point by a style',
    inWord(block('<w:pStyle w:val="S"/>'), style('S', '<w:rPr><w:sz w:val="2"/></w:rPr>')),
  ],
  [
    'hidden',
    'white by a style for tables',
    inWord(
      table('', undefined, '', '<w:tblPr><w:tblStyle w:val="S"/></w:tblPr>'),
      style('S', `<w:rPr>${colour('FFFFFF')}</w:rPr>`, 'table'),
    ),
  ],
  [
    'uncertain',
    'white in the first row of a style for tables',
    inWord(
      table('', undefined, '', '<w:tblPr><w:tblStyle w:val="S"/></w:tblPr>'),
      style('S', `<w:tblStylePr w:type="firstRow"><w:rPr>${colour('FFFFFF')}</w:rPr></w:tblStylePr>`, 'table'),
    ),
  ],
  [
    'visible',
    'a table with a dark first row',
    inWord(
      table('', undefined, '', '<w:tblPr><w:tblStyle w:val="S"/></w:tblPr>'),
      style(
        'S',
        `<w:tblStylePr w:type="firstRow"><w:rPr>${colour('FFFFFF')}</w:rPr><w:tcPr>${shade('203864')}</w:tcPr></w:tblStylePr>`,
        'table',
      ),
    ),
  ],
  [
    'uncertain',
    'dark letters in a table with a dark first row',
    inWord(
      table('', letters(colour('203864')), '', '<w:tblPr><w:tblStyle w:val="S"/></w:tblPr>'),
      style('S', `<w:tblStylePr w:type="firstRow"><w:tcPr>${shade('203864')}</w:tcPr></w:tblStylePr>`, 'table'),
    ),
  ],
  ['hidden', 'white by the theme', withTheme(letters('<w:color w:val="000000" w:themeColor="background1"/>'))],
  ['visible', 'blue by the theme', withTheme(letters('<w:color w:val="4472C4" w:themeColor="accent1"/>'))],
  [
    'hidden',
    'white by a theme whose names are swapped',
    withTheme(
      letters('<w:color w:val="000000" w:themeColor="text1"/>'),
      '<w:clrSchemeMapping w:bg1="dark1" w:t1="light1"/>',
    ),
  ],
  [
    'uncertain',
    'a colour that the theme lacks',
    withTheme(letters('<w:color w:val="000000" w:themeColor="accent6"/>')),
  ],
  [
    'hidden',
    'a row without height',
    inWord(table('', undefined, '<w:trPr><w:trHeight w:val="1" w:hRule="exact"/></w:trPr>')),
  ],
  [
    'uncertain',
    'a low row',
    inWord(table('', undefined, '<w:trPr><w:trHeight w:val="100" w:hRule="exact"/></w:trPr>')),
  ],
  [
    'visible',
    'a row of at least some height',
    inWord(table('', undefined, '<w:trPr><w:trHeight w:val="1"/></w:trPr>')),
  ],
  ['uncertain', 'a thin cell', inWord(table('<w:tcW w:w="10" w:type="dxa"/>'))],
  ['uncertain', 'lines without height', inWord(block('<w:spacing w:line="10" w:lineRule="exact"/>'))],
  ['uncertain', 'an indent off the page', inWord(block('<w:ind w:left="30000"/>'))],
  ['uncertain', 'a negative indent', inWord(block('<w:ind w:left="-8000"/>'))],
  ['uncertain', 'squeezed letters', inWord(letters('<w:w w:val="1"/>'))],
  ['uncertain', 'letters over each other', inWord(letters('<w:spacing w:val="-400"/>'))],
  ['uncertain', 'raised letters', inWord(letters('<w:position w:val="2000"/>'))],
  ['uncertain', 'letters with an own fill', inWord(letters('<w14:textFill><w14:noFill/></w14:textFill>'))],
  ['uncertain', 'a frame', inWord(block('<w:framePr w:w="10" w:h="10" w:hRule="exact"/>'))],
  ['visible', 'a drop cap', inWord(block('<w:framePr w:dropCap="drop"/>'))],
  [
    'uncertain',
    'beside a picture that lies over the text',
    inWord(floating('behindDoc="0"', '<wp:extent cx="900000" cy="900000"/><wp:wrapNone/>')),
  ],
  [
    'visible',
    'beside a picture that text flows around',
    inWord(floating('behindDoc="0"', '<wp:extent cx="900000" cy="900000"/><wp:wrapSquare/>')),
  ],
  [
    'visible',
    'over a picture behind the text',
    inWord(floating('behindDoc="1"', '<wp:extent cx="900000" cy="900000"/><wp:wrapNone/>')),
  ],
  [
    'hidden',
    'a text box without size',
    inWord(
      paragraph(
        `<w:r><w:drawing><wp:anchor><wp:extent cx="0" cy="0"/><wps:txbx><w:txbxContent>${letters('')}</w:txbxContent></wps:txbx></wp:anchor></w:drawing></w:r>`,
      ),
    ),
  ],
  [
    'uncertain',
    'a text box that floats',
    inWord(
      paragraph(
        `<w:r><w:drawing><wp:anchor behindDoc="1"><wp:extent cx="900000" cy="900000"/><wps:txbx><w:txbxContent>${letters('')}</w:txbxContent></wps:txbx></wp:anchor></w:drawing></w:r>`,
      ),
    ),
  ],
]

// Excel
const cell = (more = '', text = 'SECRET', at = 'A2'): string =>
  `<c r="${at}"${more} t="inlineStr"><is><t>${text}</t></is></c>`
const rows = (secret: string, more = ''): string =>
  `<row r="1">${cell('', 'Before', 'A1')}</row><row r="2"${more}>${secret}</row><row r="3">${cell('', 'After', 'A3')}</row>`
const inExcel =
  (
    secret: string,
    parts: Parameters<typeof xlsx>[2] = {},
    sheet: { before?: string; after?: string; row?: string } = {},
    more = {},
  ) =>
  (): Uint8Array =>
    xlsx(
      [{ name: 'Sheet', before: sheet.before ?? '', after: sheet.after ?? '', rows: rows(secret, sheet.row) }],
      ['<t>Shared</t>', `<r><rPr><color rgb="FFFFFFFF"/></rPr><t>SECRET</t></r>`],
      parts,
      more,
    )
const formatted = (font: string, fill = '', numFmt = ''): Parameters<typeof xlsx>[2] => ({
  fonts: `<font>${font}</font>`,
  fills: `<fill>${fill}</fill>`,
  numFmts: numFmt === '' ? '' : `<numFmt numFmtId="170" formatCode="${numFmt}"/>`,
  cellXfs: `<xf numFmtId="${numFmt === '' ? 0 : 170}" fontId="1" fillId="2"/>`,
})
const solid = (rgb: string): string => `<patternFill patternType="solid"><fgColor rgb="${rgb}"/></patternFill>`
const DRAWING = {
  'xl/worksheets/_rels/sheet1.xml.rels': relations(['d', 'drawing', '../drawings/drawing1.xml']),
  'xl/drawings/drawing1.xml':
    '<xdr:wsDr><xdr:twoCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>1</xdr:row></xdr:from><xdr:to><xdr:col>3</xdr:col><xdr:row>1</xdr:row></xdr:to><xdr:pic/></xdr:twoCellAnchor></xdr:wsDr>',
}
const BOX = {
  ...DRAWING,
  'xl/drawings/drawing1.xml': DRAWING['xl/drawings/drawing1.xml'].replace(
    '<xdr:pic/>',
    '<xdr:sp><xdr:txBody><a:p><a:r><a:t>SECRET</a:t></a:r></a:p></xdr:txBody></xdr:sp>',
  ),
}

const EXCEL: readonly Case[] = [
  ['hidden', 'white letters', inExcel(cell(' s="1"'), formatted('<color rgb="FFFFFFFF"/>'))],
  ['hidden', 'white by the theme', inExcel(cell(' s="1"'), formatted('<color theme="0"/>'))],
  ['hidden', 'white by the palette', inExcel(cell(' s="1"'), formatted('<color indexed="9"/>'))],
  ['hidden', 'nearly white by a tint', inExcel(cell(' s="1"'), formatted('<color theme="1" tint="0.95"/>'))],
  ['visible', 'black by the theme', inExcel(cell(' s="1"'), formatted('<color theme="1"/>'))],
  ['visible', 'white on blue', inExcel(cell(' s="1"'), formatted('<color rgb="FFFFFFFF"/>', solid('FF203864')))],
  ['hidden', 'blue on blue', inExcel(cell(' s="1"'), formatted('<color rgb="FF203864"/>', solid('FF203864')))],
  ['hidden', 'black on black', inExcel(cell(' s="1"'), formatted('', solid('FF000000')))],
  ['uncertain', 'on a pattern', inExcel(cell(' s="1"'), formatted('', '<patternFill patternType="gray125"/>'))],
  ['uncertain', 'on a gradient', inExcel(cell(' s="1"'), formatted('', '<gradientFill/>'))],
  ['hidden', 'letters of one point', inExcel(cell(' s="1"'), formatted('<sz val="1"/>'))],
  ['uncertain', 'letters of three points', inExcel(cell(' s="1"'), formatted('<sz val="3"/>'))],
  ['hidden', 'a format that shows nothing', inExcel(cell(' s="1"'), formatted('', '', ';;;'))],
  [
    'hidden',
    'a format of empty quotes',
    inExcel(cell(' s="1"'), formatted('', '', '&quot;&quot;;&quot;&quot;;&quot;&quot;;&quot;&quot;')),
  ],
  ['visible', 'a format that shows no zeros', inExcel(cell(' s="1"'), formatted('', '', '0;-0;;@'))],
  ['uncertain', 'a format in white', inExcel(cell(' s="1"'), formatted('', '', '0;0;0;[White]@'))],
  ['hidden', 'a thin row', inExcel(cell(), {}, { row: ' ht="0.5" customHeight="1"' })],
  ['uncertain', 'a low row', inExcel(cell(), {}, { row: ' ht="4" customHeight="1"' })],
  ['visible', 'a usual row', inExcel(cell(), {}, { row: ' ht="15"' })],
  [
    'hidden',
    'a thin column',
    inExcel(cell('', 'SECRET', 'B2'), {}, { before: '<cols><col min="2" max="2" width="0.1"/></cols>' }),
  ],
  [
    'uncertain',
    'a narrow column',
    inExcel(cell('', 'SECRET', 'B2'), {}, { before: '<cols><col min="2" max="2" width="0.6"/></cols>' }),
  ],
  [
    'hidden',
    'under a merged cell',
    inExcel(
      `${cell('', 'seen', 'A2')}${cell('', 'SECRET', 'B2')}`,
      {},
      { after: '<mergeCells><mergeCell ref="A2:C2"/></mergeCells>' },
    ),
  ],
  ['visible', 'in a merged cell', inExcel(cell(), {}, { after: '<mergeCells><mergeCell ref="A2:C2"/></mergeCells>' })],
  ['uncertain', 'under a picture', inExcel(cell(), {}, {}, DRAWING)],
  ['uncertain', 'a text box', inExcel('', {}, {}, BOX)],
  [
    'uncertain',
    'hidden by a condition',
    inExcel(
      cell(),
      { dxfs: '<dxf><font><color rgb="FFFFFFFF"/></font></dxf>' },
      { after: '<conditionalFormatting sqref="A2:A2"><cfRule dxfId="0"/></conditionalFormatting>' },
    ),
  ],
  [
    'visible',
    'coloured by a condition',
    inExcel(
      cell(),
      { dxfs: '<dxf><font><color rgb="FFFF0000"/></font></dxf>' },
      { after: '<conditionalFormatting sqref="A2:A2"><cfRule dxfId="0"/></conditionalFormatting>' },
    ),
  ],
  [
    'uncertain',
    'white letters within a text',
    inExcel('<c r="A2" t="inlineStr"><is><r><rPr><color rgb="FFFFFFFF"/></rPr><t>SECRET</t></r></is></c>'),
  ],
  ['uncertain', 'white letters within a shared text', inExcel('<c r="A2" t="s"><v>1</v></c>')],
  [
    'uncertain',
    'indented out of its cell',
    inExcel(cell(' s="1"'), { cellXfs: '<xf numFmtId="0"><alignment indent="200"/></xf>' }),
  ],
]

// PowerPoint
const SIZE = '<p:sldSz cx="9000000" cy="6000000"/>'
const box = (x: number, y: number, width = 2_000_000, height = 500_000): string =>
  `<a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${width}" cy="${height}"/></a:xfrm>`
const solidFill = (rgb: string, more = ''): string =>
  `<a:solidFill><a:srgbClr val="${rgb}">${more}</a:srgbClr></a:solidFill>`
const sp = (
  text: string,
  { at = box(1_000_000, 2_000_000), fill = '', properties = '', look = '', body = '', ph = '' } = {},
): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Box"/><p:nvPr>${ph}</p:nvPr></p:nvSpPr><p:spPr>${at}${fill}</p:spPr>${look}<p:txBody>${body}<a:p><a:r><a:rPr ${properties.startsWith('<') ? '' : properties}>${properties.startsWith('<') ? properties : ''}</a:rPr><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
const pic = (at: string): string =>
  `<p:pic><p:nvPicPr><p:cNvPr id="9" name="P"/></p:nvPicPr><p:spPr>${at}</p:spPr></p:pic>`
const around = (shapes: string): string =>
  `<p:nvGrpSpPr/><p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>${sp('Before', { at: box(1_000_000, 100_000) })}${shapes}${sp('After', { at: box(1_000_000, 5_000_000) })}`
const onSlide =
  (shapes: string, background = '', more = {}) =>
  (): Uint8Array =>
    pptx([{ shapes: around(shapes), background }], { size: SIZE, more })
const withLayout = (shapes: string, layout: string, master: string, theme = THEME) =>
  onSlide(shapes, '', {
    'ppt/slides/_rels/slide1.xml.rels': relations(['l', 'slideLayout', '../slideLayouts/l.xml']),
    'ppt/slideLayouts/l.xml': `<p:sldLayout><p:cSld><p:spTree>${layout}</p:spTree></p:cSld></p:sldLayout>`,
    'ppt/slideLayouts/_rels/l.xml.rels': relations(['m', 'slideMaster', '../slideMasters/m.xml']),
    'ppt/slideMasters/m.xml': `<p:sldMaster>${master}</p:sldMaster>`,
    'ppt/slideMasters/_rels/m.xml.rels': relations(['t', 'theme', '../theme/t.xml']),
    'ppt/theme/t.xml': theme,
  })
const DARK = `<p:bg><p:bgPr>${solidFill('000000')}</p:bgPr></p:bg>`
const tbl = (properties: string, cellFill: string): string =>
  `<p:graphicFrame><p:xfrm><a:off x="1000000" y="2000000"/><a:ext cx="2000000" cy="500000"/></p:xfrm><a:tbl><a:tblPr><a:tableStyleId>{0}</a:tableStyleId></a:tblPr><a:tr><a:tc><a:txBody><a:p><a:r><a:rPr>${properties}</a:rPr><a:t>SECRET</a:t></a:r></a:p></a:txBody><a:tcPr>${cellFill}</a:tcPr></a:tc></a:tr></a:tbl></p:graphicFrame>`

const POWERPOINT: readonly Case[] = [
  ['visible', 'a plain box', onSlide(sp('SECRET'))],
  ['hidden', 'white letters', onSlide(sp('SECRET', { properties: solidFill('FFFFFF') }))],
  [
    'hidden',
    'letters that can be seen through',
    onSlide(sp('SECRET', { properties: solidFill('000000', '<a:alpha val="0"/>') })),
  ],
  [
    'uncertain',
    'letters that can nearly be seen through',
    onSlide(sp('SECRET', { properties: solidFill('000000', '<a:alpha val="12000"/>') })),
  ],
  ['uncertain', 'letters in a gradient', onSlide(sp('SECRET', { properties: '<a:gradFill/>' }))],
  ['hidden', 'letters of one point', onSlide(sp('SECRET', { properties: 'sz="100"' }))],
  ['uncertain', 'letters of three points', onSlide(sp('SECRET', { properties: 'sz="300"' }))],
  [
    'uncertain',
    'text made to fit',
    onSlide(sp('SECRET', { body: '<a:bodyPr><a:normAutofit fontScale="5000"/></a:bodyPr>' })),
  ],
  ['hidden', 'left of the slide', onSlide(sp('SECRET', { at: box(-5_000_000, 2_000_000) }))],
  ['hidden', 'below the slide', onSlide(sp('SECRET', { at: box(1_000_000, 9_000_000) }))],
  ['uncertain', 'half off the slide', onSlide(sp('SECRET', { at: box(-1_200_000, 2_000_000) }))],
  ['hidden', 'a box without size', onSlide(sp('SECRET', { at: box(1_000_000, 2_000_000, 0, 0) }))],
  [
    'hidden',
    'off the slide by its group',
    onSlide(
      `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="20000000" y="0"/><a:ext cx="9000000" cy="6000000"/><a:chOff x="0" y="0"/><a:chExt cx="9000000" cy="6000000"/></a:xfrm></p:grpSpPr>${sp('SECRET')}</p:grpSp>`,
    ),
  ],
  [
    'visible',
    'in a group',
    onSlide(
      `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9000000" cy="6000000"/><a:chOff x="0" y="0"/><a:chExt cx="9000000" cy="6000000"/></a:xfrm></p:grpSpPr>${sp('SECRET')}</p:grpSp>`,
    ),
  ],
  ['uncertain', 'under a picture', onSlide(`${sp('SECRET')}${pic(box(1_000_000, 2_000_000))}`)],
  ['uncertain', 'under a filled box', onSlide(`${sp('SECRET')}${sp('', { fill: solidFill('FFFFFF') })}`)],
  [
    'uncertain',
    'under a filled box that is turned',
    onSlide(
      `${sp('SECRET')}${sp('', { at: box(1_950_000, 1_050_000, 100_000, 2_400_000).replace('<a:xfrm', '<a:xfrm rot="5400000"'), fill: solidFill('FFFFFF') })}`,
    ),
  ],
  [
    'visible',
    'in a group that was moved',
    onSlide(
      `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="100000" y="0"/><a:ext cx="4500000" cy="3000000"/><a:chOff x="0" y="0"/><a:chExt cx="9000000" cy="6000000"/></a:xfrm></p:grpSpPr>${sp('SECRET')}</p:grpSp>`,
    ),
  ],
  ['visible', 'under a box without a fill', onSlide(`${sp('SECRET')}${sp('')}`)],
  ['visible', 'beside a picture', onSlide(`${sp('SECRET')}${pic(box(6_000_000, 2_000_000))}`)],
  [
    'uncertain',
    'white on a picture',
    onSlide(`${pic(box(1_000_000, 2_000_000))}${sp('SECRET', { properties: solidFill('FFFFFF') })}`),
  ],
  [
    'visible',
    'white on a blue box',
    onSlide(sp('SECRET', { fill: solidFill('203864'), properties: solidFill('FFFFFF') })),
  ],
  [
    'hidden',
    'blue on a blue box',
    onSlide(sp('SECRET', { fill: solidFill('203864'), properties: solidFill('203864') })),
  ],
  [
    'visible',
    'white on a blue box below',
    onSlide(
      `${sp('', { at: box(500_000, 1_500_000, 4_000_000, 1_500_000), fill: solidFill('203864') })}${sp('SECRET', { properties: solidFill('FFFFFF') })}`,
    ),
  ],
  [
    'hidden',
    'black on a black box below',
    onSlide(
      `${sp('', { at: box(500_000, 1_500_000, 4_000_000, 1_500_000), fill: solidFill('000000') })}${sp('SECRET')}`,
    ),
  ],
  ['uncertain', 'black on a gradient', onSlide(sp('SECRET', { fill: '<a:gradFill/>' }))],
  [
    'visible',
    'white by the style of its shape',
    onSlide(
      sp('SECRET', {
        look: '<p:style><a:fillRef idx="1"><a:srgbClr val="203864"/></a:fillRef><a:fontRef idx="minor"><a:schemeClr val="lt1"/></a:fontRef></p:style>',
      }),
    ),
  ],
  [
    'hidden',
    'white by the style of a shape without a fill',
    onSlide(
      sp('SECRET', {
        fill: '<a:noFill/>',
        look: '<p:style><a:fillRef idx="1"><a:srgbClr val="203864"/></a:fillRef><a:fontRef idx="minor"><a:schemeClr val="lt1"/></a:fontRef></p:style>',
      }),
    ),
  ],
  ['visible', 'white in a dark cell', onSlide(tbl(solidFill('FFFFFF'), solidFill('203864')))],
  ['hidden', 'white in a white cell', onSlide(tbl(solidFill('FFFFFF'), solidFill('FFFFFF')))],
  ['uncertain', 'white in a cell whose fill is not said', onSlide(tbl(solidFill('FFFFFF'), ''))],
  ['visible', 'of its own colour in a cell', onSlide(tbl('', ''))],
  [
    'hidden',
    'a placeholder off the slide by its layout',
    withLayout(
      sp('SECRET', { at: '', ph: '<p:ph type="body" idx="7"/>' }),
      sp('', { at: box(30_000_000, 0), ph: '<p:ph type="body" idx="7"/>' }),
      '',
    ),
  ],
  [
    'visible',
    'a placeholder',
    withLayout(
      sp('SECRET', { at: '', ph: '<p:ph type="body" idx="7"/>' }),
      sp('', { at: box(1_000_000, 2_000_000), ph: '<p:ph type="body" idx="7"/>' }),
      '',
    ),
  ],
  [
    'hidden',
    'white by the master',
    withLayout(
      sp('SECRET', { at: '', ph: '<p:ph type="body" idx="7"/>' }),
      '',
      `<p:txStyles><p:bodyStyle><a:lvl1pPr><a:defRPr>${solidFill('FFFFFF')}</a:defRPr></a:lvl1pPr></p:bodyStyle></p:txStyles>`,
    ),
  ],
  [
    'hidden',
    'tiny by the master',
    withLayout(
      sp('SECRET', { at: '', ph: '<p:ph type="body" idx="7"/>' }),
      '',
      '<p:txStyles><p:bodyStyle><a:lvl1pPr><a:defRPr sz="100"/></a:lvl1pPr></p:bodyStyle></p:txStyles>',
    ),
  ],
  [
    'hidden',
    'white by a theme of white',
    withLayout(
      sp('SECRET', { properties: '<a:solidFill><a:schemeClr val="tx1"/></a:solidFill>' }),
      '',
      '<p:clrMap bg1="dk1" tx1="lt1"/>',
    ),
  ],
]

test('text on a dark slide follows its colours', async () => {
  const white = pptx([{ background: DARK, shapes: sp('seen', { properties: solidFill('FFFFFF') }) }], { size: SIZE })
  expect(await read('pptx', white)).toMatchObject({ text: 'seen', uncertain: '' })
  const black = pptx([{ background: DARK, shapes: sp('SECRET', { properties: solidFill('000000') }) }], { size: SIZE })
  expect(await read('pptx', black)).toMatchObject({ text: '', uncertain: '' })
})

// OpenDocument
const p = (text: string, more = ''): string => `<text:p${more}>${text}</text:p>`
const odtStyle = (family: string, properties: string, name = 'S'): string =>
  `<style:style style:name="${name}" style:family="${family}">${properties}</style:style>`
const textProperties = (attributes: string): string => `<style:text-properties ${attributes}/>`
const inText =
  (body: string, styles = '', common = '') =>
  (): Uint8Array =>
    odf(`<office:text>${p('Before')}${body}${p('After')}</office:text>`, styles, common)
const span = p('<text:span text:style-name="S">SECRET</text:span>')
const spanned = (attributes: string): (() => Uint8Array) => inText(span, odtStyle('text', textProperties(attributes)))
const inSheet = (row: string, column: string, cellMore: string, styles: string) => (): Uint8Array =>
  odf(
    `<office:spreadsheet><table:table table:name="Sheet"><table:table-column${column}/><table:table-row><table:table-cell table:style-name="N">${p('Before')}</table:table-cell></table:table-row><table:table-row${row}><table:table-cell${cellMore}>${p('SECRET')}</table:table-cell></table:table-row></table:table></office:spreadsheet>`,
    styles,
  )
const frame = (text: string, at: string, more = ''): string =>
  `<draw:frame ${at}${more}><draw:text-box>${p(text)}</draw:text-box></draw:frame>`
const PLACE = 'svg:x="2cm" svg:y="5cm" svg:width="10cm" svg:height="2cm"'
const inSlides =
  (shapes: string, styles = '') =>
  (): Uint8Array =>
    odf(
      `<office:presentation><draw:page>${frame('Before', 'svg:x="2cm" svg:y="1cm" svg:width="10cm" svg:height="2cm"')}${shapes}</draw:page></office:presentation>`,
      styles,
    )
const image = `<draw:frame ${PLACE}><draw:image/></draw:frame>`

const OPEN_DOCUMENT: readonly Case[] = [
  ['hidden', 'white letters', spanned('fo:color="#ffffff"')],
  ['uncertain', 'light letters', spanned('fo:color="#dddddd"')],
  ['visible', 'blue letters', spanned('fo:color="#000080"')],
  ['hidden', 'letters of one point', spanned('fo:font-size="1pt"')],
  ['uncertain', 'letters of a hundredth', spanned('fo:font-size="1%"')],
  ['hidden', 'black letters on black', spanned('fo:color="#000000" fo:background-color="#000000"')],
  ['visible', 'white letters on black', spanned('fo:color="#ffffff" fo:background-color="#000000"')],
  ['uncertain', 'squeezed letters', spanned('style:text-scale="1%"')],
  ['uncertain', 'small raised letters', spanned('style:text-position="0% 1%"')],
  ['hidden', 'letters without opacity', spanned('fo:color="#000000" loext:opacity="0%"')],
  [
    'hidden',
    'white by a style of a style',
    inText(
      p('SECRET', ' text:style-name="T"'),
      '<style:style style:name="T" style:family="paragraph" style:parent-style-name="S"/>',
      odtStyle('paragraph', textProperties('fo:color="#ffffff"')),
    ),
  ],
  [
    'hidden',
    'white in all of the document',
    inText(
      p('SECRET'),
      '',
      `<style:default-style style:family="paragraph">${textProperties('fo:color="#ffffff"')}</style:default-style>`,
    ),
  ],
  [
    'visible',
    'white in a dark paragraph',
    inText(
      p('SECRET', ' text:style-name="S"'),
      odtStyle(
        'paragraph',
        `<style:paragraph-properties fo:background-color="#000000"/>${textProperties('fo:color="#ffffff"')}`,
      ),
    ),
  ],
  [
    'uncertain',
    'lines without height',
    inText(
      p('SECRET', ' text:style-name="S"'),
      odtStyle('paragraph', '<style:paragraph-properties fo:line-height="0.1pt"/>'),
    ),
  ],
  [
    'uncertain',
    'an indent off the page',
    inText(
      p('SECRET', ' text:style-name="S"'),
      odtStyle('paragraph', '<style:paragraph-properties fo:margin-left="90cm"/>'),
    ),
  ],
  ['hidden', 'a frame without size', inText(p(frame('SECRET', 'svg:width="0.01cm" svg:height="0.01cm"')))],
  [
    'hidden',
    'a row without height',
    inSheet(
      ' table:style-name="S"',
      '',
      '',
      odtStyle('table-row', '<style:table-row-properties style:row-height="0.2mm"/>'),
    ),
  ],
  [
    'hidden',
    'a column without width',
    () =>
      odf(
        `<office:spreadsheet><table:table table:name="Before"><table:table-column table:style-name="S"/><table:table-row><table:table-cell>${p('SECRET')}</table:table-cell></table:table-row></table:table></office:spreadsheet>`,
        odtStyle('table-column', '<style:table-column-properties style:column-width="0.2mm"/>'),
      ),
  ],
  [
    'hidden',
    'white letters in a cell',
    inSheet('', '', ' table:style-name="S"', odtStyle('table-cell', textProperties('fo:color="#ffffff"'))),
  ],
  [
    'visible',
    'white letters in a dark cell',
    inSheet(
      '',
      '',
      ' table:style-name="S"',
      odtStyle(
        'table-cell',
        `<style:table-cell-properties fo:background-color="#203864"/>${textProperties('fo:color="#ffffff"')}`,
      ),
    ),
  ],
  ['visible', 'a box of a slide', inSlides(frame('SECRET', PLACE))],
  [
    'hidden',
    'a box beside the slide',
    inSlides(frame('SECRET', 'svg:x="-50cm" svg:y="5cm" svg:width="10cm" svg:height="2cm"')),
  ],
  [
    'hidden',
    'a box far from the slide',
    inSlides(frame('SECRET', 'svg:x="500cm" svg:y="5cm" svg:width="10cm" svg:height="2cm"')),
  ],
  ['uncertain', 'under a picture', inSlides(`${frame('SECRET', PLACE)}${image}`)],
  [
    'uncertain',
    'under a filled shape',
    inSlides(
      `${frame('SECRET', PLACE)}<draw:rect ${PLACE} draw:style-name="G"/>`,
      odtStyle('graphic', '<style:graphic-properties draw:fill="solid" draw:fill-color="#ffffff"/>', 'G'),
    ),
  ],
  ['uncertain', 'turned', inSlides(frame('SECRET', PLACE, ' draw:transform="rotate(1.5)"'))],
]

const KINDS: readonly (readonly [string, DocumentKind, readonly Case[]])[] = [
  ['Word', 'docx', WORD],
  ['Excel', 'xlsx', EXCEL],
  ['PowerPoint', 'pptx', POWERPOINT],
  ['OpenDocument', 'odt', OPEN_DOCUMENT],
]

for (const [name, kind, cases] of KINDS) {
  describe(`text of ${name}`, () => {
    test.each(cases)('is %s: %s', async (sight, what, bytes) => {
      const { text, uncertain, warnings } = await read(kind, bytes())
      const seen = { text: text.includes('SECRET'), uncertain: uncertain.includes('SECRET') }
      expect(seen, `${what}: ${text} / ${uncertain}`).toEqual({
        text: sight === 'visible',
        uncertain: sight === 'uncertain',
      })
      if (!/in all of the document|usual style|theme of white/.test(what)) expect(text).toContain('Before')
      const kinds = warnings.map(({ kind: warning }) => warning)
      if (sight !== 'visible') expect(kinds).toContain(sight === 'hidden' ? 'hidden_text_removed' : 'uncertain_text')
    })
  })
}
