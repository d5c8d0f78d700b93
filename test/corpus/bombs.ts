/** Bodies that eat memory or time, after the recipes of `generated_bombs.json` and a few of our own. */
import { deflateSync } from 'node:zlib'

export interface Bomb {
  readonly id: string
  readonly type: 'text/plain' | 'text/html'
  readonly encoding?: string
  readonly charset?: string
  readonly flowed?: boolean
  make(): string
}

const html = (id: string, make: () => string): Bomb => ({ id, type: 'text/html', make })
const plain = (id: string, make: () => string, more: Partial<Bomb> = {}): Bomb => ({
  id,
  type: 'text/plain',
  make,
  ...more,
})
const many = (count: number, piece: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => piece(index)).join('')
const sheet = (css: string, body: string): string => `<style>${css}</style><body>${body}`

export const BODY_BOMBS: readonly Bomb[] = [
  plain('long-line 50,000,000', () => 'x'.repeat(50_000_000)),
  plain('bad-base64', () => `aGVs${'!'.repeat(100_000)}bG8=${'='.repeat(100_000)}`, { encoding: 'base64' }),
  plain('qp-soft 5,000,000', () => '=\r\n'.repeat(5_000_000), { encoding: 'quoted-printable' }),
  plain('qp-escapes', () => '=E2=80=8B'.repeat(120_000), { encoding: 'quoted-printable' }),
  plain('newlines', () => '\n'.repeat(5_000_000)),
  plain('flowed', () => '> > > a \n'.repeat(120_000), { flowed: true }),
  plain('linkify 1', () => 'http://a.b/c?d='.repeat(32_000)),
  plain('linkify 2', () => `http://${'xn--a.'.repeat(27)}xn`),
  plain('linkify 3', () => `http://${'xn--a.'.repeat(16)}xn `.repeat(1_200)),
  plain('linkify 4', () => `a${' '.repeat(120_000)}b`),
  plain('markdown', () => '!['.repeat(500_000)),
  plain('charset __proto__', () => 'hello', { charset: '__proto__' }),
  plain('charset constructor', () => 'hello', { charset: 'constructor' }),
  plain('charset with NUL', () => 'hello', { charset: 'utf-8\0' }),
  plain('charset of 1 MB', () => 'hello', { charset: 'x'.repeat(1_000_000) }),
  plain('utf-7', () => '+AAAA'.repeat(200_000), { charset: 'utf-7' }),
  plain('combining marks', () => 'e\u0301'.repeat(300_000)),
  html('html-depth 200,000', () => '<div>'.repeat(200_000)),
  html('html-depth, closed', () => `${'<div>'.repeat(95_000)}x${'</div>'.repeat(95_000)}`),
  html('html-depth of quotes', () => '<blockquote>'.repeat(90_000)),
  html('html-depth of tables', () => '<table><tr><td>'.repeat(70_000)),
  html('html-depth of formatting', () => many(60_000, (index) => `<font size=${index}>`)),
  html('formatting reopened', () => `${many(300, (index) => `<b id=${index}>`)}${'<p>x</p>'.repeat(100_000)}`),
  html('crossed tags', () => '<b><div></b>x'.repeat(70_000)),
  html('stray end tags', () => `${'<div>'.repeat(90_000)}${'</x>'.repeat(100_000)}`),
  html('stray formatting end tags', () => `${many(40_000, (index) => `<i id=${index}>`)}${'</b>'.repeat(100_000)}`),
  html('items in blocks', () => `<li>${'<div>'.repeat(50_000)}${'<li>'.repeat(50_000)}`),
  html('html-attrs 100,000', () => `<p ${many(100_000, (index) => `a${index}=1 `)}>`),
  html('one attribute', () => `<p title="${'word '.repeat(200_000)}">x`),
  html('entities', () => '&amp;'.repeat(200_000)),
  html('entities unfinished', () => '&am'.repeat(300_000)),
  html('html-unclosed <', () => '<'.repeat(1_000_000)),
  html('html-unclosed <a href=', () => '<a href='.repeat(100_000)),
  html('html-unclosed comments', () => '<!--'.repeat(250_000)),
  html('html-unclosed <![CDATA[', () => '<![CDATA['.repeat(110_000)),
  html('links', () => '<a href="http://a.b/">http://c.d/</a>'.repeat(26_000)),
  html('line breaks', () => '<br>'.repeat(250_000)),
  html('css-huge 10,000', () =>
    sheet(
      many(10_000, (index) => `.c${index}{color:red}`),
      '<p class=c1>x',
    ),
  ),
  html('css-huge 200,000', () =>
    sheet(
      many(200_000, (index) => `.c${index}{display:none}`),
      '<p class=c1>x',
    ),
  ),
  html('css rules for all', () => sheet('*{color:red}'.repeat(20_000), '<p>x'.repeat(100_000))),
  html('css descendants', () =>
    sheet(`${'div '.repeat(11)}p{display:none}`.repeat(50), `${'<div>'.repeat(2_000)}${'<p>x</p>'.repeat(50_000)}`),
  ),
  html('css siblings', () => sheet('p~p~p~p~b{display:none}', '<p></p><b>x</b>'.repeat(50_000))),
  html('css :not', () => sheet(`${':not('.repeat(50_000)}p${')'.repeat(50_000)}{display:none}`, '<p>x')),
  html('css braces', () => sheet('{'.repeat(500_000), '<p>x')),
  html('css brackets', () => sheet('('.repeat(500_000), '<p>x')),
  html('css nesting', () => sheet('.a,.b{'.repeat(100_000), '<p>x')),
  html('css commas', () => sheet(`${'a,'.repeat(300_000)}b{display:none}`, '<p>x')),
  html('css escapes', () => sheet('\\'.repeat(900_000), '<p>x')),
  html('css variables', () =>
    sheet(
      many(5_000, (index) => `.v{--a${index}:var(--a${index + 1}) var(--a${index + 1})}`),
      '<p class=v style="color:var(--a0)">x'.repeat(1_000),
    ),
  ),
  html('css media', () => sheet(`@media ${'(a) and '.repeat(100_000)}(b){p{display:none}}`, '<p>x')),
  html('one style attribute', () => `<p style="${'color:red;'.repeat(90_000)}">x`),
  html('style attributes', () =>
    many(15_000, (index) => `<p style="color:rgb(${index % 255},0,0);font-size:${index}px">x`),
  ),
  html('classes', () => sheet('.a{color:red}', `<p class="${'a '.repeat(1_000)}">x`.repeat(400))),
  html('pre', () => `<pre>${'\n '.repeat(400_000)}`),
]

