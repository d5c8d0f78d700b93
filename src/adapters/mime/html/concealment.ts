/**
 * The ways to put a box, with all that is in it, where nobody sees it.
 *
 * INVARIANT: never throws, linear; judges one element by its own properties alone.
 */
import { parseLength, parseNumber, WINDOW } from '../css/length.ts'
import type { Properties } from '../css/properties.ts'

/** Further out than any layout moves a box that is to be seen, in pixels. */
const FAR_OUT = -300
const FAR_OFF = WINDOW.width
const TINY = 3
const TINY_SCALE = 0.05

const LIGHTENING = new Set(['screen', 'lighten', 'color-dodge', 'plus-lighter'])

export function cannotBeSeen(own: Properties, fontSize: number): boolean {
  return (
    own.get('content-visibility') === 'hidden' ||
    own.get('mso-hide') === 'all' ||
    isSet(own.get('text-security')) ||
    LIGHTENING.has(own.get('mix-blend-mode') ?? '') ||
    isClipped(own) ||
    isCollapsed(own, fontSize) ||
    isMovedAway(own, fontSize) ||
    isTransformedAway(own.get('transform'), fontSize) ||
    isScaledAway(own) ||
    isFilteredAway(own.get('filter'))
  )
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== 'none' && value !== 'initial' && value !== 'unset' && value !== 'inherit'
}

/** No mail clips its text for looks. */
function isClipped(own: Properties): boolean {
  if (isSet(own.get('clip-path')) || isSet(own.get('mask'))) return true
  const clip = /^rect\(([^)]*)\)$/.exec(own.get('clip') ?? '')
  if (clip === null) return false
  const edges = (clip[1] ?? '').split(/[\s,]+/).filter((edge) => edge !== '')
  const [top, right, bottom, left] = edges.map((edge) => parseLength(edge, { fontSize: 16, whole: 0 }))
  const flat = top !== undefined && bottom !== undefined && bottom - top <= TINY
  return flat || (left !== undefined && right !== undefined && right - left <= TINY)
}

/** No room, and what does not fit is cut off. */
function isCollapsed(own: Properties, fontSize: number): boolean {
  const cut = [own.get('overflow-x'), own.get('overflow-y')].some((value) => value !== undefined && value !== 'visible')
  if (!cut) return false
  const sizes = ['width', 'height', 'max-width', 'max-height', 'line-height']
  return sizes.some((name) => {
    const size = parseLength(own.get(name) ?? '', { fontSize, whole: 600 })
    return size !== undefined && size <= TINY
  })
}

function isMovedAway(own: Properties, fontSize: number): boolean {
  const position = own.get('position') ?? 'static'
  const moved = position !== 'static' && !position.startsWith('in') && position !== 'unset'
  if (moved && Number(own.get('z-index') ?? 0) < 0) return true
  const names = ['margin-left', 'margin-top', 'margin-right', 'margin-bottom']
  if (moved) names.push('left', 'top', 'right', 'bottom')
  return (
    names.some((name) => isFar(own.get(name), fontSize)) ||
    (own.get('translate') ?? '').split(' ').some((part) => isFar(part, fontSize))
  )
}

function isFar(value: string | undefined, fontSize: number): boolean {
  if (value === undefined) return false
  // Half of itself, to the centre, is as far as boxes are moved in earnest.
  const distance = parseLength(value, { fontSize, whole: 500 })
  return distance !== undefined && (distance <= FAR_OUT || distance >= FAR_OFF)
}

function isTransformedAway(transform: string | undefined, fontSize: number): boolean {
  if (transform === undefined || transform === 'none') return false
  for (const [, name = '', inside = ''] of transform.matchAll(/([a-z0-9]+)\(([^()]*)\)/g)) {
    const parts = inside.split(/[\s,]+/).filter((part) => part !== '')
    if (name.startsWith('scale') && parts.some(isTinyScale)) return true
    if (name.startsWith('translate') && parts.some((part) => isFar(part, fontSize))) return true
    if ((name === 'rotatex' || name === 'rotatey') && isEdgeOn(parts[0] ?? '')) return true
    if (name.startsWith('matrix') && isFlatMatrix(parts.map(Number))) return true
  }
  return false
}

function isTinyScale(value: string): boolean {
  const scale = parseNumber(value)
  return scale !== undefined && Math.abs(scale) <= TINY_SCALE
}

function isEdgeOn(angle: string): boolean {
  const match = /^([+-]?[\d.]+)(deg|turn|rad|grad)$/.exec(angle)
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
  for (const [, name, inside = ''] of filter.matchAll(/([a-z-]+)\(([^()]*)\)/g)) {
    const amount = parseNumber(inside.trim()) ?? 1
    if (name === 'blur' && (parseLength(inside.trim(), { fontSize: 16, whole: 0 }) ?? 0) >= 4) return true
    if (name === 'contrast' && amount <= TINY_SCALE) return true
    if ((name === 'invert' && amount >= 0.9) || (name === 'brightness' && amount >= 5)) return true
  }
  return false
}
