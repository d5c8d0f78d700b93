/**
 * CSS values as canonical text: lower case, one space between words, none around commas, slashes and brackets.
 *
 * INVARIANT: two values with the same text mean the same to a browser. What cannot be written that way (odd identifiers, broken strings)
 * has a mark in its text that no grammar takes.
 */
import { lowerAscii, type Token } from './tokens.ts'

/** Stands for what has no canonical text. */
export const ODD = '\uffff'
/** The value of a declaration whose meaning, or whose validity, is not known here. */
export const UNKNOWN = '?'
export const INHERIT = '^'

const PLAIN_IDENT = /^-{0,2}[a-z_][\w-]*$/i
const LONGEST = 2000

export function canonical(tokens: readonly Token[]): string {
  let text = ''
  for (let at = 0; at < tokens.length && text.length < LONGEST; at++) {
    const token = tokens[at]
    const next = tokens[at + 1]
    if (token === undefined) break
    if (token.kind === 'function' && /^(?:url|src)$/i.test(token.text) && next?.kind === 'string') {
      text += addressText(next.text)
      while (at < tokens.length && tokens[at]?.kind !== ')') at++
    } else text += tokenText(token)
  }
  if (text.length >= LONGEST) return ODD
  return text
    .replace(/ ?([,/]) ?/g, '$1')
    .replaceAll('( ', '(')
    .replaceAll(' )', ')')
    .trim()
}

function tokenText(token: Token): string {
  switch (token.kind) {
    case 'ident':
      return PLAIN_IDENT.test(token.text) ? lowerAscii(token.text) : ODD
    case 'function':
      return `${PLAIN_IDENT.test(token.text) ? lowerAscii(token.text) : ODD}(`
    case 'number':
      return String(token.number)
    case 'percentage':
      return `${token.number}%`
    case 'dimension':
      return `${token.number}${token.unit}`
    case 'hash':
      return `#${lowerAscii(token.text)}`
    case 'string':
      return `"${token.text.replace(/["\\\s(),/]/g, '_')}"`
    case 'url':
      return addressText(token.text)
    case 'space':
      return ' '
    case 'comma':
      return ','
    case 'delim':
      return /^[-+*/.!<>=~|&%]$/.test(token.text) ? token.text : ODD
    case '(':
    case ')':
      return token.text
    default:
      return ODD
  }
}

/** All that matters of an address: whether a browser would have to fetch it. */
function addressText(address: string): string {
  return /^[\0- ]*(?:data|blob|about|filesystem):/i.test(address.replace(/[\t\n\r]/g, '')) || address.startsWith('#')
    ? 'url(inside)'
    : 'url(web)'
}

/** Parts between separators outside of brackets and quotes. */
export function split(value: string, separator: ' ' | ',' | '/'): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  let quoted = false
  for (let at = 0; at < value.length; at++) {
    const sign = value[at]
    if (sign === '"') quoted = !quoted
    else if (quoted) continue
    else if (sign === '(') depth++
    else if (sign === ')') depth--
    else if (sign === separator && depth === 0) {
      parts.push(value.slice(start, at))
      start = at + 1
    }
  }
  parts.push(value.slice(start))
  return parts
}

const PIXELS: ReadonlyMap<string, number> = new Map([
  ['px', 1],
  ['pt', 4 / 3],
  ['pc', 16],
  ['in', 96],
  ['cm', 96 / 2.54],
  ['mm', 9.6 / 2.54],
  ['q', 2.4 / 2.54],
  ['rem', 16],
  ['vw', 6],
])
const UNITS =
  /^(?:px|pt|pc|in|cm|mm|q|em|rem|ex|rex|ch|rch|cap|rcap|ic|ric|lh|rlh|[sld]?v(?:w|h|i|b|min|max)|cq(?:w|h|i|b|min|max))$/
const DIMENSION = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%|)$/

export interface Dimension {
  readonly number: number
  /** Empty for a plain number. */
  readonly unit: string
}

export function dimension(value: string): Dimension | undefined {
  const match = DIMENSION.exec(value)
  return match === null ? undefined : { number: Number(match[1]), unit: match[2] ?? '' }
}

export function isLengthUnit(unit: string): boolean {
  return UNITS.test(unit)
}

/** Pixels, where they do not depend on the height of the window. `whole` is what 100 % stands for. */
export function pixels(value: string, em: number, whole?: number): number | undefined {
  if (value.includes('(')) return mathOf(value, em, whole)
  const found = dimension(value)
  if (found === undefined) return undefined
  const { number, unit } = found
  if (number === 0) return 0
  if (unit === '%') return whole === undefined ? undefined : (number * whole) / 100
  const factor = unit === 'em' ? em : unit === 'ex' || unit === 'ch' ? em * 0.55 : PIXELS.get(unit)
  return factor === undefined ? undefined : number * factor
}

/** `calc()`, `min()`, `max()` and `clamp()` of lengths, without brackets inside of sums. */
function mathOf(value: string, em: number, whole: number | undefined): number | undefined {
  const call = /^(calc|min|max|clamp)\((.*)\)$/.exec(value)
  if (call === null) return undefined
  const [, name = '', inside = ''] = call
  const parts = split(inside, ',').map((part) => sumOf(part, em, whole))
  const known = parts.filter((part) => part !== undefined)
  if (known.length < parts.length || parts.length !== (name === 'calc' ? 1 : name === 'clamp' ? 3 : parts.length))
    return undefined
  if (name === 'clamp') return Math.max(known[0] ?? 0, Math.min(known[1] ?? 0, known[2] ?? 0))
  return name === 'max' ? Math.max(...known) : Math.min(...known)
}

/** Lengths, added and subtracted, each perhaps multiplied or divided by one number. */
function sumOf(text: string, em: number, whole: number | undefined): number | undefined {
  const parts = split(text, ' ')
  let total = 0
  for (let at = 0; at < parts.length; at += 2) {
    const sign = at === 0 ? '+' : parts[at - 1]
    const product = /^([^*/]+)(?:([*/])([\d.]+))?$/.exec(parts[at] ?? '')
    const size =
      product === null || !/[a-z%)]$/.test(product[1] ?? '') ? undefined : pixels(product[1] ?? '', em, whole)
    if (size === undefined || (sign !== '+' && sign !== '-')) return undefined
    const factor = product?.[3] === undefined ? 1 : product[2] === '*' ? Number(product[3]) : 1 / Number(product[3])
    if (!Number.isFinite(factor)) return undefined
    total += (sign === '-' ? -1 : 1) * size * factor
  }
  return total
}

/** Whether `pixels` can tell what it comes to. */
export function isMath(value: string): boolean {
  return /^(?:calc|min|max|clamp)\(/.test(value) && pixels(value, 16, 100) !== undefined
}
