/**
 * The properties that decide whether text can be seen, from declarations in order.
 *
 * INVARIANT: never throws, bounded; a value that browsers refuse changes nothing, as it must not undo what hides.
 */
import { parseColour } from './colour.ts'
import type { Declaration } from './declaration.ts'
import { parseFontSize, parseLength, parseNumber } from './length.ts'
import { splitTopLevel } from './scan.ts'

export type Properties = ReadonlyMap<string, string>

const MAX_VALUE = 2000
const MAX_SUBSTITUTIONS = 16
const MEASURE = { fontSize: 16, whole: 600 }

export const WIDE_KEYWORDS = new Set(['inherit', 'initial', 'unset', 'revert', 'revert-layer'])

type Check = (value: string) => boolean

const colour: Check = (value) => value === 'currentcolor' || parseColour(value) !== undefined
const length: Check = (value) => parseLength(value, MEASURE) !== undefined
const lengthOr =
  (...words: string[]): Check =>
  (value) =>
    words.includes(value) || length(value)
const oneOf = (words: string): Check => {
  const set = new Set(words.split(' '))
  return (value) => value.split(' ').every((word) => set.has(word))
}
const number: Check = (value) => parseNumber(value) !== undefined
const anything: Check = () => true
const functions: Check = (value) => value === 'none' || /^[a-z0-9-]+\(/.test(value)
const size = lengthOr('auto', 'none', 'min-content', 'max-content', 'fit-content', '-webkit-fill-available', 'stretch')
const offset = lengthOr('auto')
const angle: Check = (value) => /^[+-]?[\d.]+(?:deg|rad|grad|turn)$/.test(value) || value.includes('(')
const tracks: Check = (value) => splitTopLevel(value, ' ').every((word) => TRACK.test(word) || size(word))
const TRACK = /^(?:[\d.]+fr|[a-z-]+\(.*\)|\[.*\]|subgrid)$/
const words =
  (known: Check, ...others: string[]): Check =>
  (value) =>
    value.split(' ').every((word) => others.includes(word) || known(word))

const overflow = oneOf('visible hidden clip scroll auto overlay')

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  [
    'display',
    oneOf(
      'none inline block inline-block list-item table inline-table table-row table-cell table-row-group table-caption ' +
        'table-header-group table-footer-group table-column table-column-group flex inline-flex grid inline-grid contents ' +
        'flow flow-root run-in ruby ruby-text ruby-base math -webkit-box -webkit-inline-box -webkit-flex -ms-flexbox ' +
        '-webkit-inline-flex -moz-box -ms-inline-flexbox -ms-grid',
    ),
  ],
  ['visibility', oneOf('visible hidden collapse')],
  ['content-visibility', oneOf('visible hidden auto')],
  ['opacity', number],
  ['color', colour],
  ['text-fill-color', colour],
  ['background-color', colour],
  ['font-size', (value) => parseFontSize(value, 16) !== undefined],
  ['line-height', (value) => value === 'normal' || number(value) || length(value)],
  ['text-indent', (value) => length(value.split(' ')[0] ?? '')],
  ['letter-spacing', lengthOr('normal')],
  ['position', oneOf('static relative absolute fixed sticky -webkit-sticky')],
  ...['left', 'top', 'right', 'bottom'].map((name): [string, Check] => [name, offset]),
  ...['margin-left', 'margin-top', 'margin-right', 'margin-bottom'].map((name): [string, Check] => [name, offset]),
  ...['padding-left', 'padding-top', 'padding-right', 'padding-bottom'].map((name): [string, Check] => [name, length]),
  ...['width', 'height', 'max-width', 'max-height'].map((name): [string, Check] => [name, size]),
  ['overflow-x', overflow],
  ['overflow-y', overflow],
  ['clip', (value) => value === 'auto' || value.startsWith('rect(')],
  ['clip-path', anything],
  ['mask', anything],
  ['transform', functions],
  ['scale', (value) => value === 'none' || value.split(' ').every(number)],
  ['translate', (value) => value === 'none' || value.split(' ').every(length)],
  ['filter', functions],
  ['zoom', (value) => value === 'normal' || value === 'reset' || number(value)],
  ['z-index', (value) => value === 'auto' || /^[+-]?\d+$/.test(value)],
  ['contain', oneOf('none strict content size inline-size layout style paint')],
  ['content', (value) => /^(?:none$|normal$|["']|[a-z-]+\(|(?:no-)?(?:open|close)-quote)/i.test(value)],
  ['font-size-adjust', words(number, 'none', 'from-font', 'ex-height', 'cap-height', 'ch-width', 'ic-width')],
  ['rotate', words((word) => number(word) || angle(word), 'none', 'x', 'y', 'z')],
  ['offset-path', anything],
  ['word-spacing', lengthOr('normal')],
  ['background-image', (value) => splitTopLevel(value, ',').every((layer) => functions(layer.trim()))],
  ['background-size', (value) => value.split(/[ ,]+/).every(lengthOr('auto', 'cover', 'contain'))],
  ['box-shadow', (value) => value === 'none' || /\d/.test(value)],
  ['grid-template-rows', tracks],
  ['grid-template-columns', tracks],
  ['flex-basis', lengthOr('auto', 'content', 'min-content', 'max-content', 'fit-content')],
  ['flex-grow', number],
  ['direction', oneOf('ltr rtl')],
  ['unicode-bidi', oneOf('normal embed isolate plaintext bidi-override isolate-override')],
  ['animation', anything],
  ['animation-name', anything],
  ['mso-hide', oneOf('all none screen')],
  [
    'mix-blend-mode',
    oneOf(
      'normal multiply screen overlay darken lighten color-dodge color-burn hard-light soft-light difference exclusion hue saturation color luminosity plus-darker plus-lighter',
    ),
  ],
  ['text-security', oneOf('none disc circle square')],
  ['white-space', anything],
  ['font-family', anything],
])

/** Other names of the same property. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['inset-inline-start', 'left'],
  ['inset-inline-end', 'right'],
  ['inset-block-start', 'top'],
  ['inset-block-end', 'bottom'],
  ['margin-inline-start', 'margin-left'],
  ['margin-inline-end', 'margin-right'],
  ['margin-block-start', 'margin-top'],
  ['margin-block-end', 'margin-bottom'],
  ['inline-size', 'width'],
  ['block-size', 'height'],
  ['padding-inline-start', 'padding-left'],
  ['padding-block-start', 'padding-top'],
  ['max-inline-size', 'max-width'],
  ['max-block-size', 'max-height'],
  ['mask-image', 'mask'],
])

/** Whether a declaration can matter here. */
export function isRelevant(written: string): boolean {
  const name = canonical(written)
  return written.startsWith('--') || SHORTHANDS.has(name) || CHECKS.has(name)
}

function canonical(written: string): string {
  const bare = written.startsWith('-') ? written.replace(/^-(?:webkit|moz|ms|o|khtml)-/, '') : written
  return ALIASES.get(bare) ?? bare
}

/** Resolves `declarations`, weakest first; `variables` are the custom properties in force there. */
export function resolveProperties(declarations: readonly Declaration[], variables: Properties): Properties {
  const found = new Map<string, string>()
  for (const { name, value } of declarations) {
    if (name.startsWith('--')) continue
    if (!value.includes('var(')) setValid(found, name, value)
    else {
      const substituted = substitute(value, variables)
      // A variable that comes to nothing leaves the property without any value.
      if (substituted === undefined || !setValid(found, name, substituted)) setValid(found, name, 'unset')
    }
  }
  return found
}

/** The custom properties that `declarations` set, on top of the inherited ones. */
export function resolveVariables(declarations: readonly Declaration[], inherited: Properties): Properties {
  const own = declarations.filter(({ name, value }) => name.startsWith('--') && value.length <= MAX_VALUE)
  if (own.length === 0) return inherited
  const all = new Map(inherited)
  for (const { name, value } of own.slice(-100)) all.set(name, value)
  return all
}

function substitute(value: string, variables: Properties): string | undefined {
  let text = value
  for (let round = 0; round < MAX_SUBSTITUTIONS; round++) {
    const start = text.lastIndexOf('var(')
    if (start === -1) return text.trim()
    const end = text.indexOf(')', start)
    if (end === -1 || text.length > MAX_VALUE) return undefined
    const inside = text.slice(start + 4, end)
    const comma = inside.indexOf(',')
    const name = (comma === -1 ? inside : inside.slice(0, comma)).trim()
    const replacement = variables.get(name) ?? (comma === -1 ? undefined : inside.slice(comma + 1).trim())
    if (replacement === undefined) return undefined
    text = text.slice(0, start) + replacement + text.slice(end + 1)
  }
  return undefined
}

function setValid(found: Map<string, string>, written: string, value: string): boolean {
  if (value === '' || value.length > MAX_VALUE) return false
  const name = canonical(written)
  const wide = WIDE_KEYWORDS.has(value)
  if (SHORTHANDS.has(name)) return setShorthand(found, name, value, wide)
  const check = CHECKS.get(name)
  if (check === undefined || !(wide || check(value))) return false
  found.set(name, value)
  return true
}

const SHORTHANDS = new Set(['all', 'font', 'background', 'margin', 'padding', 'inset', 'overflow', 'flex'])
const SIDES = ['top', 'right', 'bottom', 'left'] as const

function setShorthand(found: Map<string, string>, name: string, value: string, wide: boolean): boolean {
  switch (name) {
    case 'all':
      if (!wide) return false
      found.clear()
      for (const inherited of ['color', 'visibility', 'font-size', 'text-indent']) found.set(inherited, value)
      return true
    case 'font':
      return setFont(found, value, wide)
    case 'background':
      return setBackground(found, value, wide)
    case 'overflow': {
      const [x = value, y = x] = value.split(' ')
      if (!wide && !overflow(value)) return false
      found.set('overflow-x', x).set('overflow-y', y)
      return true
    }
    case 'flex':
      return setFlex(found, value, wide)
    default: {
      const values = value.split(' ')
      if (!wide && (values.length > 4 || !values.every(name === 'padding' ? length : offset))) return false
      for (const [index, side] of SIDES.entries()) {
        const own = values[index] ?? values[index - 2] ?? values[0] ?? value
        found.set(name === 'inset' ? side : `${name}-${side}`, own)
      }
      return true
    }
  }
}

/** `1`, `0 0 auto`, `none`: how much it grows, and from what size. */
function setFlex(found: Map<string, string>, value: string, wide: boolean): boolean {
  if (wide || value === 'none' || value === 'auto') {
    found.set('flex-grow', value === 'auto' ? '1' : '0').set('flex-basis', 'auto')
    return true
  }
  const values = value.split(' ')
  const numbers = values.slice(0, 2).filter((word) => /^[\d.]+$/.test(word))
  const basis = values.find((word, index) => index === 2 || !/^[\d.]+$/.test(word)) ?? '0px'
  if (values.length > 3 || !CHECKS.get('flex-basis')?.(basis)) return false
  found.set('flex-grow', numbers[0] ?? '1').set('flex-basis', basis)
  return true
}

const SYSTEM_FONTS = new Set(['caption', 'icon', 'menu', 'message-box', 'small-caption', 'status-bar'])

/** `bold 12px/1.5 Arial, sans-serif`: the size is the first length, and a family must follow it. */
function setFont(found: Map<string, string>, value: string, wide: boolean): boolean {
  if (wide || SYSTEM_FONTS.has(value)) {
    found.set('font-size', wide ? value : 'medium')
    return true
  }
  const words = value.replace(/\s*\/\s*/g, '/').split(' ')
  const at = words.findIndex((word) => parseFontSize(word.split('/')[0] ?? '', 16) !== undefined)
  if (at === -1 || at === words.length - 1) return false
  const [fontSize = '', lineHeight = 'normal'] = words[at]?.split('/') ?? []
  found.set('font-size', fontSize)
  found.set('line-height', lineHeight)
  return true
}

const BACKGROUND_WORDS = new Set(
  (
    'none repeat repeat-x repeat-y no-repeat space round scroll fixed local left right top bottom center cover contain auto ' +
    'border-box padding-box content-box text /'
  ).split(' '),
)

/** The colour of a background is its last layer's. Pictures are never loaded: what they cover is not known. */
function setBackground(found: Map<string, string>, value: string, wide: boolean): boolean {
  const layers = splitTopLevel(value, ',').map((layer) => splitTopLevel(layer.trim(), ' '))
  const all = layers.flat()
  const known = (word: string) =>
    word === '' || BACKGROUND_WORDS.has(word) || colour(word) || length(word) || /^[a-z-]+\(/.test(word)
  if (!wide && !all.flatMap((word) => (word.includes('(') ? [word] : word.split('/'))).every(known)) return false
  const pictures = layers.flatMap((layer) => layer.find((word) => word.includes('(') && !colour(word)) ?? [])
  const sized = all.some((word) => word.includes('/') && !word.includes('('))
  found.set('background-color', (wide ? value : all.findLast(colour)) ?? 'transparent')
  found.set('background-image', pictures.length === 0 ? 'none' : pictures.join(','))
  found.set('background-size', sized ? '0' : 'auto')
  return true
}
