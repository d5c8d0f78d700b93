/**
 * How one element looks, from the declarations that apply to it and from its parent.
 *
 * INVARIANT: fails closed. Each longhand has its candidates: the last certain value and every uncertain one after it. What is not
 * understood of any candidate is a doubt: about the element's own text, or (`reach`) about the whole page, if it could move or paint over
 * what is not its own.
 */
import type { Colour } from '../css/colour.ts'
import { NOTHING, OWN, OWN_ONLY } from '../css/longhands.ts'
import { INHERIT, pixels, UNKNOWN } from '../css/values.ts'
import type { Background } from './background.ts'
import { backgroundOf } from './background.ts'
import type { Candidates } from './candidates.ts'
import { Doubts, type Range } from './doubts.ts'
import { alignOf, coloursOf, fillOf, lineOf, rtlOf, sizeOf, whiteSpaceOf } from './text-look.ts'

export interface Look {
  readonly display: string
  /** Laid out as a box of its own, not as part of a line. */
  readonly isBox: boolean
  readonly isFloat: boolean
  /** Why it certainly does not show. */
  readonly hidden: string | undefined
  readonly doubt: string | undefined
  readonly reach: string | undefined
  /** Whether it reaches others even if it is empty. */
  readonly isPushing: boolean
  /** How far to the left of the page it is moved, or 0. */
  readonly away: number
  /** Out of the flow, at the place that it would have had in it: it reaches only what follows. */
  readonly isInPlace: boolean
  /** Out of the flow, to the right and below of where the box around it starts. */
  readonly isDownward: boolean
  readonly isPlaced: boolean
  readonly visibility: 'visible' | 'hidden' | 'unsure'
  readonly opacity: Range
  /** What its text is painted with; `undefined` where that is not known. */
  readonly colours: readonly Colour[] | undefined
  readonly fill: readonly Colour[] | undefined | 'colour'
  readonly background: Background | undefined
  readonly size: Range
  /** The height of a line: pixels, or times the size of the font. */
  readonly line: { readonly times?: number; readonly pixels?: number }
  readonly preformatted: boolean
  readonly nowrap: boolean
  readonly rtl: boolean
  /** Whether its lines may start elsewhere than at the left. */
  readonly align: 'left' | 'center' | 'right'
  /** Whether the box itself may stand at the right. */
  readonly isPushed: boolean
  readonly isCentred: boolean
  readonly spacing: number
  readonly clipsX: boolean
  readonly clipsY: boolean
  readonly isRounded: boolean
  /** The least of what its width and height may be limited to, in pixels. */
  readonly width: number
  readonly height: number
  /** The least part of its parent's width that it may have. */
  readonly share: number
  readonly isFixedTable: boolean
  /** Left and right, top and bottom. */
  readonly padding: { readonly across: number; readonly down: number }
  readonly margin: number
  readonly marginDown: number
  readonly border: number
  /** Its text has a shadow, which shows where the text itself does not. */
  readonly isShadowed: boolean
  /** How wide and high it is made in any case, in pixels. */
  readonly wide: number
  /** The part of its table's width that a cell is given. */
  readonly part: number
  readonly tall: number
}

/** What an element takes over from its parent. `Looks` shares the looks of elements that inherit the same. */
export type Inherited = Pick<
  Look,
  | 'display'
  | 'visibility'
  | 'colours'
  | 'fill'
  | 'size'
  | 'line'
  | 'preformatted'
  | 'nowrap'
  | 'rtl'
  | 'align'
  | 'isShadowed'
>

export const PAGE_LOOK: Look = {
  ...{
    display: 'block',
    isBox: true,
    isFloat: false,
    hidden: undefined,
    doubt: undefined,
    reach: undefined,
    isPushing: false,
    away: 0,
    isInPlace: false,
    isDownward: false,
    isPlaced: false,
  },
  ...{
    visibility: 'visible',
    opacity: { least: 1, most: 1 },
    colours: [{ red: 0, green: 0, blue: 0, alpha: 1 }],
    fill: 'colour',
  },
  ...{
    background: undefined,
    size: { least: 16, most: 16 },
    line: { times: 1.2 },
    preformatted: false,
    nowrap: false,
    rtl: false,
    align: 'left',
    isPushed: false,
    isCentred: false,
    spacing: 0,
  },
  ...{
    clipsX: false,
    clipsY: false,
    isRounded: false,
    width: Number.POSITIVE_INFINITY,
    height: Number.POSITIVE_INFINITY,
  },
  ...{
    isFixedTable: false,
    share: 1,
    padding: { across: 0, down: 0 },
    margin: 0,
    marginDown: 0,
    border: 0,
    isShadowed: false,
    wide: 0,
    part: 0,
    tall: 0,
  },
}

