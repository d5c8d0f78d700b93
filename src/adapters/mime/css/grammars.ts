/**
 * What values the properties take that the judgement of visibility asks for.
 *
 * INVARIANT: `valid` and `invalid` are what Chromium says of the value; where that is not known here it is `unknown`.
 */
import { type Colour, parseColour } from './colour.ts'
import { dimension, isLengthUnit, isMath, split } from './values.ts'

export type Verdict = 'valid' | 'invalid' | 'unknown'
export type Grammar = (value: string, quirky: boolean) => Verdict

export function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

function keywords(list: string): Grammar {
  const known = words(list)
  return (value) => {
    if (known.has(value)) return 'valid'
    return /^[\w-]+$/.test(value) || dimension(value) !== undefined ? 'invalid' : 'unknown'
  }
}

interface Lengths {
  readonly negative?: boolean
  readonly percent?: boolean
  readonly number?: boolean
  readonly words: string
}

/** Sizes that follow from the content, which are not computed here. */
const CONTENT_SIZES =
  /^(?:(?:-webkit-)?(?:min-content|max-content|fit-content|fill-available)|stretch|intrinsic|min-intrinsic|auto|none|contain|calc-size|anchor-size|math)$/

function lengths({ negative = false, percent = true, number = false, words: list }: Lengths): Grammar {
  const known = words(list)
  return (value, quirky) => {
    if (known.has(value)) return 'valid'
    const found = dimension(value)
    if (found === undefined) {
      if (isMath(value)) return percent || !value.includes('%') ? 'valid' : 'invalid'
      if (/^[\w-]+$/.test(value)) return CONTENT_SIZES.test(value) ? 'unknown' : 'invalid'
      return /^[\w.%+-]+(?: [\w.%+-]+)+$/.test(value) ? 'invalid' : 'unknown'
    }
    if (found.number < 0 && !negative) return 'invalid'
    if (found.unit === '') return found.number === 0 || number ? 'valid' : quirky ? 'unknown' : 'invalid'
    if (found.unit === '%') return percent ? 'valid' : 'invalid'
    return isLengthUnit(found.unit) ? 'valid' : 'invalid'
  }
}

export const colourGrammar: Grammar = (value, quirky) => {
  if (value === 'currentcolor') return 'valid'
  const found = parseColour(value)
  // Pages without a doctype may leave out the sign of a hexadecimal colour.
  if (found === 'invalid' && quirky && /^[0-9a-f.e+]{1,10}$/.test(value)) return 'unknown'
  return typeof found === 'string' ? found : 'valid'
}

const opacity: Grammar = (value) => {
  const found = dimension(value)
  if (found !== undefined) return found.unit === '' || found.unit === '%' ? 'valid' : 'invalid'
  return /[(]/.test(value) ? 'unknown' : 'invalid'
}

export const imageGrammar: Grammar = (value) => {
  const verdicts = split(value, ',').map(oneImage)
  if (verdicts.includes('invalid')) return 'invalid'
  return verdicts.includes('unknown') ? 'unknown' : 'valid'
}

function oneImage(value: string): Verdict {
  if (value === 'none' || value === 'url(web)' || value === 'url(inside)' || gradientStops(value) !== undefined)
    return 'valid'
  return /^-(?:moz|o|ms)-/.test(value) || !value.includes('(') ? 'invalid' : 'unknown'
}

const DIRECTION =
  /^(?:to (?:left|right|top|bottom)|to (?:left|right) (?:top|bottom)|to (?:top|bottom) (?:left|right)|-?[\d.]+(?:deg|turn|rad|grad))$/
const ELLIPSE = /^(?:circle|ellipse|(?:closest|farthest)-(?:side|corner)|circle at center|ellipse at center)$/

/** All colours of a gradient; `undefined` for one that is not understood. */
export function gradientStops(value: string): readonly Colour[] | undefined {
  const call = /^(?:repeating-)?(linear|radial)-gradient\((.*)\)$/.exec(value)
  if (call === null) return undefined
  const parts = split(call[2] ?? '', ',')
  if ((call[1] === 'linear' ? DIRECTION : ELLIPSE).test(parts[0] ?? '')) parts.shift()
  if (parts.length < 2) return undefined
  const stops: Colour[] = []
  for (const part of parts) {
    const [paint = '', ...places] = split(part, ' ')
    const colour = parseColour(paint)
    if (typeof colour === 'string' || places.length > 2 || !places.every(isPlace)) return undefined
    stops.push(colour)
  }
  return stops
}

function isPlace(value: string): boolean {
  const found = dimension(value)
  return found !== undefined && (found.number === 0 || found.unit === '%' || isLengthUnit(found.unit))
}

const SIDES = ['top', 'right', 'bottom', 'left']
const MARGIN = lengths({ negative: true, words: 'auto' })
const SPACING = lengths({ negative: true, words: 'normal' })
const OVERFLOW = keywords('visible hidden clip scroll auto overlay')

const DISPLAYS =
  'none block inline inline-block list-item table inline-table table-row table-cell table-row-group table-header-group table-footer-group ' +
  'table-caption table-column table-column-group flow-root contents flex inline-flex grid inline-grid ruby ruby-text math -webkit-box ' +
  '-webkit-inline-box -webkit-flex -webkit-inline-flex flow grid-lanes inline-grid-lanes'

export const GRAMMARS: ReadonlyMap<string, Grammar> = new Map<string, Grammar>([
  ['display', keywords(DISPLAYS)],
  ['position', keywords('static relative absolute fixed sticky -webkit-sticky')],
  ['float', keywords('left right none inline-start inline-end')],
  ['overflow-x', OVERFLOW],
  ['overflow-y', OVERFLOW],
  ['visibility', keywords('visible hidden collapse')],
  ['direction', keywords('ltr rtl')],
  ['table-layout', keywords('auto fixed')],
  [
    'text-align',
    keywords(
      'left right center justify start end -webkit-left -webkit-right -webkit-center -webkit-match-parent match-parent -internal-center',
    ),
  ],
  ['box-sizing', keywords('content-box border-box')],
  ['white-space', keywords('normal pre nowrap pre-wrap pre-line break-spaces')],
  ['background-clip', keywords('border-box padding-box content-box text border-area')],
  ['opacity', opacity],
  ['color', colourGrammar],
  ['-webkit-text-fill-color', colourGrammar],
  ['background-color', colourGrammar],
  ['background-image', imageGrammar],
  ['font-size', lengths({ words: 'xx-small x-small small medium large x-large xx-large xxx-large smaller larger' })],
  ['line-height', lengths({ number: true, words: 'normal' })],
  ['letter-spacing', SPACING],
  ['word-spacing', SPACING],
  ['text-indent', lengths({ negative: true, words: '' })],
  ...SIDES.map((side): [string, Grammar] => [side, MARGIN]),
  ...SIDES.map((side): [string, Grammar] => [`margin-${side}`, MARGIN]),
  ...SIDES.map((side): [string, Grammar] => [`padding-${side}`, lengths({ words: '' })]),
  ...['width', 'height', 'min-width', 'min-height'].map((name): [string, Grammar] => [
    name,
    lengths({ words: 'auto' }),
  ]),
  ...['max-width', 'max-height'].map((name): [string, Grammar] => [name, lengths({ words: 'none' })]),
])
