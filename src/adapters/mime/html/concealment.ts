/**
 * The ways to put a box, with all that is in it, where nobody sees it.
 *
 * INVARIANT: never throws, linear; judges one element by its own properties alone.
 */
import { parseLength, parseNumber, WINDOW } from '../css/length.ts'
import type { Properties } from '../css/properties.ts'
import { functionsOf } from '../css/scan.ts'

/** Further out than any layout moves a box that is to be seen, in pixels. */
const FAR_OUT = -300
const FAR_OFF = WINDOW.width
const TINY = 3
const TINY_SCALE = 0.05

const LIGHTENING = new Set(['screen', 'lighten', 'color-dodge', 'plus-lighter'])

/** Columns hold no text of their own. */
const NO_BOX = new Set(['none', 'table-column', 'table-column-group'])

export function cannotBeSeen(own: Properties, fontSize: number): boolean {
  return (
    NO_BOX.has(own.get('display') ?? '') ||
    own.get('content-visibility') === 'hidden' ||
    own.get('mso-hide') === 'all' ||
    isSet(own.get('text-security')) ||
    LIGHTENING.has(own.get('mix-blend-mode') ?? '') ||
    isReplaced(own.get('content')) ||
    isShrunk(own.get('font-size-adjust')) ||
    isClipped(own) ||
    isCollapsed(own, fontSize) ||
    isMovedAway(own, fontSize) ||
    isTransformedAway(own.get('transform'), fontSize) ||
    isTurnedAway((own.get('rotate') ?? '').split(' ')) ||
    isScaledAway(own) ||
    isFilteredAway(own.get('filter'))
  )
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== 'none' && value !== 'initial' && value !== 'unset' && value !== 'inherit'
}

