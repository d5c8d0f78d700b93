/** What elements and their attributes say about looks without any style sheet, as the weakest of declarations. */
import { parseLegacyColour } from '../css/colour.ts'
import { type Declaration, parseDeclarations } from '../css/declaration.ts'
import { remembered } from '../css/remembered.ts'
import type { Attributes } from './markup.ts'

interface Hinted {
  readonly name: string
  readonly attributes: Attributes
  readonly parent: { readonly name: string; readonly attributes: Attributes } | undefined
}

const FONT_SIZES = ['10px', '13px', '16px', '18px', '24px', '32px', '48px']
const NAME_HINTS: ReadonlyMap<string, string> = new Map([
  ['h1', 'font-size:2em;'],
  ['h2', 'font-size:1.5em;'],
  ['h3', 'font-size:1.17em;'],
  ['h5', 'font-size:0.83em;'],
  ['h6', 'font-size:0.67em;'],
  ['small', 'font-size:0.83em;'],
  ['big', 'font-size:1.2em;'],
  // Whose text is cut off where it does not fit.
  ['input', 'overflow:hidden;'],
  ['textarea', 'overflow:hidden;'],
  ['marquee', 'overflow:hidden;'],
  ['bdo', 'unicode-bidi:isolate-override;'],
  ['mark', 'background-color:#ffff00;color:#000000;'],
])
const NONE: readonly Declaration[] = []

export function hintsOf(element: Hinted, inMath = false): readonly Declaration[] {
  const { name, attributes } = element
  if (name === 'dialog' && !attributes.has('open')) return declarations('display:none')
  const css = (NAME_HINTS.get(name) ?? '') + (attributes.size === 0 ? '' : attributeHints(name, attributes))
  const found = css === '' ? NONE : declarations(css)
  return inMath && attributes.size > 0 ? [...found, ...mathHints(attributes)] : found
}

/** The same list for the same hints: whoever resolves it knows it again. */
const declarations = remembered((css): readonly Declaration[] => parseDeclarations(css), 500, 200)

/** In `<details>` that is not open only the summary shows, whatever the styles say. */
export function isFoldedAway({ name, parent }: Hinted): boolean {
  return parent?.name === 'details' && name !== 'summary' && !parent.attributes.has('open')
}

function attributeHints(name: string, attributes: Attributes): string {
  let css = name === 'a' && attributes.has('href') ? 'color:#0000ee;' : ''
  if (attributes.has('hidden') || attributes.has('popover')) css += 'display:none;'
  const direction = attributes.get('dir')?.trim().toLowerCase()
  if (direction === 'rtl' || direction === 'ltr') css += `direction:${direction};`
  if (name === 'marquee') css += sizeHint('width', attributes) + sizeHint('height', attributes)
  const background = attributes.get('bgcolor')
  if (background !== undefined) css += colourHint('background-color', background)
  if (name === 'body') css += colourHint('color', attributes.get('text') ?? '')
  if (name !== 'font') return css
  const size = fontSize(attributes.get('size'))
  return `${css}${colourHint('color', attributes.get('color') ?? '')}${size === undefined ? '' : `font-size:${size}`}`
}

function colourHint(property: string, value: string): string {
  const colour = parseLegacyColour(value)
  return colour === undefined ? '' : `${property}:rgb(${colour.red},${colour.green},${colour.blue});`
}

function sizeHint(name: string, attributes: Attributes): string {
  const size = /^\s*\d+%?/.exec(attributes.get(name) ?? '')?.[0].trim()
  return size === undefined ? '' : `${name}:${size.endsWith('%') ? size : `${size}px`};`
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

function declare(name: string, value: string): Declaration {
  return { name, value, important: false }
}
