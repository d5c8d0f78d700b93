/**
 * HTML that is a text and nothing else.
 *
 * INVARIANT: linear in the size of the HTML, never throws. Where there is a text, every reader of mail shows all of it and nothing
 * beside it, and opening it fetches nothing: no style, no picture, no comment, no attribute but where a link leads, which the
 * text names.
 */

const TAG = /<[^<>]*>/g
const PLAIN_TAG = /^<\/?([a-z][a-z0-9]{0,15})\s{0,8}\/?>$/i
const LINK = /^<a\s{1,8}href\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')\s{0,8}>$/i
/** As our own quotations begin. */
const QUOTATION = '<blockquote type="cite" style="white-space: pre-wrap">'

const BREAKING = new Set(
  'html body p div br hr ul ol li table tbody thead tr blockquote pre h1 h2 h3 h4 h5 h6'.split(' '),
)
const PLAIN = new Set([...BREAKING, ...'a b i u s em strong small sub sup code td th'.split(' ')])

const NAMED = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }))
const REFERENCE = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi

/** Undefined where it may hold anything else. */
export function textOfPlainHtml(html: string): string | undefined {
  let isPlain = true
  const pieces = html.split(TAG)
  const tags = html.match(TAG) ?? []
  const written = pieces.map((piece, at) => {
    const tag = at === 0 ? '' : said(tags[at - 1] ?? '')
    if (tag === undefined || piece.includes('<')) isPlain = false
    return (tag ?? '') + decoded(piece)
  })
  return isPlain ? written.join('') : undefined
}

/** What stands for a tag in the text; undefined where it may be more than one of a text. */
function said(tag: string): string | undefined {
  if (tag === QUOTATION) return '\n'
  const name = PLAIN_TAG.exec(tag)?.[1]?.toLowerCase()
  if (name !== undefined && PLAIN.has(name))
    return BREAKING.has(name) ? '\n' : name === 'td' || name === 'th' ? ' ' : ''
  const [, double, single] = LINK.exec(tag) ?? []
  const to = double ?? single
  return to === undefined ? undefined : `(${decoded(to)}) `
}

function decoded(text: string): string {
  return text.replace(REFERENCE, (whole, named?: string, decimal?: string, hex?: string) => {
    if (named !== undefined) return NAMED.get(named.toLowerCase()) ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
