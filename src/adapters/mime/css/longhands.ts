/**
 * Declarations to the longhands that the judgement of visibility asks for, with exact grammars.
 *
 * INVARIANT: a declaration that browsers drop says nothing; one whose validity is not known here is `isSure: false` and never replaces
 * what was declared before. A property that is named nowhere in this file is `other`: an element that carries it cannot be judged.
 */
import { UNREAD } from './declarations.ts'
import { GRAMMARS, type Verdict, words } from './grammars.ts'
import { backgroundParts, familyKind, fontParts, type Parts } from './shorthands.ts'
import { INHERIT, ODD, split, UNKNOWN } from './values.ts'

export interface Longhands {
  readonly pairs: readonly (readonly [string, string])[]
  readonly isSure: boolean
}

/** `undefined` where a browser drops the declaration, or where it changes nothing that matters here. */
type Reading = Longhands | undefined

/** How nothing but the text's own decoration, its breaks or what is not on a screen looks. */
const HARMLESS = words(
  'font-weight font-style font-variant font-variant-caps font-variant-ligatures font-variant-numeric font-variant-east-asian font-stretch ' +
    'font-kerning font-feature-settings font-synthesis font-optical-sizing text-align-last text-justify text-transform text-rendering ' +
    'text-decoration-line text-decoration-style text-decoration-color text-decoration-skip-ink text-underline-position text-overflow ' +
    'text-size-adjust text-autospace clear cursor pointer-events user-select resize caret-color accent-color touch-action quotes ' +
    'counter-reset counter-increment counter-set list-style list-style-type list-style-position list-style-image caption-side empty-cells ' +
    'border-collapse border-spacing object-fit object-position image-rendering image-orientation isolation order orphans widows ' +
    'page page-break-before page-break-after page-break-inside break-before break-after break-inside page-orientation size word-break word-wrap ' +
    'overflow-wrap hyphens line-break hyphenate-character hyphenate-limit-chars print-color-adjust forced-color-adjust scroll-behavior ' +
    'transition transition-property transition-duration transition-delay transition-timing-function transition-behavior will-change speak ' +
    'backface-visibility transform-origin transform-style transform-box perspective-origin flex flex-grow flex-shrink flex-basis flex-flow ' +
    'flex-direction flex-wrap align-items align-content align-self justify-content justify-items justify-self place-items place-content ' +
    'place-self gap row-gap column-gap grid-gap animation-delay animation-duration animation-direction animation-fill-mode ' +
    'animation-iteration-count animation-timing-function animation-play-state overflow-anchor appearance outline-color scrollbar-width ' +
    'scrollbar-color scrollbar-gutter text-emphasis-color fill stroke border-image-slice border-image-width border-image-outset border-image-repeat ' +
    // What browsers know under no such name, as mail programs and people write it.
    'font-color whitespace panose-1 src behavior tab-interval text-autospace layout-grid-mode valign bgcolor cellpadding cellspacing colspan ' +
    'text-line-through language page-break page-orientation mso style class align href target rel alt title face link vlink alink name id ' +
    'webkit-text-size-adjust ms-text-size-adjust moz-text-size-adjust font-smoothing smoothing osx-font-smoothing text-weight font-decoration ' +
    'font-align decoration underline text-style text-size text-color background-colour colour center interpolation-mode min-device-width ' +
    'table-border border-corner line-height-rule line-spacing margin-auto filter-ms keyboard-spacing charset supported-color-schemes',
)
const HARMLESS_NAME =
  /^(?:--|mso-|-(?!webkit-|internal-|epub-)[a-z]+-|\*|_|tab-stops|scrollbar-\w+-color$|scroll-|overscroll-|v-|column-rule|(?:-webkit-)?text-decoration-(?:line|style|color|skip))/
