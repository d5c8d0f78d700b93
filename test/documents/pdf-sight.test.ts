/** What a person sees of a PDF: hidden text is never in its text, and what is seen always is. */
import { afterAll, describe, expect, test } from 'vitest'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import type { Readable } from '../../src/core/content.ts'
import { type PdfOf, pdf, words } from './pdf.ts'

const reader = createContentReader({ debug() {}, info() {}, warn() {}, error() {} })
afterAll(() => reader.close())
const { signal } = new AbortController()

const read = (file: PdfOf): Promise<Readable> => reader.pdf(pdf(file), 10_000, signal)

/** Before and after it stands text that is plainly seen. */
const SEEN = { before: words('Before.', { y: 700 }), after: words('After.', { y: 100 }) }
const around = (content: string): string => `${SEEN.before}q\n${content}\nQ\n${SEEN.after}`

type Case = readonly [string, string | PdfOf]
const fileOf = (file: string | PdfOf): PdfOf =>
  typeof file === 'string' ? { content: around(file) } : { ...file, content: around(file.content) }

const gs = (entries: string): string => `/ExtGState << /G << ${entries} >> >>`
const SECRET = words('SECRET')
/** The place of the secret. */
const PLACE = '90 490 120 30 re'
const IMAGE = {
  dict: '/Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray',
  stream: 'abcd',
}
const WITH_IMAGE = { resources: '/XObject << /I 10 0 R >>', objects: [IMAGE] }
const DRAW_IMAGE = 'q 120 0 0 30 90 490 cm /I Do Q '
const PICTURE = 'q 600 0 0 300 0 300 cm /I Do Q '
const form = (stream: string, dict = ''): { dict: string; stream: string } => ({
  dict: `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 5 0 R >> >> ${dict}`,
  stream,
})
const layers = (config: string, extra = ''): Partial<PdfOf> => ({
  catalog: `/OCProperties << /OCGs [10 0 R 11 0 R] /D << ${config} >> >>`,
  resources: '/Properties << /L 10 0 R /M 12 0 R >>',
  objects: [
    { dict: '/Type /OCG /Name (one)' },
    { dict: '/Type /OCG /Name (two)' },
    { dict: `/Type /OCMD /OCGs [10 0 R 11 0 R] ${extra}` },
  ],
})
const type3 = (proc: string): Partial<PdfOf> => ({
  resources: 'fonts:/T 10 0 R;',
  objects: [
    {
      dict: '/Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << /a 11 0 R >> /Encoding << /Type /Encoding /Differences [65 /a] >> /FirstChar 65 /LastChar 65 /Widths [1000] /Resources << >>',
    },
    { dict: '', stream: proc },
  ],
})

