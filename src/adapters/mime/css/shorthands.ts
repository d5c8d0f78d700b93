/**
 * `font` and `background` taken apart.
 *
 * INVARIANT: only forms that browsers certainly take are taken apart; of others it is said that they may be invalid.
 */
import { colourGrammar, GRAMMARS, imageGrammar } from './grammars.ts'
import { dimension, isLengthUnit, split, UNKNOWN } from './values.ts'

/** The parts, `invalid` for what browsers drop, `unknown` for what they may. */
export type Parts = readonly (readonly [string, string])[] | 'invalid' | 'unknown'

const FONT_FORM =
  /^(?:(?:normal|italic|oblique|small-caps|bold|bolder|lighter|[1-9]00) )*?((?:xx-|x-)?(?:small|large)|xxx-large|medium|smaller|larger|[\d.]+(?:[a-z]+|%)|0)(?:\/([\d.]+(?:[a-z]+|%)?|normal))? (.*)$/
const SYSTEM_FONT = /^(?:caption|icon|menu|message-box|small-caption|status-bar)$/
const FAMILY =
  /^(?:"[^"]*"|(?:-?[a-z_][\w-]*)(?: -?[a-z_][\w-]*)*)(?:,(?:"[^"]*"|(?:-?[a-z_][\w-]*)(?: -?[a-z_][\w-]*)*))*$/

export function fontParts(value: string): Parts {
  const match = FONT_FORM.exec(value)
  // A font needs a family.
  if (match === null) return /^[\w.%+-]+(?:\/[\w.%]+)?$/.test(value) && !SYSTEM_FONT.test(value) ? 'invalid' : 'unknown'
  const [before = '', size = '', line = 'normal', family = ''] = match
  const styles = before.slice(0, before.indexOf(size)).trim().split(' ')
  const isOnce =
    new Set(styles).size === styles.length && styles.filter((word) => /bold|lighter|00$/.test(word)).length <= 1
  const verdicts = [GRAMMARS.get('font-size')?.(size, false), GRAMMARS.get('line-height')?.(line, false)]
  if (!isOnce || verdicts.some((verdict) => verdict !== 'valid') || !FAMILY.test(family)) return 'unknown'
  return [
    ['font-size', size],
    ['line-height', line],
    ['font-family', familyKind(family)],
  ]
}

/** Fonts whose glyphs are no letters. */
const SYMBOLS = /wingding|webding|dingbat|symbol|blank|barcode|icon|invisible|redacted|adobe_not/

export function familyKind(value: string): string {
  return SYMBOLS.test(value) ? UNKNOWN : value
}

/** One letter for each part of a layer: how they may follow each other is then a regular expression. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:left|right)$/, 'l'],
  [/^(?:top|bottom)$/, 't'],
  [/^center$/, 'm'],
  [/^(?:cover|contain)$/, 'S'],
  [/^auto$/, 's'],
  [/^repeat-[xy]$/, 'r'],
  [/^(?:repeat|no-repeat|space|round)$/, 'R'],
  [/^(?:scroll|fixed|local)$/, 'a'],
  [/^(?:border|padding|content)-box$/, 'b'],
]
const LAYER = /^[^lmtdsS/]*(?:(?:[lmd][tmd]?|t[lm]?)(?:\/(?:S|[sd]{1,2}))?)?[^lmtdsS/]*$/
const REPEATS = /^[^rR]*(?:r|R{0,2})[^rR]*$/

export function backgroundParts(value: string, quirky: boolean): Parts {
  const layers = split(value, ',')
  const images: string[] = []
  let paint = 'transparent'
  let isPlaced = false
  for (const [index, layer] of layers.entries()) {
    const parts = layer.replaceAll('/', ' / ').split(/ (?![^(]*\))/)
    const shape = parts.map((part) => partKind(part, quirky)).join('')
    if (shape.includes('!')) return 'invalid'
    if (shape.includes('?') || !LAYER.test(shape) || !REPEATS.test(shape) || /c.*c|i.*i|a.*a|b/.test(shape))
      return 'unknown'
    if (shape.includes('c') && index < layers.length - 1) return 'invalid'
    paint = parts[shape.indexOf('c')] ?? paint
    images.push(parts[shape.indexOf('i')] ?? 'none')
    isPlaced ||= /[lmtdsSrR]|a/.test(shape)
  }
  return [
    ['background-color', paint],
    ['background-image', images.every((one) => one === 'none') ? 'none' : images.join(',')],
    ['background-layout', isPlaced ? 'placed' : 'plain'],
    ['background-clip', 'border-box'],
  ]
}

function partKind(part: string, quirky: boolean): string {
  if (part === '/') return '/'
  const known = KINDS.find(([form]) => form.test(part))
  if (known !== undefined) return known[1]
  const size = dimension(part)
  if (size !== undefined) {
    if (size.number === 0 || size.unit === '%' || isLengthUnit(size.unit)) return 'd'
    return quirky && colourGrammar(part, true) === 'unknown' ? '?' : '!'
  }
  const [image, colour] = [imageGrammar(part, quirky), colourGrammar(part, quirky)]
  if (image === 'valid') return 'i'
  if (colour === 'valid') return 'c'
  return image === 'unknown' || colour === 'unknown' ? '?' : '!'
}