/** Prefixed names that mean nothing to Chromium, or nothing that matters. */
const HARMLESS_WEBKIT =
  /^-webkit-(?:text-size-adjust|font-smoothing|tap-highlight-color|user-select|user-drag|user-modify|touch-callout|overflow-scrolling|nbsp-mode|line-break|hyphens|hyphenate-\w+|box-sizing|border-(?:horizontal|vertical)-spacing|print-color-adjust|transition.*|backface-visibility|transform-(?:origin|style).*|perspective-origin|align-\w+|justify-content|flex(?:-\w+)?|order|box-(?:align|direction|flex|orient|pack|ordinal-group)|appearance|locale|font-feature-settings|text-decoration.*|padding-(?:start|end|before|after)|overflow.*|text-adjust|word-wrap|interpolation.*|min-.*|text-zoom|font-.*|animation-(?:delay|duration|direction|fill-mode|iteration-count|timing-function|play-state)|text-resize|size-adjust|border-(?:before|after|start|end).*|box-decoration-break)$/
/** Which prefixed names are another's in Chromium. */
const ALIAS =
  /^-webkit-(?=(?:animation|animation-name|background-clip|background-size|background-origin|border-radius|border-(?:top|bottom)-(?:left|right)-radius|box-shadow|clip-path|column-count|column-width|columns|filter|mask.*|opacity|perspective|shape-outside|text-emphasis|text-emphasis-style|transform|writing-mode)$)/

/** Values that change nothing; any other raises a doubt, even if another declaration overrides it. */
const FINE: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:transform|translate|rotate|scale|perspective|offset-path|filter|backdrop-filter|shape-outside|-webkit-box-reflect|animation|animation-name|clip-path|border-image-source|text-emphasis-style|text-emphasis|position-area|object-view-box|border-shape|view-transition-name|margin-trim|text-box-trim|text-fit)$/,
    /^none$/,
  ],
  [/^(?:mask|mask-image|mask-border|mask-box-image|mask-box-image-source)$/, /^none$/],
  [
    /^(?:columns|column-count|column-width|clip|offset-position|initial-letter|aspect-ratio|block-size|inline-size|-webkit-logical-(?:width|height)|-webkit-rtl-ordering)$/,
    /^(?:auto(?: auto)?|normal)$/,
  ],
  [/^(?:zoom)$/, /^(?:1|normal|100%)$/],
  [
    /^(?:mix-blend-mode|background-blend-mode|font-palette|font-variation-settings|font-variant-position|font-variant-alternates|font-variant-emoji|text-spacing-trim|text-box|math-style|math-shift|math-depth)$/,
    /^normal$/,
  ],
  [
    /^(?:contain|font-size-adjust|line-clamp|-webkit-line-clamp|-webkit-text-security|text-combine-upright|container-type)$/,
    /^(?:none|normal)$/,
  ],
  [/^(?:content-visibility)$/, /^visible$/],
  [/^(?:writing-mode|-webkit-writing-mode)$/, /^horizontal-tb$/],
  [/^text-orientation$/, /^mixed$/],
  [/^-webkit-text-stroke-width$/, /^0(?:px)?$/],
  [/^-webkit-text-stroke$/, /^0(?:px)?(?: \S+)?$/],
  [/^-webkit-text-stroke-color$/, /./],
  [/^outline-offset$/, /^0[a-z]*$/],
  [/^(?:text-decoration-thickness|text-underline-offset)$/, /^(?:auto|from-font|[0-2](?:\.\d+)?px|0\.[01]\d*em)$/],
  [/^text-decoration$/, /^(?!.*\d(?:[a-z]|%))[^\uffff?]*$/],
  [
    /^margin-(?:inline|block)(?:-start|-end)?$|^-webkit-margin-(?:start|end|before|after)$/,
    /^(?:(?:auto|0|\d+(?:\.\d+)?(?:px|em|pt|rem))(?: |$)){1,2}$/,
  ],
  [/^padding-(?:inline|block)(?:-start|-end)?$/, /^(?:(?:0|\d{1,2}(?:\.\d+)?(?:px|em|pt|rem))(?: |$)){1,2}$/],
  [/^(?:min|max)-(?:inline|block)-size$|^-webkit-(?:min|max)-logical-(?:width|height)$/, /^(?:auto|none)$/],
  [/^color-scheme$/, /^(?:normal|light|light dark|only light|light only)$/],
  [/^text-wrap(?:-mode|-style)?$/, /^(?:wrap|auto|balance|pretty|stable)$/],
  [
    /^vertical-align$/,
    /^(?:baseline|sub|super|text-top|text-bottom|middle|top|bottom|-?[0-2](?:\.\d+)?px|-?0?\.\d+em|-?\d\d?%|inherit|0)$/,
  ],
  [/^border-image$/, /^none(?: .*)?$/],
  [
    /^font-language-override$|^white-space-collapse$|^text-emphasis-position$|^ruby-position$|^ruby-align$|^dynamic-range-limit$/,
    /./,
  ],
  [/^z-index$/, /^(?:auto|\+?\d+)$/],
  [/^tab-size$/, /^[0-8]$/],
  [/^unicode-bidi$/, /^(?:normal|embed|isolate|plaintext)$/],
]