const HIDDEN: readonly Case[] = [
  ['white on white', `1 g ${SECRET}`],
  ['white in RGB', `1 1 1 rg ${SECRET}`],
  ['white in CMYK', `0 0 0 0 k ${SECRET}`],
  ['nearly white', `0.96 g ${SECRET}`],
  ['white in a colour space', `/DeviceRGB cs 1 1 1 sc ${SECRET}`],
  ['black on black', `0 g ${PLACE} f ${SECRET}`],
  ['blue on blue', `0 0 1 rg ${PLACE} f ${SECRET}`],
  [
    'blue on a blue shape with round corners',
    '0 0 1 rg 60 495 m 60 520 70 530 80 530 c 300 530 l 310 530 320 520 320 495 c 320 470 310 460 300 460 c 80 460 l 70 460 60 470 60 495 c f ' +
      SECRET,
  ],
  ['white lines on white', `1 G ${words('SECRET', { before: '1 Tr' })}`],
  ['white filled and outlined', `1 g 1 G ${words('SECRET', { before: '2 Tr' })}`],
  ['render mode 3', words('SECRET', { before: '3 Tr' })],
  ['render mode 7', words('SECRET', { before: '7 Tr' })],
  ['no opacity', { content: `/G gs ${SECRET}`, resources: gs('/ca 0') }],
  ['next to no opacity', { content: `/G gs ${SECRET}`, resources: gs('/ca 0.03') }],
  ['no opacity for lines', { content: `/G gs ${words('SECRET', { before: '1 Tr' })}`, resources: gs('/CA 0') }],
  [
    'a group without opacity',
    {
      content: '/G gs /X Do',
      resources: `${gs('/ca 0')} /XObject << /X 10 0 R >>`,
      objects: [form(SECRET, '/Group << /S /Transparency >>')],
    },
  ],
  ['one point', words('SECRET', { size: 1 })],
  ['a font without size', words('SECRET', { size: 0 })],
  ['a matrix that makes it small', `q 0.05 0 0 0.05 0 0 cm ${words('SECRET', { x: 2000, y: 9000, size: 24 })} Q`],
  ['a text matrix that makes it small', 'BT /F1 12 Tf 0.1 0 0 0.1 100 500 Tm (SECRET) Tj ET'],
  [
    'two matrices that make it small together',
    `q 0.4 0 0 0.4 0 0 cm q 0.4 0 0 0.4 0 0 cm ${words('SECRET', { x: 700, y: 3000, size: 10 })} Q Q`,
  ],
  ['letters without height', 'BT /F1 12 Tf 1 0 0 0.01 100 500 Tm (SECRET) Tj ET'],
  ['letters without width', 'BT /F1 12 Tf 0.01 0 0 1 100 500 Tm (SECRET) Tj ET'],
  ['letters that are flat on a line', 'BT /F1 12 Tf 1 1 1 1 100 500 Tm (SECRET) Tj ET'],
  ['no stretch', words('SECRET', { before: '1 Tz' })],
  ['left of the page', words('SECRET', { x: -300 })],
  ['above the page', words('SECRET', { y: 900 })],
  ['far away', words('SECRET', { x: 100_000 })],
  ['raised off the page', words('SECRET', { before: '1000 Ts' })],
  ['moved off the page by a matrix', `1 0 0 1 1000 0 cm ${SECRET}`],
  ['moved off the page by spaces', 'BT /F1 12 Tf 100 500 Td [-100000 (SECRET)] TJ ET'],
  ['outside of the crop box', { content: words('SECRET', { x: 20 }), page: '/CropBox [80 50 600 800]' }],
  ['outside of the clip', `300 300 50 50 re W n ${SECRET}`],
  ['an empty clip', `0 0 0 0 re W n ${SECRET}`],
  ['two clips that do not meet', `0 0 300 300 re W n 300 300 300 500 re W n ${SECRET}`],
  ['outside of a round clip', `300 300 m 350 300 350 350 300 350 c 250 350 250 300 300 300 c W n ${SECRET}`],
  ['in the hole of a clip', `0 0 600 800 re 50 450 300 100 re W* n ${SECRET}`],
  [
    'outside of the box of a form',
    {
      content: '/X Do',
      resources: '/XObject << /X 10 0 R >>',
      objects: [
        {
          ...form(SECRET),
          dict: '/Type /XObject /Subtype /Form /BBox [0 0 50 50] /Resources << /Font << /F1 5 0 R >> >>',
        },
      ],
    },
  ],
  ['covered by white', `${SECRET} 1 g ${PLACE} f`],
  ['covered by black', `${SECRET} 0 g ${PLACE} f`],
  ['covered by white that is turned', `${SECRET} 1 g q 0.7 0.7 -0.7 0.7 150 350 cm 0 0 200 200 re f Q`],
  [
    'covered by a form',
    { content: `${SECRET} /X Do`, resources: '/XObject << /X 10 0 R >>', objects: [form(`1 g ${PLACE} f`)] },
  ],
  ['covered by two halves', `${SECRET} 1 g 90 490 65 30 re f 150 490 65 30 re f`],
  ['covered in the middle of a path', `${SECRET} 1 g 0 480 m 300 480 l 300 520 l 0 520 l h f`],
  ['a layer that is off', { content: `/OC /L BDC ${SECRET} EMC`, ...layers('/OFF [10 0 R]') }],
  ['a layer in a document where all are off', { content: `/OC /L BDC ${SECRET} EMC`, ...layers('/BaseState /OFF') }],
  ['any of two layers that are off', { content: `/OC /M BDC ${SECRET} EMC`, ...layers('/OFF [10 0 R 11 0 R]') }],
  [
    'all of two layers of which one is off',
    { content: `/OC /M BDC ${SECRET} EMC`, ...layers('/OFF [10 0 R]', '/P /AllOn') },
  ],
  ['layers by an expression', { content: `/OC /M BDC ${SECRET} EMC`, ...layers('/OFF [10 0 R]', '/VE [/Not 11 0 R]') }],
  ['a layer within a layer', { content: `/OC /L BDC /Span BMC ${SECRET} EMC EMC`, ...layers('/OFF [10 0 R]') }],
  [
    'a hidden annotation',
    {
      content: '',
      page: '/Annots [10 0 R]',
      objects: [
        { dict: '/Type /Annot /Subtype /FreeText /F 2 /Rect [100 490 300 520] /Contents (SECRET) /AP << /N 11 0 R >>' },
        form(SECRET),
      ],
    },
  ],
]

