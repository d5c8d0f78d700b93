/**
 * How the text of an element looks: its font, its lines and its colours.
 */
import { type Colour, parseColour } from '../css/colour.ts'
import { INHERIT, pixels } from '../css/values.ts'
import type { Candidates } from './candidates.ts'
import type { Doubts, Range } from './doubts.ts'
import type { Inherited, Look } from './look.ts'

const MOST_CANDIDATES = 4

export function sizeOf(parent: Inherited, declared: Candidates): Range | undefined {
  const found = declared.of('font-size').map((value) => fontSize(value, parent.size))
  if (found.some((one) => one === undefined)) return undefined
  const known = found.filter((one) => one !== undefined)
  return { least: Math.min(...known.map(({ least }) => least)), most: Math.max(...known.map(({ most }) => most)) }
}

const FONT_SIZES: ReadonlyMap<string, number> = new Map([
  ['xx-small', 9],
  ['x-small', 10],
  ['small', 13],
  ['medium', 16],
  ['large', 18],
  ['x-large', 24],
  ['xx-large', 32],
  ['xxx-large', 48],
])

function fontSize(value: string, parent: Range): Range | undefined {
  if (value === '' || value === INHERIT) return parent
  const named = FONT_SIZES.get(value)
  if (named !== undefined) return { least: named * 0.8, most: named }
  const factor = value === 'smaller' ? 0.8 : value === 'larger' ? 1.2 : undefined
  if (factor !== undefined) return { least: parent.least * factor, most: relative(parent.most * factor) }
  // Relative to the root's size, which a page may set.
  const root = /^([\d.]+)rem$/.exec(value)
  if (root !== null) return { least: Number(root[1]) * 10, most: Number(root[1]) * 16 }
  const least = pixels(value, parent.least, parent.least)
  const most = pixels(value, parent.most, parent.most)
  if (least === undefined || most === undefined) return undefined
  return { least, most: /(?:em|%|ex|ch)$/.test(value) ? relative(most) : most }
}

/** Chromium makes no text smaller than this by relative sizes, unless it has none at all. */
function relative(size: number): number {
  return size > 0 ? Math.max(6, size) : 0
}

export function lineOf(parent: Inherited, declared: Candidates, font: Range, doubts: Doubts): Look['line'] {
  const lines = declared.of('line-height').map((value): Look['line'] | undefined => {
    if (value === '' || value === INHERIT) return parent.line
    if (value === 'normal') return { times: 1.2 }
    if (/^\+?[\d.]+(?:e[+-]?\d+)?$/.test(value)) return { times: Number(value) }
    const size = pixels(value, font.least, font.least)
    return size === undefined ? undefined : { pixels: size }
  })
  if (lines.some((line) => line === undefined)) doubts.reaching('line-height')
  const tightest = lines.filter((line) => line !== undefined).sort((a, b) => height(a, font) - height(b, font))[0]
  return tightest ?? parent.line
}

function height(line: Look['line'], font: Range): number {
  return line.pixels ?? (line.times ?? 1.2) * font.most
}

export function lineHeight({ line, size }: Look): number {
  return height(line, size)
}

export function coloursOf(
  inherited: readonly Colour[] | undefined,
  values: readonly string[],
): readonly Colour[] | undefined {
  const found: Colour[] = []
  for (const value of values) {
    if (value === '' || value === INHERIT || value === 'currentcolor') {
      if (inherited === undefined) return undefined
      found.push(...inherited)
      continue
    }
    const colour = parseColour(value)
    if (typeof colour === 'string') return undefined
    found.push(colour)
  }
  return found.length > MOST_CANDIDATES ? undefined : found
}

export function fillOf(parent: Inherited, values: readonly string[]): Look['fill'] {
  if (values.every((value) => value === '' || value === INHERIT)) return parent.fill
  if (values.every((value) => value === 'currentcolor')) return 'colour'
  return values.some((value) => value === '' || value === 'currentcolor') ? undefined : coloursOf(undefined, values)
}

export function whiteSpaceOf(parent: Inherited, values: readonly string[]): { preformatted: boolean; nowrap: boolean } {
  const value = values.at(-1) ?? ''
  if (value === '' || value === INHERIT) return { preformatted: parent.preformatted, nowrap: parent.nowrap }
  return {
    preformatted: /^(?:pre|break-spaces)/.test(value),
    nowrap: values.some((one) => /^(?:nowrap|pre|\?)$/.test(one)),
  }
}

export function rtlOf(parent: Inherited, values: readonly string[]): boolean {
  return values.some((value) => (value === '' || value === INHERIT ? parent.rtl : value !== 'ltr'))
}

export function alignOf(parent: Inherited, values: readonly string[]): Look['align'] {
  const found = values.map((value): Look['align'] => {
    if (value === '' || value === INHERIT) return parent.align
    if (/^(?:left|start|justify|-webkit-left)$/.test(value)) return 'left'
    return value === 'center' || value === '-webkit-center' ? 'center' : 'right'
  })
  return found.includes('right') ? 'right' : found.includes('center') ? 'center' : 'left'
}