/** A doubt about an element's own text alone. */
export const OWN = '?own'
/** It certainly paints nothing. */
export const NOTHING = '?nothing'

/** Properties that change only how their own text looks, not what lies below. */
export const OWN_ONLY =
  /^(?:clip|clip-path|mask.*|mix-blend-mode|background-blend-mode|-webkit-text-security|font-.*|text-combine-upright|color-scheme|vertical-align|unicode-bidi|z-index|tab-size|text-wrap.*|content-visibility)$/

const INHERITED = words(
  'color -webkit-text-fill-color visibility direction white-space font-size line-height letter-spacing word-spacing text-indent font-family text-shadow text-align',
)
const INITIAL: ReadonlyMap<string, string> = new Map([
  ['display', 'inline'],
  ['position', 'static'],
  ['float', 'none'],
  ['overflow-x', 'visible'],
  ['overflow-y', 'visible'],
  ['visibility', 'visible'],
  ['direction', 'ltr'],
  ['table-layout', 'auto'],
  ['box-sizing', 'content-box'],
  ['text-align', 'start'],
  ['white-space', 'normal'],
  ['background-clip', 'border-box'],
  ['background-layout', 'plain'],
  ['opacity', '1'],
  ['color', 'canvastext'],
  ['-webkit-text-fill-color', 'currentcolor'],
  ['background-color', 'transparent'],
  ['background-image', 'none'],
  ['font-size', 'medium'],
  ['line-height', 'normal'],
  ['letter-spacing', 'normal'],
  ['word-spacing', 'normal'],
  ['text-indent', '0'],
  ['font-family', 'plain'],
])

const SIDES = ['top', 'right', 'bottom', 'left']
const FOUR: ReadonlyMap<string, readonly string[]> = new Map([
  ['margin', SIDES.map((side) => `margin-${side}`)],
  ['padding', SIDES.map((side) => `padding-${side}`)],
  ['inset', SIDES],
])

