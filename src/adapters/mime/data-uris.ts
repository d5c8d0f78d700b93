/**
 * Pictures, sounds and fonts that stand inside of a page, as `data:` addresses, made empty: they say nothing and are most of
 * the bytes of the pages that have them.
 *
 * INVARIANT: linear in the size of the page; what is taken out stands in a tag or in a style sheet, where no text is. Style
 * sheets in such addresses stay: they may hide text.
 */
const ENCODED = 'base64,'
/** `data:image/svg+xml;charset=utf-8;`: what may stand before it, and the character before that. */
const BEFORE = /["'(=]\s?data:(?:image|audio|video|font|application)\/[\w.+-]{1,80}(?:;[\w=.+-]{1,40}){0,3};$/i
const LONGEST_BEFORE = 220
/** A tag is not longer before its address. */
const LOOKED_BACK = 4096
/** What is shorter does no harm. */
const LEAST_CONTENT = 256

const [LF, CR, LESS, GREATER, PARENTHESIS] = [0x0a, 0x0d, 0x3c, 0x3e, 0x28]

const IS_BASE64 = new Uint8Array(256)
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=%') {
  IS_BASE64[letter.charCodeAt(0)] = 1
}

/** `bytes` are a page in a charset whose first 128 characters are ASCII; in another one nothing is found. */
export function withoutDataContent(bytes: Uint8Array): Uint8Array {
  const page = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const kept: Uint8Array[] = []
  let from = 0
  for (let at = page.indexOf(ENCODED); at !== -1; at = page.indexOf(ENCODED, at + ENCODED.length)) {
    const start = at + ENCODED.length
    const end = contentEnd(page, from, at)
    if (end - start < LEAST_CONTENT) continue
    kept.push(page.subarray(from, start))
    from = end
    at = end - ENCODED.length
  }
  return from === 0 ? bytes : Buffer.concat([...kept, page.subarray(from)])
}

/** Where the content ends whose label ends at `at`; the same place where it is no such content. */
function contentEnd(page: Buffer, from: number, at: number): number {
  const label = BEFORE.exec(page.toString('latin1', Math.max(from, at - LONGEST_BEFORE), at))
  if (label === null) return at
  const opening = at - label[0].length
  const isStyle = page[opening] === PARENTHESIS
  if (!isStyle && !isInTag(page, Math.max(from, opening - LOOKED_BACK), opening)) return at
  let end = at + ENCODED.length
  // A quoted address may go over several lines.
  while (IS_BASE64[page[end] ?? 0] === 1 || (!isStyle && (page[end] === LF || page[end] === CR))) end++
  return end
}

function isInTag(page: Buffer, from: number, at: number): boolean {
  const before = page.subarray(from, at)
  return before.lastIndexOf(LESS) > before.lastIndexOf(GREATER)
}