const UNCERTAIN: readonly Case[] = [
  ['three points', words('SECRET', { size: 3 })],
  ['light grey', `0.88 g ${SECRET}`],
  [
    'a pattern',
    {
      content: `/Pattern cs /P scn ${SECRET}`,
      resources: '/Pattern << /P 10 0 R >>',
      objects: [
        {
          dict: '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 10 10] /XStep 10 /YStep 10 /Resources << >>',
          stream: '1 g 0 0 10 10 re f',
        },
      ],
    },
  ],
  [
    'a shading as colour',
    {
      content: `/Pattern cs /P scn ${SECRET}`,
      resources: '/Pattern << /P 10 0 R >>',
      objects: [
        {
          dict: '/Type /Pattern /PatternType 2 /Shading << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 600 0] /Function << /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [1] /N 1 >> >>',
        },
      ],
    },
  ],
  [
    'a shading behind',
    {
      content: `0 300 600 300 re W n /S sh ${SECRET}`,
      resources:
        '/Shading << /S << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 600 0] /Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [0] /N 1 >> /Extend [true true] >> >>',
    },
  ],
  ['a blend mode', { content: `/G gs ${SECRET}`, resources: gs('/BM /Screen') }],
  ['a blend mode of what covers it', { content: `${SECRET} /G gs 1 g ${PLACE} f`, resources: gs('/BM /Lighten') }],
  [
    'a group with a blend mode',
    {
      content: '/G gs /X Do',
      resources: `${gs('/BM /Screen')} /XObject << /X 10 0 R >>`,
      objects: [form(SECRET, '/Group << /S /Transparency >>')],
    },
  ],
  [
    'a soft mask',
    {
      content: `/G gs ${SECRET}`,
      resources: gs('/SMask << /S /Luminosity /G 10 0 R >>'),
      objects: [form('0 g 0 0 600 800 re f', '/Group << /S /Transparency /CS /DeviceGray >>')],
    },
  ],
  [
    'text of a soft mask',
    {
      content: `/G gs 0 0 1 1 re f`,
      resources: gs('/SMask << /S /Luminosity /G 10 0 R >>'),
      objects: [form(SECRET, '/Group << /S /Transparency /CS /DeviceGray >>')],
    },
  ],
  ['under a picture', { content: `${SECRET} ${DRAW_IMAGE}`, ...WITH_IMAGE }],
  ['on a picture', { content: `${PICTURE} ${SECRET}`, ...WITH_IMAGE }],
  ['white on a picture', { content: `${DRAW_IMAGE} 1 g ${SECRET}`, ...WITH_IMAGE }],
  [
    'a scanned page with the text behind it',
    { content: `${words('SECRET', { before: '3 Tr' })} ${PICTURE}`, ...WITH_IMAGE },
  ],
  [
    'a scanned page with the text over it',
    { content: `${PICTURE} ${words('SECRET', { before: '3 Tr' })}`, ...WITH_IMAGE },
  ],
  ['under a picture in its content', `${SECRET} q 120 0 0 30 90 490 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \xff EI Q`],
  [
    'under a mask',
    {
      content: `${SECRET} 1 g ${DRAW_IMAGE}`,
      resources: '/XObject << /I 10 0 R >>',
      objects: [
        {
          dict: '/Type /XObject /Subtype /Image /Width 8 /Height 1 /ImageMask true /BitsPerComponent 1',
          stream: '\x00',
        },
      ],
    },
  ],
  [
    'under a picture whose size is written elsewhere',
    {
      content: `${SECRET} ${DRAW_IMAGE}`,
      resources: '/XObject << /I 10 0 R >>',
      objects: [
        {
          dict: '/Type /XObject /Subtype /Image /Width 11 0 R /Height 4000 /BPC 8 /ColorSpace /DeviceGray',
          stream: 'abcd',
        },
        { dict: '' },
      ],
    },
  ],
  [
    'under a large picture with odd names',
    {
      content: `${SECRET} ${DRAW_IMAGE}`,
      resources: '/XObject << /I 10 0 R >>',
      objects: [{ dict: '/Type /XObject /Sub#74ype /Im#61ge /W 4000 /H 4000 /BPC 8 /CS /DeviceGray', stream: 'abcd' }],
    },
  ],
  ['half covered', `${SECRET} 1 g 90 503 120 30 re f`],
  [
    'covered by many thin lines',
    `${SECRET} 1 G 1 w ${Array.from({ length: 40 }, (_, at) => `90 ${495 + at / 2} m 220 ${495 + at / 2} l S`).join(' ')}`,
  ],
  ['covered by one thick line', `${SECRET} 1 G 20 w 90 504 m 220 504 l S`],
  ['covered by what can be half seen through', { content: `${SECRET} /G gs 1 g ${PLACE} f`, resources: gs('/ca 0.9') }],
  ['a clip along its letters', `300 300 m 350 400 l 100 503 l h W n ${SECRET}`],
  ['clipped by other letters', `BT /F1 12 Tf 7 Tr 300 300 Td (x) Tj 0 Tr ET ${SECRET}`],
  ['half outside of the clip', `0 0 600 503 re W n ${SECRET}`],
  ['on black and on white', `0 g 0 300 600 203 re f ${SECRET}`],
  ['white on a shape that may not reach it', `0 g 90 490 m 210 490 l 210 505 l 100 498 l h f 1 g ${SECRET}`],
  [
    'a font of drawings',
    { content: words('A', { font: 'T' }), ...type3('1000 0 0 0 1000 1000 d1 0 0 1000 1000 re f') },
  ],
  ['white inside of black lines', `1 g 0 G ${words('SECRET', { before: '2 Tr' })}`],
  [
    'layers by an expression that holds',
    { content: `/OC /M BDC ${SECRET} EMC`, ...layers('/OFF [11 0 R]', '/VE [/Not 11 0 R]') },
  ],
  [
    'a comment box',
    {
      content: '',
      page: '/Annots [10 0 R]',
      objects: [
        { dict: '/Type /Annot /Subtype /FreeText /F 4 /Rect [0 0 600 800] /Contents (SECRET) /AP << /N 11 0 R >>' },
        form(SECRET),
      ],
    },
  ],
  [
    'numbers of glyphs without names',
    {
      content: 'BT /C 12 Tf 100 500 Td <005300450043> Tj ET',
      resources: 'fonts:/C 10 0 R;',
      objects: [
        { dict: '/Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [11 0 R]' },
        {
          dict: '/Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 12 0 R /DW 1000',
        },
        {
          dict: '/Type /FontDescriptor /FontName /X /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80',
        },
      ],
    },
  ],
]

