/**
 * HTML as words to search in: tags, comments, styles and scripts gone, common character references resolved.
 *
 * INVARIANT: linear in the size of the input, never throws. This is for finding, never for showing.
 */
// What is no block joins the letters on its two sides into one word.
const INLINE = new Set([
  'a',
  'abbr',
  'b',
  'big',
  'code',
  'del',
  'em',
  'font',
  'i',
  'ins',
  'mark',
  's',
  'small',
  'span',
  'strong',
  'sub',
  'sup',
  'u',
  'wbr',
])
const SKIPPED = new Set(['script', 'style', 'title'])
const TAG_NAME = /^<\/?([a-zA-Z][a-zA-Z0-9]{0,15})(?![a-zA-Z0-9])/

export function stripTags(html: string): string {
  const pieces: string[] = []
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open === -1) break
    pieces.push(html.slice(at, open))
    const tag = readTag(html, open)
    pieces.push(tag.text)
    at = tag.end
  }
  pieces.push(html.slice(at))
  return resolveReferences(pieces.join(''))
}

function readTag(html: string, open: number): { text: string; end: number } {
  if (html.startsWith('<!--', open)) return { text: '', end: after(html, '-->', open + 4) }
  const name = TAG_NAME.exec(html.slice(open, open + 20))?.[1]?.toLowerCase()
  if (name === undefined && html[open + 1] !== '!' && html[open + 1] !== '?') return { text: '<', end: open + 1 }
  const end = after(html, '>', open)
  if (name === undefined || INLINE.has(name)) return { text: '', end }
  if (!SKIPPED.has(name) || html[open + 1] === '/' || html[end - 2] === '/') return { text: ' ', end }
  return { text: ' ', end: endOfElement(html, name, end) }
}

/** Where the text after the next `mark` begins; the end where there is none, so nothing is searched twice. */
function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found === -1 ? html.length : found + mark.length
}

function endOfElement(html: string, name: string, from: number): number {
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return after(html, '>', at)
  }
  // What is never closed hides everything behind it.
  return html.length
}

/** The names that people's mail uses, each before its character. */
const NAMED = new Map(
  [
    'amp& lt< gt> quot" apos\' aumlä oumlö uumlü AumlÄ OumlÖ UumlÜ szligß aringå AringÅ oslashø aeligæ eacuteé EacuteÉ',
    'egraveè ecircê eumlë agraveà acircâ aacuteá ccedilç iacuteí icircî iumlï oacuteó ocircô otildeõ atildeã ntildeñ uacuteú',
    'ugraveù ucircû euro€ pound£ copy© reg® deg° middot· hellip… ndash– mdash— lsquo‘ rsquo’ ldquo“ rdquo” laquo« raquo»',
  ].flatMap((names) => names.split(' ').map((name): [string, string] => [name.slice(0, -1), name.slice(-1)])),
)
NAMED.set('nbsp', ' ').set('shy', '').set('zwnj', '').set('zwj', '')
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));?/g

function resolveReferences(text: string): string {
  return text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
