/** How the styles of an OpenDocument file make text look, and which hide what they are given to. */
import { hexColour, type Ink, type Sight, WHITE } from './ink.ts'
import { ownText } from './own-text.ts'
import type { Element } from './xml.ts'

const MOST_STYLES = 20_000
/** In points: rows, columns and frames that hold no letter, or hardly any. */
const FLAT = 2
const LOW = 6

interface Style {
  readonly parent: string | undefined
  hides: boolean | undefined
  ink: Partial<Ink>
  size: Sight | undefined
  isFilled: boolean | undefined
  odd: boolean | undefined
}

export class OdfStyles {
  readonly #styles = new Map<string, Style>()
  #family = ''
  #open: { readonly key: string; readonly style: Style } | undefined

  /** To be told of every element of the files that define styles. */
  learn(element: Element): void {
    const { name } = element
    if (name === 'style' || name === 'default-style') {
      this.#family = element.attribute('family') ?? ''
      const own = element.attribute('name') ?? ''
      const parent = element.attribute('parent-style-name') ?? (name === 'style' ? '' : undefined)
      const style = { parent: parent === undefined ? undefined : this.#key(parent), ...NOTHING, ink: {} }
      this.#open = { key: this.#key(own), style }
    } else if (this.#open !== undefined) property(element, this.#open.style)
  }

  /** To be told where an element ends. */
  learned({ name }: Element): void {
    if ((name !== 'style' && name !== 'default-style') || this.#open === undefined) return
    const { key, style } = this.#open
    // Of two of one name it takes one to hide.
    if (this.#styles.get(key)?.hides === true) style.hides = true
    if (this.#styles.size >= MOST_STYLES) throw new Error('too many styles')
    this.#styles.set(key, style)
    this.#open = undefined
  }

  /** By the family (`paragraph`, `table`, `drawing-page`) and the name of a style. */
  hides(family: string, name: string): boolean {
    return this.#first(family, name, ({ hides }) => hides) ?? false
  }

  size(family: string, name: string): Sight {
    return this.#first(family, name, ({ size }) => size) ?? 'visible'
  }

  isFilled(name: string): boolean | undefined {
    const of = ({ isFilled }: Style): boolean | undefined => isFilled
    return this.#first('graphic', name, of) ?? this.#first('presentation', name, of)
  }

  /** Gives an element the look of a style. */
  apply(target: Element, family: string, name: string): void {
    for (const key of ['colour', 'points', 'behind', 'alpha'] as const) {
      const value = this.#first(family, name, ({ ink }) => (key in ink ? { [key]: ink[key] } : undefined))
      if (value !== undefined) target.look(value)
    }
    if (this.#first(family, name, ({ odd }) => odd) === true) target.doubtful = true
  }

  #first<T>(family: string, name: string, of: (style: Style) => T | undefined): T | undefined {
    const seen = new Set<string>()
    for (let at: string | undefined = `${family} ${name}`; at !== undefined && !seen.has(at); ) {
      seen.add(at)
      const style: Style | undefined = this.#styles.get(at)
      const found = style === undefined ? undefined : of(style)
      if (found !== undefined) return found
      at = style?.parent
    }
    return undefined
  }

  #key(name: string): string {
    return ownText(`${this.#family} ${name}`)
  }
}

const NOTHING = { hides: undefined, size: undefined, isFilled: undefined, odd: undefined }

function property(element: Element, style: Style): void {
  const { name } = element
  const display = element.attribute('display')
  if ((name === 'text-properties' || name === 'table-properties') && display !== undefined)
    style.hides = display !== 'true'
  const visibility = name === 'drawing-page-properties' ? element.attribute('visibility') : undefined
  if (visibility !== undefined) style.hides = visibility === 'hidden'
  if (name === 'text-properties') letters(element, style)
  if (name === 'table-row-properties') style.size = sizeSight(pointsOf(element.attribute('row-height')))
  if (name === 'table-column-properties') style.size = sizeSight(pointsOf(element.attribute('column-width')))
  const fill = name === 'graphic-properties' ? element.attribute('fill') : undefined
  if (fill !== undefined) style.isFilled = fill !== 'none'
  if (name === 'paragraph-properties') style.odd = isOddParagraph(element) || style.odd
  if (!name.endsWith('-properties')) return
  const back = element.attribute('background-color')
  if (back !== undefined) style.ink = { ...style.ink, behind: [back === 'transparent' ? WHITE : hexColour(back)] }
}

function letters(element: Element, style: Style): void {
  const colour = element.attribute('color')
  const size = element.attribute('font-size')
  const opacity = element.number('opacity')
  if (element.attribute('use-window-font-color') === 'true') style.ink = { ...style.ink, colour: 'auto' }
  else if (colour !== undefined) style.ink = { ...style.ink, colour: hexColour(colour) }
  const points = pointsOf(size)
  if (points !== undefined) style.ink = { ...style.ink, points }
  else if (size !== undefined && Number.parseFloat(size) < 50) style.odd = true
  if (opacity !== undefined) style.ink = { ...style.ink, alpha: opacity / 100 }
  const [raised = '0', scaled = '100'] = (element.attribute('text-position') ?? '')
    .split(' ')
    .filter((part) => part !== '')
  const isShifted = Math.abs(Number.parseFloat(raised)) > 100 || Number.parseFloat(scaled) < 30
  const isSqueezed =
    (element.number('text-scale') ?? 100) < 40 || (pointsOf(element.attribute('letter-spacing')) ?? 0) < -LOW / 2
  if (isShifted || isSqueezed || isOn(element.attribute('font-relief')) || element.attribute('text-outline') === 'true')
    style.odd = true
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== 'none'
}

function isOddParagraph(element: Element): boolean {
  const height = pointsOf(element.attribute('line-height')) ?? 100
  const far = ['margin-left', 'margin-right', 'text-indent'].some(
    (side) => Math.abs(pointsOf(element.attribute(side)) ?? 0) > 500,
  )
  return height < LOW || far || (element.number('line-height') ?? 100) === 0
}

const UNITS = new Map([
  ['pt', 1],
  ['in', 72],
  ['cm', 72 / 2.54],
  ['mm', 72 / 25.4],
  ['pc', 12],
  ['px', 0.75],
])

/** A length, as far as it is one. */
export function pointsOf(length: string | undefined): number | undefined {
  const [, number, unit = ''] = /^([-+]?[\d.]+)([a-z]{2})$/.exec(length ?? '') ?? []
  const scale = UNITS.get(unit)
  return scale === undefined ? undefined : Number(number) * scale
}

export function sizeSight(points: number | undefined): Sight | undefined {
  if (points === undefined) return undefined
  return points >= LOW ? 'visible' : points <= FLAT ? 'hidden' : 'uncertain'
}