/** A drawn letter that covers the secret. */
const COVERED_BY_GLYPH: Case = [
  'covered by a letter of a font of drawings',
  {
    content: `${SECRET} 1 g ${words('A', { font: 'T', size: 10 })}`,
    ...type3('1000 0 d0 -90000 -90000 900000 900000 re f'),
  },
]

const VISIBLE: readonly Case[] = [
  ['plain', SECRET],
  ['dark grey', `0.4 g ${SECRET}`],
  ['red', `1 0 0 rg ${SECRET}`],
  ['white on blue', `0 0 0.6 rg ${PLACE} f 1 g ${SECRET}`],
  [
    'white on a blue shape with round corners',
    '0 0 1 rg 60 495 m 60 520 70 530 80 530 c 300 530 l 310 530 320 520 320 495 c 320 470 310 460 300 460 c 80 460 l 70 460 60 470 60 495 c f 1 g ' +
      SECRET,
  ],
  ['black lines', `0 G ${words('SECRET', { before: '1 Tr' })}`],
  ['black filled and outlined', words('SECRET', { before: '2 Tr' })],
  ['half opaque', { content: `/G gs ${SECRET}`, resources: gs('/ca 0.5') }],
  ['a blend mode that is normal', { content: `/G gs ${SECRET}`, resources: gs('/BM /Normal /SMask /None') }],
  ['within a clip', `50 450 400 100 re W n ${SECRET}`],
  [
    'within a clip with round corners',
    `20 450 m 500 450 l 500 540 l 500 550 490 560 480 560 c 20 560 l h W n ${SECRET}`,
  ],
  ['in a ring that is painted later', `${SECRET} 0.5 g 50 450 300 100 re 55 455 290 90 re f*`],
  ['underlined and struck out', `${SECRET} 0.5 w 100 498 m 160 498 l S 100 504 m 160 504 l S`],
  ['in a box of lines', `${SECRET} ${PLACE} S`],
  ['beside a box', `${SECRET} 1 g 0 0 90 800 re f`],
  ['on a layer that is on', { content: `/OC /L BDC ${SECRET} EMC`, ...layers('') }],
  ['under a layer that is off', { content: `${SECRET} /OC /L BDC 1 g ${PLACE} f EMC`, ...layers('/OFF [10 0 R]') }],
  ['beside a picture', { content: `q 50 0 0 50 0 0 cm /I Do Q ${SECRET}`, ...WITH_IMAGE }],
  ['in a form', { content: '/X Do', resources: '/XObject << /X 10 0 R >>', objects: [form(SECRET)] }],
  [
    'in a group',
    {
      content: '/X Do',
      resources: '/XObject << /X 10 0 R >>',
      objects: [form(SECRET, '/Group << /S /Transparency >>')],
    },
  ],
  ['turned', 'BT /F1 12 Tf 0 1 -1 0 300 300 Tm (SECRET) Tj ET'],
  ['upside down and back', `1 0 0 -1 0 800 cm BT /F1 12 Tf 1 0 0 -1 100 300 Tm (SECRET) Tj ET`],
  ['painted again over what covers it', `${SECRET} 1 g ${PLACE} f 0 g ${SECRET}`],
  ['highlighted before', `1 1 0 rg ${PLACE} f 0 g ${SECRET}`],
  ['highlighted later', { content: `${SECRET} /G gs 1 1 0 rg ${PLACE} f`, resources: gs('/ca 0.3') }],
  ['spaced', words('SECRET', { before: '2 Tc' })],
  ['small print', words('SECRET', { size: 5 })],
  ['a small font in a large matrix', `10 0 0 10 0 0 cm ${words('SECRET', { x: 10, y: 50, size: 1.2 })}`],
  ['in two pieces', 'BT /F1 12 Tf 100 500 Td [(SEC) -20 (RET)] TJ ET'],
  ['on the lines of a list', "BT /F1 12 Tf 14 TL 100 500 Td (SECRET) ' ET"],
]