const FLOWING =
  /^(?:block|inline|inline-block|list-item|table|inline-table|table-row|table-cell|table-row-group|table-header-group|table-footer-group|table-caption|flow-root|flex|inline-flex|-webkit-flex|-webkit-inline-flex)$/
const TABLE_PART = /^(?:table|inline-table|table-)/

/** What the element is by itself. */
export interface Own {
  readonly display: string
  readonly isRoot: boolean
  readonly isReplaced: boolean
  readonly isQuirky: boolean
}

export function lookOf(parent: Inherited, declared: Candidates, own: Own): Look {
  const doubts = new Doubts()
  const display = displayOf(parent, declared, own.display, doubts)
  const size = sizeOf(parent, declared)
  if (size === undefined) doubts.own('font-size')
  const font = size ?? parent.size
  const isFloat = declared.of('float').some((value) => value !== '' && value !== 'none')
  positionOf(declared, font, doubts)
  unknownsOf(declared, doubts)
  const isBox = isFloat || display !== 'inline'
  const margin = marginsOf(declared, font, doubts)
  // Padding and borders of what stands in a line take no room in it: they are painted over other lines.
  if (!isBox && !own.isReplaced && paddingOf(declared, font).down + 2 * madeOf(declared, ['border-size'], font) > 32)
    doubts.reaching('padding')
  spacingOf(declared, font, doubts)
  return {
    ...{ display, isBox, isFloat, size: font, margin: margin.across, marginDown: margin.down },
    visibility: visibilityOf(parent, declared, display),
    opacity: opacityOf(declared, doubts),
    colours: coloursOf(parent.colours, declared.of('color')),
    fill: fillOf(parent, declared.of('-webkit-text-fill-color')),
    background: backgroundOf(declared, coloursOf(parent.colours, declared.of('color'))),
    line: lineOf(parent, declared, font, doubts),
    ...whiteSpaceOf(parent, declared.of('white-space')),
    rtl: rtlOf(parent, declared.of('direction')),
    align: alignOf(parent, declared.of('text-align')),
    isPushed:
      declared.of('float').some((value) => value !== '' && value !== 'none' && value !== 'left') ||
      (declared.of('margin-left').includes('auto') && !declared.of('margin-right').includes('auto')),
    isCentred: declared.of('margin-left').includes('auto') || parent.align !== 'left',
    spacing: Math.max(
      0,
      ...['letter-spacing', 'word-spacing'].flatMap((name) =>
        declared.of(name).map((value) => pixels(value, font.most) ?? 0),
      ),
    ),
    clipsX: isBox && clips(declared.of('overflow-x')),
    clipsY: isBox && clips(declared.of('overflow-y')),
    isRounded: declared.names().some((name) => name.includes('radius')),
    ...limitsOf(declared, { display, isSized: isBox || own.isReplaced }, own, font, doubts),
    wide: madeOf(declared, ['width', 'min-width'], font),
    part: Math.max(
      0,
      ...declared.of('width').map((value) => (value.endsWith('%') ? Number.parseFloat(value) / 100 : 0)),
    ),
    tall: madeOf(declared, ['height', 'min-height'], font),
    border: madeOf(declared, ['border-size'], font),
    isShadowed: parent.isShadowed || declared.of('text-shadow').some((value) => value !== '' && value !== 'none'),
    isFixedTable: declared.of('table-layout').includes('fixed') || declared.of('table-layout').includes(UNKNOWN),
    padding: paddingOf(declared, font),
    hidden: doubts.hidden,
    doubt: doubts.doubt,
    reach: doubts.reach,
    isPushing: doubts.isPushing,
    away: doubts.away,
    isInPlace: doubts.isInPlace,
    isDownward: doubts.isDownward,
    isPlaced: declared.of('position').some((value) => value !== '' && value !== 'static'),
  }
}

function displayOf(parent: Inherited, declared: Candidates, usual: string, doubts: Doubts): string {
  const found = declared
    .of('display')
    .map((value) => (value === '' ? usual : value === INHERIT ? parent.display : value))
  const [first = usual] = found
  if (found.every((value) => value === 'none' || value.startsWith('table-column'))) doubts.hidden = 'display'
  else if (found.length > 1 && new Set(found).size > 1) doubts.reaching('display')
  else if (!FLOWING.test(first)) doubts.reaching(`display:${first}`)
  return first
}