/** `name` and `value` of a declaration, the value canonical. */
export function longhandsOf(written: string, value: string, quirky: boolean): Reading {
  // A style attribute that was too long to be read.
  if (written === UNREAD || written === 'all') return EVERYTHING
  const name = written.replace(ALIAS, '')
  if (value === '' || HARMLESS.has(name) || HARMLESS_NAME.test(name) || HARMLESS_WEBKIT.test(name)) return undefined
  const row = FINE.find(([names]) => names.test(name))
  if (row !== undefined) return row[1].test(value) || WIDE.test(value) ? undefined : sure([[name, mildly(name, value)]])
  const names = longhandNames(name)
  if (names === undefined) return sure([[REACHING.test(name) ? 'reaching' : 'other', UNKNOWN]])
  if (WIDE.test(value)) return sure(names.map((longhand) => [longhand, wide(longhand, value)]))
  if (value.includes(ODD) && name !== 'font-family') return unsure(names)
  if (/(?:^|[^\w-])(?:var|env|attr|if|inherit|random|--[\w-]+)\(/.test(value))
    return sure(names.map((longhand) => [longhand, UNKNOWN]))
  const grammar = GRAMMARS.get(name)
  const exact = quirky ? withUnit(name, value) : value
  if (grammar !== undefined) return judged(names, grammar(exact, quirky), exact)
  if (FOUR.has(name)) return fourSides(names, value, quirky)
  return special(name, names, value, quirky)
}

/** Values that are not understood, but certainly paint nothing outside of their own box, or nothing at all. */
function mildly(name: string, value: string): string {
  if (
    name === 'filter' &&
    /^(?:(?:opacity|grayscale|brightness|contrast|invert|saturate|sepia)\([\d.]+%?\)(?: |$))+$/.test(value)
  )
    return OWN
  if (name === 'transform' && /^scale(?:3d)?\(0(?:,[\d.]+)*\)$/.test(value)) return OWN
  if (name === 'clip' && /^rect\((?:[01](?:px)?[, ]?){4}\)$/.test(value)) return NOTHING
  const away = name === 'transform' ? /^translate(?:x|3d)?\(-(\d{4,5})px(?:,[^()]*)?\)$/.exec(value) : null
  return away === null ? UNKNOWN : `away ${away[1]}`
}

/** Any property may have any value. */
const EVERYTHING: Longhands = { pairs: ['reaching', ...GRAMMARS.keys()].map((name) => [name, UNKNOWN]), isSure: true }

/** Without a doctype, lengths may leave out their unit (Quirks Mode §3.2). */
function withUnit(name: string, value: string): string {
  return UNITLESS.test(name) && /^[+-]?[\d.]+$/.test(value) ? `${value}px` : value
}

const UNITLESS =
  /^(?:font-size|letter-spacing|word-spacing|text-indent|top|right|bottom|left|(?:margin|padding)-\w+|(?:min-|max-)?(?:width|height))$/
const WIDE = /^(?:inherit|initial|unset|revert|revert-layer)$/

function wide(longhand: string, value: string): string {
  if (value === 'inherit') return INHERIT
  if (value.startsWith('revert')) return UNKNOWN
  if (value === 'unset' && INHERITED.has(longhand)) return INHERIT
  return INITIAL.get(longhand) ?? UNKNOWN
}

function sure(pairs: readonly (readonly [string, string])[]): Longhands {
  return { pairs, isSure: true }
}

function unsure(names: readonly string[]): Longhands {
  return { pairs: names.map((name) => [name, UNKNOWN]), isSure: false }
}

function judged(names: readonly string[], verdict: Verdict, value: string): Reading {
  if (verdict === 'invalid') return undefined
  return verdict === 'valid' ? sure(names.map((name) => [name, value])) : unsure(names)
}

const BACKGROUND = ['background-color', 'background-image', 'background-layout', 'background-clip']
const FONT = ['font-size', 'line-height', 'font-family']
const OVERFLOW = ['overflow-x', 'overflow-y']

/** What a property stands for; `undefined` for one that is not known. */
function longhandNames(name: string): readonly string[] | undefined {
  if (GRAMMARS.has(name) || name === 'font-family') return [name]
  if (FOUR.has(name)) return FOUR.get(name)
  if (name === 'background') return BACKGROUND
  if (/^background-(?:size|position|position-x|position-y|repeat|attachment|origin)$/.test(name))
    return ['background-layout']
  if (name === 'font') return FONT
  if (name === 'overflow') return OVERFLOW
  return /^(?:border|outline|box-shadow$|text-shadow$|content$)/.test(name) ? [name] : undefined
}

function special(name: string, names: readonly string[], value: string, quirky: boolean): Reading {
  if (name === 'background') return taken(BACKGROUND, backgroundParts(value, quirky))
  if (name === 'font') return taken(FONT, fontParts(value))
  if (name === 'font-family') return sure([[name, familyKind(value)]])
  if (name === 'overflow') return overflow(value)
  if (name === 'content') return sure([[name, value]])
  if (names[0] === 'background-layout') return sure([['background-layout', 'placed']])
  if (name === 'text-shadow' && value !== 'none') return sure([[name, isSmall(name, value) ? 'small' : UNKNOWN]])
  if (!isSmall(name, value)) return sure([[name, UNKNOWN]])
  return /^border(?!.*(?:radius|color|style))/.test(name) ? sure([['border-size', `${largest(value)}px`]]) : undefined
}

function taken(names: readonly string[], parts: Parts): Reading {
  if (parts === 'invalid') return undefined
  return parts === 'unknown' ? unsure(names) : sure(parts)
}

/** Families of properties that can move a box or paint outside of it. */
const REACHING =
  /^(?:all$|grid|anchor|position|inset|offset|animation|mask|column|corner|overlay|timeline|view-|contain|-webkit-|margin|text-box|rule|row-rule|baseline|float|reading|flex-line|overflow)/

/** Borders, outlines and shadows that are too thin, or too faint, to cover anything. */
function isSmall(name: string, value: string): boolean {
  if (name.startsWith('border-image') || name.startsWith('border-shape')) return false
  if (name.startsWith('border')) return largest(value) <= (name.includes('radius') ? 16 : 40)
  if (name.startsWith('outline')) return /^(?:none|0)/.test(value) || largest(value) <= 3
  if (value === 'none') return true
  if (name === 'text-shadow') return largest(value) <= 2 && !value.includes(',')
  const shadows = split(value, ',')
  const isFaint = shadows.every((shadow) => /^(?!.*inset)(?!.*-\d).*rgba\(0,0,0,(?:0|0?\.[0-2]\d*)\)/.test(shadow))
  return largest(value) <= 2 || (largest(value) <= 32 && isFaint && shadows.length <= 2)
}

const LENGTH = /(\d+(?:\.\d+)?)([a-z%]*)/g
const ROUGHLY: Readonly<Record<string, number>> = {
  px: 1,
  em: 24,
  rem: 16,
  in: 96,
  cm: 38,
  mm: 4,
  pc: 16,
  pt: 1.34,
  '': 1,
}

/** The largest length in a value, in pixels, roughly. */
function largest(value: string): number {
  const bare = value.replace(/#[0-9a-f]+|(?:rgba?|hsla?)\([^)]*\)/g, '')
  if (/[(\uffff]/.test(bare)) return Number.POSITIVE_INFINITY
  return Math.max(
    0,
    ...[...bare.matchAll(LENGTH)].map(([, number, unit = '']) => Number(number) * (ROUGHLY[unit] ?? 100)),
  )
}

function fourSides(names: readonly string[], value: string, quirky: boolean): Reading {
  const first = names[0] ?? ''
  const parts = split(value, ' ').map((part) => (quirky ? withUnit(first, part) : part))
  const grammar = GRAMMARS.get(first)
  const verdicts = parts.map((part) => grammar?.(part, quirky))
  if (parts.length > 4 || verdicts.includes('invalid')) return undefined
  if (verdicts.includes('unknown')) return unsure(names)
  const [top = '', right = top, bottom = top, left = right] = parts
  return sure([top, right, bottom, left].map((part, side): [string, string] => [names[side] ?? '', part]))
}

function overflow(value: string): Reading {
  const parts = split(value, ' ')
  const grammar = GRAMMARS.get('overflow-x')
  if (parts.length > 2 || parts.some((part) => grammar?.(part, false) !== 'valid')) {
    return value.includes('(') ? unsure(OVERFLOW) : undefined
  }
  const [x = '', y = x] = parts
  return sure([
    ['overflow-x', x],
    ['overflow-y', y],
  ])
}
