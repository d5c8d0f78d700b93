/** How the styles of a Word document make text look, and which hide it. */
import type { Archive } from './archive.ts'
import { hexColour, type Ink, inkSight, PLAIN, type Rgb, WHITE } from './ink.ts'
import { ownText } from './own-text.ts'
import { type Theme, tinted } from './theme.ts'
import { type Element, readWholeXml } from './xml.ts'

const MOST_STYLES = 20_000
/** Shadings of the parts of a table: more of them say no more. */
const MOST_PARTS = 20

interface Style {
  basedOn: string | undefined
  hides: boolean | undefined
  ink: Partial<Ink>
  /** How the parts of a table look: its first row, every other row. */
  parts: Partial<Ink>[]
}

export class DocxStyles {
  readonly #styles: ReadonlyMap<string, Style>
  readonly #usual: string | undefined
  readonly theme: Theme
  /** How text looks of which no style says anything. */
  readonly plain: Ink
  readonly #hidesAll: boolean

  constructor(styles: ReadonlyMap<string, Style>, theme: Theme, usual: string | undefined, plain: Style) {
    this.#styles = styles
    this.#usual = usual
    this.theme = theme
    this.plain = { ...PLAIN, ...plain.ink }
    this.#hidesAll = plain.hides === true
  }

  /** Gives a paragraph, a run or a table the look of a style; without a name, that of all paragraphs. */
  apply(target: Element, id = this.#usual): void {
    const isParagraph = target.name === 'p'
    const hides = this.#first(id, ({ hides }) => hides) ?? (isParagraph && this.#hidesAll)
    // A paragraph's own style stands in for the usual one.
    target.styledAway = hides || ((isParagraph ? target.parent?.styledAway : target.styledAway) ?? false)
    if (isParagraph) target.ink = target.parent?.ink ?? this.plain
    for (const key of ['colour', 'points', 'behind'] as const) {
      const value = this.#first(id, ({ ink }) => (key in ink ? { [key]: ink[key] } : undefined))
      if (value !== undefined) target.look(value)
    }
    if (target.name === 'tbl')
      this.#parts(target, this.#first(id, ({ parts }) => (parts.length > 0 ? parts : undefined)) ?? [])
  }

  /** Which cells are in which part is not computed. */
  #parts(table: Element, parts: readonly Partial<Ink>[]): void {
    if (parts.some((part) => inkSight({ ...this.plain, ...table.ink, ...part }) !== 'visible')) table.doubtful = true
    table.look({ behind: [...table.ink.behind, ...parts.flatMap(({ behind }) => behind ?? [])].slice(0, MOST_PARTS) })
  }

  #first<T>(id: string | undefined, of: (style: Style) => T | undefined): T | undefined {
    const seen = new Set<string>()
    for (let at = id; at !== undefined && !seen.has(at); at = this.#styles.get(at)?.basedOn) {
      seen.add(at)
      const style = this.#styles.get(at)
      const found = style === undefined ? undefined : of(style)
      if (found !== undefined) return found
    }
    return undefined
  }
}

export function readDocxStyles(archive: Archive, file: string | undefined, theme: Theme): DocxStyles {
  const styles = new Map<string, Style>()
  const plain: Style = { basedOn: undefined, hides: undefined, ink: {}, parts: [] }
  let usual: string | undefined
  let style: Style = plain
  const open = (element: Element): void => {
    const { name } = element
    if (name === 'style') style = { basedOn: undefined, hides: undefined, ink: {}, parts: [] }
    else if (name === 'tblStylePr') style.parts.push({})
    else if (name === 'basedOn') style.basedOn = ownText(element.attribute('val') ?? '')
    // A style for parts of a table hides when one of those does.
    else if (name === 'vanish' && element.parent?.parent?.name !== 'pPr')
      style.hides = style.hides === true || isOn(element)
    else if (element.parent?.parent?.name !== 'pPr') {
      const part = element.around('tblStylePr') === undefined ? style.ink : (style.parts.at(-1) ?? {})
      Object.assign(part, inkOf(element, theme))
    }
  }
  const close = (element: Element): void => {
    if (element.name !== 'style') return
    const id = element.attribute('styleId') ?? ''
    if (styles.size >= MOST_STYLES) throw new Error('too many styles')
    styles.set(ownText(id), style)
    if (element.attribute('type') === 'paragraph' && isTrue(element.attribute('default'))) usual = id
  }
  if (file !== undefined) readWholeXml(archive, file, 'styles', { open, close })
  return new DocxStyles(styles, theme, usual, plain)
}

/** What an element among the properties of text says of its look. */
export function inkOf(element: Element, theme: Theme): Partial<Ink> {
  const { name } = element
  if (name === 'color') return { colour: colourOf(element, 'val', 'theme', theme) }
  if (name === 'sz') return { points: (element.number('val') ?? 20) / 2 }
  if (name === 'highlight') return { behind: [HIGHLIGHTS.get(element.attribute('val') ?? '')] }
  if (name !== 'shd') return {}
  const fill = colourOf(element, 'fill', 'themeFill', theme)
  if (!['clear', 'nil', undefined].includes(element.attribute('val'))) return { behind: [undefined] }
  return { behind: [fill === 'auto' ? WHITE : fill] }
}

/** Word writes the colour beside its name in the theme: what they agree on is known. */
function colourOf(element: Element, key: string, prefix: 'theme' | 'themeFill', theme: Theme): Rgb | 'auto' {
  const value = element.attribute(key)
  const named = element.attribute(prefix === 'theme' ? 'themeColor' : prefix)
  if (named === undefined) return value === undefined || value === 'auto' ? 'auto' : hexColour(value)
  const tint = Number.parseInt(element.attribute(`${prefix}Tint`) ?? 'ff', 16)
  const shade = Number.parseInt(element.attribute(`${prefix}Shade`) ?? 'ff', 16)
  return tinted(tinted(theme.named(named), 1 - tint / 255), shade / 255 - 1)
}

/** Of the other highlights the colour is not known. */
const HIGHLIGHTS = new Map([
  ['yellow', 0xffff00],
  ['green', 0xff00],
  ['cyan', 0xffff],
  ['magenta', 0xff00ff],
  ['blue', 0xff],
  ['red', 0xff0000],
  ['lightGray', 0xc0c0c0],
  ['none', WHITE],
])

/** A property that is named without a value is on. */
export function isOn(element: Element): boolean {
  const value = element.attribute('val')
  return value === undefined || isTrue(value)
}

export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on'
}