function positionOf(declared: Candidates, font: Range, doubts: Doubts): void {
  const found = declared.of('position')
  if (found.every((value) => value === '' || value === 'static')) return
  const moved = ['top', 'right', 'bottom', 'left'].filter((side) =>
    declared.of(side).some((value) => !/^(?:|auto|[+-]?0[a-z%]*)$/.test(value)),
  )
  const isOut = found.every((value) => value === 'absolute' || value === 'fixed')
  if (moved.length === 0 && found.every((value) => value === 'relative')) return
  if (isOut && declared.of('clip').every((value) => value === NOTHING)) {
    doubts.own('clip')
    return
  }
  const isLeft =
    moved.length === 1 && (moved[0] === 'left' || (moved[0] === 'top' && found.every((value) => value === 'fixed')))
  const offset =
    isLeft && isOut ? Math.max(...declared.of(moved[0] ?? '').map((value) => pixels(value, font.least) ?? 0)) : 0
  doubts.reaching('position', true)
  if (offset < 0) doubts.away = -offset
  const isAt = (side: string, form: RegExp) => declared.of(side).every((value) => form.test(value))
  const isAuto = (side: string) => isAt(side, /^(?:auto|)$/)
  doubts.isInPlace = isOut && ['top', 'right', 'bottom', 'left'].every(isAuto)
  const isDown =
    ['right', 'bottom'].every(isAuto) &&
    ['top', 'left'].every((side) => isAt(side, /^(?:auto||\+?[\d.]+(?:px|pt|em)?)$/))
  doubts.isDownward = isDown && found.every((value) => value === 'absolute')
}