describe('text of a PDF that a person does not see', () => {
  test.each(HIDDEN)('%s is hidden', async (_, file) => {
    const { text, uncertain, warnings } = await read(fileOf(file))
    expect(text).toBe('Before.\nAfter.')
    expect(uncertain.includes('SECRET') && !warnings.some(({ kind }) => kind === 'uncertain_text')).toBe(false)
  })

  test('is counted, and kept nowhere', async () => {
    const { uncertain, warnings } = await read(fileOf(`1 g ${SECRET}`))
    expect({ uncertain, warnings }).toEqual({ uncertain: '', warnings: [{ kind: 'hidden_text_removed', count: 1 }] })
  })
})

describe('text of a PDF that a person may not see', () => {
  test.each([...UNCERTAIN, COVERED_BY_GLYPH])('%s is uncertain', async (_, file) => {
    const { text, uncertain, warnings } = await read(fileOf(file))
    expect(text).not.toMatch(/SECRET|^A$/m)
    expect(`${text}${uncertain}`).toContain('After.')
    expect(uncertain).toMatch(/\S/)
    expect(warnings).toContainEqual({ kind: 'uncertain_text', count: uncertain.split('\n').length })
  })
})

describe('text of a PDF that a person sees', () => {
  test.each(VISIBLE)('%s', async (_, file) => {
    expect(await read(fileOf(file))).toMatchObject({
      text: expect.stringMatching(/^Before\.\n(SECRET|SECRET\n?)\nAfter\.$/),
      uncertain: '',
    })
  })

  test('only what is covered of a line is left out', async () => {
    const { text } = await read(fileOf(`${words('do NOT pay')} 1 g 116 490 29 30 re f`))
    expect(text).toMatch(/do\s+pay/)
    expect(text).not.toContain('NOT')
  })

  test('lines, gaps and columns stay apart', async () => {
    const { text } = await read({ content: `${words('one')}${words('two', { x: 200 })}${words('three', { y: 480 })}` })
    expect(text).toBe('one two\nthree')
  })
})
