/**
 * How the text of an element looks, as far as that decides whether a person can see it.
 *
 * INVARIANT: an appearance is never changed; a child that says nothing shares its parent's. `hidden` text cannot be seen;
 * `gone` says so of everything inside, whatever that says of itself.
 */
import { BLACK, type Colour, parseColour, TRANSPARENT, WHITE } from '../css/colour.ts'
import { parseFontSize, parseLength, parseNumber } from '../css/length.ts'
import { type Properties, WIDE_KEYWORDS } from '../css/properties.ts'
import { functionsOf } from '../css/scan.ts'
import { type Backdrop, backdropOf, isLost } from './backdrop.ts'
import { cannotBeSeen, isCut } from './concealment.ts'

export interface Appearance {
  readonly colour: Colour
  /** What letters are filled with, where that differs from `colour`. */
  readonly fill: Colour | undefined
  readonly backdrop: Backdrop
  readonly opacity: number
  readonly fontSize: number
  readonly visible: boolean
  /** The first line, or every letter, is pushed out of sight. */
  readonly displaced: boolean
  readonly direction: string
  /** Every letter runs in `direction`, whatever its script. */
  readonly overridden: boolean
  readonly gone: boolean
  readonly hidden: boolean
  readonly variables: Properties
}

// Smaller letters than this are a way to hide, not to save space.
const SMALLEST_FONT = 4
const FAINTEST = 0.05
const FAR_INDENT = -300

export const PAGE: Appearance = {
  colour: BLACK,
  fill: undefined,
  backdrop: [WHITE],
  opacity: 1,
  fontSize: 16,
  visible: true,
  displaced: false,
  direction: 'ltr',
  overridden: false,
  gone: false,
  hidden: false,
  variables: new Map(),
}

/**
 * What the same properties came to last: element after element has them, inside of the same parent. Only where there are
 * no variables, so that it holds nothing of a page.
 */
const KNOWN = new WeakMap<Properties, { readonly parent: Appearance; readonly appearance: Appearance }>()

/** The appearance inside of an element with those properties. */
export function appearanceOf(parent: Appearance, own: Properties, variables: Properties): Appearance {
  if (parent.gone || (own.size === 0 && variables === parent.variables)) return parent
  const known = KNOWN.get(own)
  if (known?.parent === parent && variables === PAGE.variables) return known.appearance
  const fontSize = fontSizeOf(own.get('font-size'), parent)
  // Each a piece of its own: whoever counts what is hidden tells them apart.
  if (cannotBeSeen(own, fontSize)) return { ...parent, gone: true, hidden: true }
  const colour = colourOf(own.get('color'), parent, parent.colour, BLACK)
  const fill = own.get('text-fill-color')
  const background = colourOf(own.get('background-color'), { ...parent, colour }, TRANSPARENT, TRANSPARENT)
  const look = {
    colour,
    fill: fill === undefined ? parent.fill : fillOf(fill, { ...parent, colour }),
    backdrop: backdropOf(parent.backdrop, own, colour, background),
    opacity: parent.opacity * opacityOf(own),
    fontSize,
    visible: visibleOf(own.get('visibility'), parent),
    displaced: displacedOf(own, parent, fontSize),
    direction: directionOf(own.get('direction'), parent),
    overridden: overriddenOf(own.get('unicode-bidi'), parent),
    gone: false,
    variables,
  }
  const appearance = { ...look, hidden: isHidden(look) }
  if (variables === PAGE.variables) KNOWN.set(own, { parent, appearance })
  return appearance
}

function isHidden(look: Omit<Appearance, 'hidden'>): boolean {
  if (!look.visible || look.displaced || look.fontSize < SMALLEST_FONT || look.opacity <= FAINTEST) return true
  return isLost(look.fill ?? look.colour, look.opacity, look.backdrop)
}

function fontSizeOf(value: string | undefined, parent: Appearance): number {
  if (value === undefined || value === 'inherit' || value === 'unset') return parent.fontSize
  if (WIDE_KEYWORDS.has(value)) return PAGE.fontSize
  return parseFontSize(value, parent.fontSize) ?? parent.fontSize
}

/** `none` is what holds where nothing is said. */
function colourOf(value: string | undefined, parent: Appearance, none: Colour, initial: Colour): Colour {
  if (value === undefined || value === 'inherit' || value === 'unset' || value === 'revert') return none
  if (value === 'currentcolor') return parent.colour
  if (WIDE_KEYWORDS.has(value)) return initial
  return parseColour(value) ?? none
}

function fillOf(value: string, parent: Appearance): Colour | undefined {
  if (value === 'inherit' || value === 'unset') return parent.fill
  return value === 'currentcolor' ? undefined : parseColour(value)
}

function visibleOf(value: string | undefined, parent: Appearance): boolean {
  if (value === undefined || value === 'inherit' || value === 'unset') return parent.visible
  return value !== 'hidden' && value !== 'collapse'
}

function opacityOf(own: Properties): number {
  const opacity = parseNumber(own.get('opacity') ?? '') ?? 1
  const filter = functionsOf(own.get('filter') ?? '').find(({ name }) => name === 'opacity')
  const filtered = parseNumber(filter?.parts[0] ?? '') ?? 1
  return Math.min(1, Math.max(0, opacity)) * Math.min(1, Math.max(0, filtered))
}

function directionOf(value: string | undefined, parent: Appearance): string {
  if (value === undefined || value === 'inherit' || value === 'unset') return parent.direction
  return value === 'rtl' ? 'rtl' : 'ltr'
}

function overriddenOf(value: string | undefined, parent: Appearance): boolean {
  if (value === undefined || value === 'normal' || WIDE_KEYWORDS.has(value)) return parent.overridden
  return value.endsWith('override')
}

function displacedOf(own: Properties, parent: Appearance, fontSize: number): boolean {
  const indent = own.get('text-indent')
  const spacing = own.get('letter-spacing')
  const words = own.get('word-spacing')
  if (indent === undefined && spacing === undefined && words === undefined) return parent.displaced
  const measure = { fontSize, whole: 600 }
  const shift = parseLength(indent?.split(' ')[0] ?? '', measure) ?? 0
  const gap = parseLength(spacing ?? '', measure) ?? 0
  if ((parseLength(words ?? '', measure) ?? 0) <= FAR_INDENT || (isCut(own) && shift >= measure.whole)) return true
  if (shift <= FAR_INDENT || shift >= 2000 || gap <= -Math.max(4, fontSize * 0.4)) return true
  return indent === 'inherit' || spacing === 'inherit' ? parent.displaced : false
}
