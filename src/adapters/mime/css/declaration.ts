/**
 * Declarations: `name: value !important`, as style attributes and rules hold them.
 *
 * INVARIANT: never throws, linear; names and values are in lower case with escapes resolved, so that a trick of
 * spelling hides nothing from us. Whether a value is valid is `properties.ts`'s to say.
 */
import { SegmentReader, unescapeCss } from './scan.ts'

export interface Declaration {
  readonly name: string
  readonly value: string
  readonly important: boolean
}

// More than any style attribute has; what follows in a longer one still counts, the first are given up.
const MAX_DECLARATIONS = 500

export function parseDeclaration(text: string): Declaration | undefined {
  const colon = text.indexOf(':')
  if (colon === -1) return undefined
  const name = unescapeCss(text.slice(0, colon)).trim().toLowerCase()
  if (!/^-{0,2}[\w\u0080-\uFFFF-]+$/.test(name)) return undefined
  const raw = unescapeCss(text.slice(colon + 1)).trim()
  const important = /!\s*important$/i.exec(raw)
  const value = (important === null ? raw : raw.slice(0, important.index)).trim()
  return { name, value: plain(name, value), important: important !== null }
}

/** Only in `content` it matters how words are written. */
function plain(name: string, value: string): string {
  const folded = value.replace(/\s+/g, ' ')
  return name === 'content' ? folded : folded.toLowerCase()
}

/** The content of a `style` attribute. */
export function parseDeclarations(css: string): Declaration[] {
  const found: Declaration[] = []
  const reader = new SegmentReader(css)
  for (let segment = reader.next(false); segment !== undefined; segment = reader.next(false)) {
    const declaration = segment.end === '{' ? undefined : parseDeclaration(segment.text)
    if (declaration !== undefined) found.push(declaration)
  }
  return found.length > MAX_DECLARATIONS ? found.slice(-MAX_DECLARATIONS) : found
}
