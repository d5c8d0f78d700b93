/** What elements and their attributes say about looks without any style sheet, as the weakest of declarations. */
import { parseLegacyColour } from '../css/colour.ts'
import type { Declaration } from '../css/declaration.ts'
import type { Attributes } from './markup.ts'

interface Hinted {
  readonly name: string
  readonly attributes: Attributes
  readonly parent: { readonly name: string; readonly attributes: Attributes } | undefined
}

const FONT_SIZES = ['10px', '13px', '16px', '18px', '24px', '32px', '48px']
const HEADING_SIZES: ReadonlyMap<string, string> = new Map([
  ['h1', '2em'],
  ['h2', '1.5em'],
  ['h3', '1.17em'],
  ['h5', '0.83em'],
  ['h6', '0.67em'],
  ['small', '0.83em'],
  ['big', '1.2em'],
])
/** Whose text is cut off where it does not fit. */
const CUTTING = new Set(['input', 'textarea', 'marquee'])
const NONE: readonly Declaration[] = []

export function hintsOf(element: Hinted, inMath = false): readonly Declaration[] {
  const { name, attributes } = element
  if (name === 'dialog' && !attributes.has('open')) return [declare('display', 'none')]
  const size = HEADING_SIZES.get(name)
  const found: Declaration[] = size === undefined ? [] : [declare('font-size', size)]
  if (CUTTING.has(name)) found.push(declare('overflow', 'hidden'))
  if (name === 'bdo') found.push(declare('unicode-bidi', 'isolate-override'))
  if (name === 'a' && attributes.has('href')) found.push(declare('color', '#0000ee'))
  else if (name === 'mark') found.push(declare('background-color', '#ffff00'), declare('color', '#000000'))
  if (attributes.size > 0) found.push(...attributeHints(name, attributes))
  if (inMath && attributes.size > 0) found.push(...mathHints(attributes))
  return found.length === 0 ? NONE : found
}

/** In `<details>` that is not open only the summary shows, whatever the styles say. */
export function isFoldedAway({ name, parent }: Hinted): boolean {
  return parent?.name === 'details' && name !== 'summary' && !parent.attributes.has('open')
}

function attributeHints(name: string, attributes: Attributes): Declaration[] {
  const found: Declaration[] = []
  if (attributes.has('hidden') || attributes.has('popover')) found.push(declare('display', 'none'))
  const direction = attributes.get('dir')?.trim().toLowerCase()
  if (direction === 'rtl' || direction === 'ltr') found.push(declare('direction', direction))
  if (name === 'marquee') found.push(...sizeHints(attributes))
  const background = parseLegacyColour(attributes.get('bgcolor') ?? '')
  if (background !== undefined) found.push(declare('background-color', rgb(background)))
  const colour = parseLegacyColour(
    (name === 'font' ? attributes.get('color') : name === 'body' ? attributes.get('text') : '') ?? '',
  )
  if (colour !== undefined) found.push(declare('color', rgb(colour)))
  const size = name === 'font' ? fontSize(attributes.get('size')) : undefined
  if (size !== undefined) found.push(declare('font-size', size))
  return found
}

function sizeHints(attributes: Attributes): Declaration[] {
  return ['width', 'height'].flatMap((name) => {
    const size = /^\s*\d+%?/.exec(attributes.get(name) ?? '')?.[0].trim()
    return size === undefined ? [] : declare(name, size.endsWith('%') ? size : `${size}px`)
  })
}

/** MathML has attributes of its own for what styles say elsewhere. */
function mathHints(attributes: Attributes): Declaration[] {
  const found = [...MATH_ATTRIBUTES].flatMap(([attribute, property]) => {
    const value = attributes.get(attribute)?.trim().toLowerCase()
    return value === undefined ? [] : declare(property, value)
  })
  const level = Number(attributes.get('scriptlevel') ?? 0)
  return level > 0 ? [...found, declare('font-size', `${100 * 0.71 ** level}%`)] : found
}

const MATH_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['mathsize', 'font-size'],
  ['mathcolor', 'color'],
  ['mathbackground', 'background-color'],
])

function fontSize(value: string | undefined): string | undefined {
  const match = /^\s*([+-]?)(\d{1,3})/.exec(value ?? '')
  if (match === null) return undefined
  const step = match[1] === '' ? Number(match[2]) : 3 + Number(`${match[1]}${match[2]}`)
  return FONT_SIZES[Math.min(7, Math.max(1, step)) - 1]
}

function rgb({ red, green, blue }: { red: number; green: number; blue: number }): string {
  return `rgb(${red},${green},${blue})`
}

function declare(name: string, value: string): Declaration {
  return { name, value, important: false }
}
