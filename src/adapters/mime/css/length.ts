/**
 * Lengths and numbers of CSS, in pixels of an ordinary window.
 *
 * INVARIANT: never throws, linear; a value that no browser would take is `undefined`.
 */

/** What percentages and the units that depend on the place are measured against. */
export interface Measure {
  readonly fontSize: number
  /** What 100 % stands for. */
  readonly whole: number
}

export const WINDOW = { width: 1280, height: 800 }

const ROOT_FONT = 16
const MAX_LENGTH = 120
const NUMBER = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)([a-z%]*)$/

const PIXELS: ReadonlyMap<string, number> = new Map([
  ['px', 1],
  ['pt', 4 / 3],
  ['pc', 16],
  ['in', 96],
  ['cm', 96 / 2.54],
  ['mm', 9.6 / 2.54],
  ['q', 2.4 / 2.54],
  ['rem', ROOT_FONT],
  ['rex', ROOT_FONT / 2],
  ['rch', ROOT_FONT / 2],
  ['rlh', ROOT_FONT * 1.2],
])
const PER_FONT: ReadonlyMap<string, number> = new Map([
  ['em', 1],
  ['ex', 0.5],
  ['ch', 0.5],
  ['cap', 0.7],
  ['ic', 1],
  ['lh', 1.2],
])

/** `12px`, `-999em`, `0`, `50%`, `calc(…)`. */
export function parseLength(value: string, measure: Measure): number | undefined {
  if (value.length > MAX_LENGTH) return undefined
  const open = value.indexOf('(')
  if (open > 0 && value.endsWith(')')) return fromMath(value.slice(0, open), value.slice(open + 1, -1), measure)
  const match = NUMBER.exec(value)
  if (match === null) return undefined
  const number = Number(match[1])
  const unit = match[2] ?? ''
  if (unit === '') return number === 0 ? 0 : undefined
  const factor = unitPixels(unit, measure)
  return factor === undefined ? undefined : number * factor
}

function unitPixels(unit: string, measure: Measure): number | undefined {
  const fixed = PIXELS.get(unit)
  if (fixed !== undefined) return fixed
  const perFont = PER_FONT.get(unit)
  if (perFont !== undefined) return perFont * measure.fontSize
  if (unit === '%') return measure.whole / 100
  if (/^[sdl]?(?:vw|vi)$/.test(unit) || unit === 'cqw' || unit === 'cqi') return WINDOW.width / 100
  if (/^[sdl]?(?:vh|vb)$/.test(unit) || unit === 'cqh' || unit === 'cqb') return WINDOW.height / 100
  if (/^[sdl]?vmin$/.test(unit) || unit === 'cqmin') return WINDOW.height / 100
  if (/^[sdl]?vmax$/.test(unit) || unit === 'cqmax') return WINDOW.width / 100
  return undefined
}

/**
 * calc(), min(), max() and clamp(), flat. Sums are exact where they have no inner brackets; what we cannot work out is 0,
 * the value that hides: ordinary mail does not compute the size of its letters.
 */
function fromMath(name: string, inside: string, measure: Measure): number | undefined {
  switch (name.replace(/^-[a-z]+-/, '')) {
    case 'calc':
      return sum(inside, measure) ?? 0
    case 'min':
    case 'max':
    case 'clamp': {
      const values = inside.split(',').map((part) => sum(part, measure) ?? 0)
      if (name === 'min') return Math.min(...values)
      if (name === 'max') return Math.max(...values)
      const [least = 0, wanted = 0, most = 0] = values
      return Math.max(least, Math.min(wanted, most))
    }
    default:
      return /^[a-z-]+$/.test(name) ? 0 : undefined
  }
}

function sum(text: string, measure: Measure): number | undefined {
  if (text.includes('(')) return undefined
  const parts = text.trim().split(/\s+([+-])\s+/)
  let total = product(parts[0] ?? '', measure)
  for (let at = 1; at + 1 < parts.length && total !== undefined; at += 2) {
    const next = product(parts[at + 1] ?? '', measure)
    if (next === undefined) return undefined
    total += parts[at] === '-' ? -next : next
  }
  return total
}

function product(text: string, measure: Measure): number | undefined {
  const factors = text.split(/\s*([*/])\s*/)
  let result = term(factors[0] ?? '', measure)
  for (let at = 1; at + 1 < factors.length && result !== undefined; at += 2) {
    const next = term(factors[at + 1] ?? '', measure)
    if (next === undefined) return undefined
    result = factors[at] === '*' ? result * next : next === 0 ? 0 : result / next
  }
  return result
}

function term(text: string, measure: Measure): number | undefined {
  const trimmed = text.trim()
  return parseLength(trimmed, measure) ?? parseNumber(trimmed)
}

const NO_LENGTH: Measure = { fontSize: 0, whole: 1 }

/** `0.5`, `50%` or `calc(…)` of these. */
export function parseNumber(value: string): number | undefined {
  if (value.length > MAX_LENGTH) return undefined
  const open = value.indexOf('(')
  if (open > 0 && value.endsWith(')')) {
    // A length is no number: browsers drop it, and it must not undo what hides.
    if (/\d[a-df-z]/.test(value)) return undefined
    return fromMath(value.slice(0, open), value.slice(open + 1, -1), NO_LENGTH)
  }
  const match = NUMBER.exec(value)
  if (match === null) return undefined
  if (match[2] === '') return Number(match[1])
  return match[2] === '%' ? Number(match[1]) / 100 : undefined
}

const SIZES: ReadonlyMap<string, number> = new Map([
  ['xx-small', 9],
  ['x-small', 10],
  ['small', 13],
  ['medium', 16],
  ['large', 18],
  ['x-large', 24],
  ['xx-large', 32],
  ['xxx-large', 48],
])

/** The value of `font-size`, in pixels. */
export function parseFontSize(value: string, parent: number): number | undefined {
  const named = SIZES.get(value)
  if (named !== undefined) return named
  if (value === 'smaller') return parent / 1.2
  if (value === 'larger') return parent * 1.2
  const size = parseLength(value, { fontSize: parent, whole: parent }) ?? parseTiny(value)
  if (size === undefined) return undefined
  return size < 0 && !value.includes('(') ? undefined : Math.max(0, size)
}

// Pages without a doctype take `font-size:1` as pixels, others ignore it: we take it only where it hides.
function parseTiny(value: string): number | undefined {
  const number = parseNumber(value)
  return number !== undefined && number >= 0 && number < 4 ? number : undefined
}