export interface PdfBomb {
  readonly id: string
  make(): Uint8Array
}

export const PDF_BOMBS: readonly PdfBomb[] = [
  {
    id: 'FlateDecode 1 MB to 1 GB',
    make: () => pdf([page('5 0 R'), stream(deflateSync(new Uint8Array(1_000_000_000)))]),
  },
  {
    id: 'twice deflated',
    make: () =>
      pdf([
        page('5 0 R'),
        stream(deflateSync(deflateSync(new Uint8Array(300_000_000))), '[/FlateDecode /FlateDecode]'),
      ]),
  },
  { id: '100,000 pages', make: manyPages },
  { id: 'an XObject in itself', make: recursive },
  {
    id: 'a JavaScript action',
    make: () =>
      pdf(
        [page('5 0 R'), stream(deflateSync(Buffer.from('BT /F1 12 Tf (hello) Tj ET')))],
        '/OpenAction << /S /JavaScript /JS (while(true){}) >>',
      ),
  },
  {
    id: 'a token of 10 MB',
    make: () => pdf([page('5 0 R'), stream(deflateSync(Buffer.from(`(${'a'.repeat(10_000_000)}) Tj`)))]),
  },
  {
    id: 'nested arrays',
    make: () => pdf([page('5 0 R'), `5 0 obj ${'['.repeat(200_000)}${']'.repeat(200_000)} endobj`]),
  },
  { id: 'no PDF at all', make: () => new Uint8Array(1_000_000).fill(0x41) },
]

function page(contents: string): string {
  return `3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents ${contents} /Resources << /Font << /F1 4 0 R >> /XObject << /X 6 0 R >> >> >> endobj
4 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj`
}

function stream(bytes: Uint8Array, filter = '/FlateDecode', number = 5, more = ''): string {
  return `${number} 0 obj << ${more} /Filter ${filter} /Length ${bytes.length} >> stream\n${Buffer.from(bytes).toString('latin1')}\nendstream endobj`
}

function pdf(objects: readonly string[], catalog = ''): Uint8Array {
  const head = `1 0 obj << /Type /Catalog /Pages 2 0 R ${catalog} >> endobj\n2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj`
  return new Uint8Array(
    Buffer.from(`%PDF-1.7\n${head}\n${objects.join('\n')}\ntrailer << /Root 1 0 R >>\n%%EOF`, 'latin1'),
  )
}

function manyPages(): Uint8Array {
  const count = 100_000
  const kids = many(count, (index) => `${index + 10} 0 R `)
  const pages = many(count, (index) => `${index + 10} 0 obj << /Type /Page /Parent 2 0 R >> endobj\n`)
  return new Uint8Array(
    Buffer.from(
      `%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [${kids}] /Count ${count} >> endobj\n${pages}trailer << /Root 1 0 R >>\n%%EOF`,
    ),
  )
}

function recursive(): Uint8Array {
  const form = '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>'
  const again = deflateSync(Buffer.from('/X Do /X Do '))
  return pdf([page('5 0 R'), stream(again), stream(again, '/FlateDecode', 6, form)])
}