/** Properties that are named in no table, or have a value that is in none. */
function unknownsOf(declared: Candidates, doubts: Doubts): void {
  for (const name of declared.names()) {
    if (declared.of(name).includes(OWN) || declared.of(name).includes(NOTHING)) doubts.own(name)
    const away = declared.of(name).find((value) => value.startsWith('away '))
    if (away !== undefined) {
      doubts.reaching(name, true)
      doubts.away = Number(away.slice(5)) - 600
    }
    if (KNOWN.test(name) || !declared.of(name).includes(UNKNOWN)) continue
    if (name === 'other' || OWN_ONLY.test(name)) doubts.own(name)
    else doubts.reaching(name)
  }
  if (declared.of('content').some((value) => !/^(?:|normal|none|"[^"]*"|\^)$/.test(value))) doubts.own('content')
  if (declared.of('font-family').includes(UNKNOWN)) doubts.own('font-family')
}

/** Looked at one by one. */
const KNOWN =
  /^(?:display|position|float|overflow-[xy]|visibility|opacity|color|-webkit-text-fill-color|background-.*|font-size|font-family|line-height|white-space|direction|(?:min-|max-)?(?:width|height)|(?:padding|margin)-(?:top|right|bottom|left)|text-align|table-layout|box-sizing|border-size|top|right|bottom|left|content|border.*radius|letter-spacing|word-spacing|text-indent)$/

const LEAST_MARGIN = 0
const MOST_MARGIN = 400

function marginsOf(declared: Candidates, font: Range, doubts: Doubts): { across: number; down: number } {
  let across = 0
  let down = 0
  for (const side of ['top', 'right', 'bottom', 'left']) {
    for (const value of declared.of(`margin-${side}`)) {
      if (value === '' || value === 'auto') continue
      const size = value === INHERIT ? undefined : pixels(value, font.most, 600)
      if (size === undefined || size < LEAST_MARGIN) {
        doubts.reaching('margin')
      } else if (size > MOST_MARGIN) doubts.own('margin')
      else if (side === 'left' || side === 'right') across += Math.max(0, size)
      else down += Math.max(0, size)
    }
  }
  return { across, down }
}

function paddingOf(declared: Candidates, font: Range): { across: number; down: number } {
  const sum = (sides: readonly string[]) =>
    sides.reduce(
      (total, side) =>
        total +
        Math.max(
          ...declared.of(`padding-${side}`).map((value) => (value === '' ? 0 : (pixels(value, font.most, 600) ?? 600))),
        ),
      0,
    )
  return { across: sum(['left', 'right']), down: sum(['top', 'bottom']) }
}

function spacingOf(declared: Candidates, font: Range, doubts: Doubts): void {
  for (const [name, least, most] of [
    ['letter-spacing', -0.11, 1],
    ['word-spacing', -0.15, 3],
    ['text-indent', 0, 3],
  ] as const) {
    for (const value of declared.of(name)) {
      if (value === '' || value === 'normal' || value === INHERIT) continue
      const size = pixels(value, font.most)
      if (name === 'text-indent' && size !== undefined && size < -900 && declared.of(name).length === 1) {
        doubts.reaching(name, true)
        doubts.away = -size
      } else if (size === undefined || size < least * font.least || size > most * font.least) doubts.reaching(name)
    }
  }
}

function visibilityOf(parent: Inherited, declared: Candidates, display: string): Look['visibility'] {
  const found = declared.of('visibility').map((value): Look['visibility'] => {
    if (value === '' || value === INHERIT) return parent.visibility
    if (value === 'collapse') return TABLE_PART.test(display) ? 'unsure' : 'hidden'
    return value === 'visible' || value === 'hidden' ? value : 'unsure'
  })
  return new Set(found).size === 1 ? (found[0] ?? 'unsure') : 'unsure'
}

function opacityOf(declared: Candidates, doubts: Doubts): Range {
  const found = declared.of('opacity').map((value) => (value === '' ? 1 : value === INHERIT ? 0 : opacity(value)))
  if (found.some(Number.isNaN) || declared.of('opacity').includes(INHERIT)) doubts.own('opacity')
  const known = found.filter((value) => !Number.isNaN(value))
  return { least: Math.min(1, ...known), most: Math.max(0, ...known) }
}

function opacity(value: string): number {
  const number = Number(value.replace('%', ''))
  return Math.min(1, Math.max(0, value.endsWith('%') ? number / 100 : number))
}

function clips(values: readonly string[]): boolean {
  return values.some((value) => value !== '' && value !== 'visible' && value !== INHERIT) || values.includes(INHERIT)
}

/** Heights of table parts are what they have at least; `html` and `body` have nothing after them. */
function limitsOf(
  declared: Candidates,
  { display, isSized }: { readonly display: string; readonly isSized: boolean },
  own: Own,
  font: Range,
  doubts: Doubts,
): { width: number; share: number; height: number } {
  const none = Number.POSITIVE_INFINITY
  if (!isSized || own.isRoot) return { width: none, share: 1, height: none }
  const isTable = TABLE_PART.test(display)
  const isInner = declared.of('box-sizing').some((value) => value !== '' && value !== 'content-box')
  const taken = isInner ? paddingOf(declared, font) : { across: 0, down: 0 }
  const border = isInner ? 2 * madeOf(declared, ['border-size'], font) : 0
  const limit = (name: string): number =>
    Math.min(
      ...declared
        .of(name)
        .map((value) => (/^(?:|auto|none|[\d.]+%)$/.test(value) ? none : (pixels(value, font.least) ?? 0))),
    )
  const share = (name: string): number =>
    Math.min(...declared.of(name).map((value) => (value.endsWith('%') ? Number.parseFloat(value) / 100 : 1)))
  const isCell = isTable && display !== 'table' && display !== 'inline-table'
  // A height in per cent is one of the parent's, which is judged by itself; if that has none it is as high as its content.
  if (
    !isTable &&
    Math.min(share('height'), share('max-height')) < (own.isQuirky ? 2 : 1) &&
    declared
      .of('height')
      .concat(declared.of('max-height'))
      .some((value) => value.endsWith('%') && (own.isQuirky || value !== '100%'))
  )
    doubts.reaching('height')
  for (const name of ['min-width', 'min-height']) {
    if (declared.of(name).some((value) => value !== '' && (pixels(value, font.most, 600) ?? 0) > 600)) doubts.own(name)
  }
  const tall = Math.min(isTable ? none : limit('height'), limit('max-height'))
  return {
    width: Math.max(0, Math.min(isCell ? none : limit('width'), limit('max-width')) - taken.across - border),
    share: isCell ? 1 : Math.min(share('width'), share('max-width')),
    height: Math.max(0, tall - taken.down - border),
  }
}

function madeOf(declared: Candidates, names: readonly string[], font: Range): number {
  return Math.max(0, ...names.flatMap((name) => declared.of(name).map((value) => pixels(value, font.most) ?? 0)))
}