/** A picture stands in the place of the text. */
function isReplaced(content: string | undefined): boolean {
  return content !== undefined && /^[a-z-]+\(/i.test(content) && !/^(?:attr|counters?)\(/i.test(content)
}

function isShrunk(adjust: string | undefined): boolean {
  const ratio = parseNumber(adjust?.split(' ').at(-1) ?? '')
  return ratio !== undefined && ratio <= 0.1
}

/** No mail clips its text for looks. */
function isClipped(own: Properties): boolean {
  if (isSet(own.get('clip-path')) || isSet(own.get('mask')) || isSet(own.get('offset-path'))) return true
  const clip = /^rect\(([^)]*)\)$/.exec(own.get('clip') ?? '')
  if (clip === null) return false
  const edges = (clip[1] ?? '').split(/[\s,]+/).filter((edge) => edge !== '')
  const [top, right, bottom, left] = edges.map((edge) => parseLength(edge, { fontSize: 16, whole: 0 }))
  const flat = top !== undefined && bottom !== undefined && bottom - top <= TINY
  return flat || (left !== undefined && right !== undefined && right - left <= TINY)
}

/** No room, and what does not fit is cut off. */
function isCollapsed(own: Properties, fontSize: number): boolean {
  const lengthOf = (name: string) => parseLength(own.get(name) ?? '', { fontSize, whole: 600 })
  const isTiny = (name: string) => (lengthOf(name) ?? Number.POSITIVE_INFINITY) <= TINY
  if (isSqueezed(own)) return true
  const contained = own.get('contain') ?? ''
  if (!isCut(own) && !/strict|paint|content/.test(contained)) return false
  // A box whose size its text does not make has none but what it is given.
  if (/strict|\bsize/.test(contained.replace('inline-size', '')) && lengthOf('height') === undefined) return true
  if (isTiny('flex-basis') && Number(own.get('flex-grow') ?? 0) === 0) return true
  return SIZES.some(isTiny) || PADDINGS.some((name) => (lengthOf(name) ?? 0) >= FAR_OFF)
}

const SIZES = ['width', 'height', 'max-width', 'max-height', 'line-height']
const PADDINGS = ['padding-left', 'padding-top']

export function isCut(own: Properties): boolean {
  return [own.get('overflow-x'), own.get('overflow-y')].some((value) => value !== undefined && value !== 'visible')
}

/** A grid of nothing but empty rows or columns is how pages fold text away. */
function isSqueezed(own: Properties): boolean {
  if (!own.get('display')?.includes('grid')) return false
  return ['grid-template-rows', 'grid-template-columns'].some((name) =>
    /^0[a-z]*(?: 0[a-z]*)*$/.test(own.get(name) ?? ''),
  )
}

function isMovedAway(own: Properties, fontSize: number): boolean {
  const position = own.get('position') ?? 'static'
  const moved = position !== 'static' && !position.startsWith('in') && position !== 'unset'
  if (moved && Number(own.get('z-index') ?? 0) < 0) return true
  return (
    MARGINS.some((name) => isFar(own.get(name), fontSize)) ||
    (moved && OFFSETS.some((name) => isFar(own.get(name), fontSize, FAR_OFF))) ||
    (own.get('translate') ?? '').split(' ').some((part) => isFar(part, fontSize))
  )
}

const MARGINS = ['margin-left', 'margin-top', 'margin-right', 'margin-bottom']
const OFFSETS = ['left', 'top', 'right', 'bottom']

/** `whole` is what 100 % to the right or downwards may come to. */
function isFar(value: string | undefined, fontSize: number, whole = 500): boolean {
  if (value === undefined) return false
  // Half of itself, to the centre, is as far as boxes are moved in earnest.
  const distance = parseLength(value, { fontSize, whole: 500 })
  if (distance === undefined) return false
  return distance <= FAR_OUT || Math.max(distance, parseLength(value, { fontSize, whole }) ?? 0) >= FAR_OFF
}

function isTransformedAway(transform: string | undefined, fontSize: number): boolean {
  if (transform === undefined || transform === 'none') return false
  return functionsOf(transform).some(({ name, parts }) => {
    if (name.startsWith('scale')) return parts.some(isTinyScale)
    if (name.startsWith('translate')) return parts.some((part) => isFar(part, fontSize))
    if (name === 'rotatex' || name === 'rotatey') return isTurnedAway(['x', ...parts])
    if (name === 'rotate3d') return isTurnedAway(parts)
    if (name.startsWith('skew')) return parts.some(isEdgeOn)
    return name.startsWith('matrix') && isFlatMatrix(parts.map(Number))
  })
}

/** `y 90deg` or `0 1 0 90deg`: text that is seen from its edge. About the third axis it only turns round. */
function isTurnedAway(parts: readonly string[]): boolean {
  const axis = parts.slice(0, -1)
  const flat = axis.length === 3 ? Number(axis[2]) === 0 : axis[0] === 'x' || axis[0] === 'y'
  return flat && isEdgeOn(parts.at(-1) ?? '')
}

function isTinyScale(value: string): boolean {
  const scale = parseNumber(value)
  return scale !== undefined && Math.abs(scale) <= TINY_SCALE
}

function isEdgeOn(angle: string): boolean {
  const match = /^(?:calc\()?([+-]?[\d.]+)(deg|turn|rad|grad)\)?$/.exec(angle)
  if (match === null) return false
  const turns = { deg: 1 / 360, turn: 1, rad: 1 / (2 * Math.PI), grad: 1 / 400 }[match[2] ?? 'turn'] ?? 1
  return Math.abs(Math.cos(Number(match[1]) * turns * 2 * Math.PI)) <= TINY_SCALE
}

function isFlatMatrix(values: readonly number[]): boolean {
  const flat3d = values.length === 16
  const [a = 1, b = 0, c = 0, d = 1] = flat3d ? [values[0], values[1], values[4], values[5]] : values
  const [x = 0, y = 0] = flat3d ? [values[12], values[13]] : values.slice(4)
  return Math.abs(a * d - b * c) <= TINY_SCALE ** 2 || [x, y].some((shift) => shift <= FAR_OUT || shift >= FAR_OFF)
}

function isScaledAway(own: Properties): boolean {
  return (own.get('scale') ?? '').split(' ').some(isTinyScale) || isTinyScale(own.get('zoom') ?? '')
}

function isFilteredAway(filter: string | undefined): boolean {
  if (filter === undefined || filter === 'none') return false
  for (const { name, parts } of functionsOf(filter)) {
    const amount = parseNumber(parts[0] ?? '') ?? 1
    if (name === 'blur' && (parseLength(parts[0] ?? '', { fontSize: 16, whole: 0 }) ?? 0) >= 4) return true
    if (name === 'contrast' && amount <= TINY_SCALE) return true
    if ((name === 'invert' && amount >= 0.9) || (name === 'brightness' && amount >= 5)) return true
  }
  return false
}
