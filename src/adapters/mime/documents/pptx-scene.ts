/**
 * The shapes of a slide, a layout or a master: where they lie, what they are filled with and how they make text look.
 *
 * INVARIANT: a fill that is not computed has no colour; a shape whose place is not known has none, and may lie anywhere.
 */
import type { Archive } from './archive.ts'
import { isTrue } from './docx-styles.ts'
import { hexColour, type Ink, type Rgb } from './ink.ts'
import { type Box, boxOf, IDENTITY, type Matrix, multiply, share } from './region.ts'
import { type Theme, tinted } from './theme.ts'
import { type Element, readWholeXml } from './xml.ts'

export const SHAPES = ['sp', 'pic', 'graphicFrame', 'cxnSp']
const FILLS = ['solidFill', 'fillRef', 'fontRef', 'bgRef', 'highlight']
const OTHER_FILLS = ['gradFill', 'blipFill', 'pattFill', 'grpFill']
const MOST_SHAPES = 2000
const LITTLE = 0.1

export interface Shape {
  readonly element: Element
  box: Box | undefined
  /** `none` lets through what lies behind. */
  fill: Rgb | 'none'
  isHidden: boolean
  /** By which the layout knows it: its kind, and its number. */
  placeholder: readonly [string, string] | undefined
  readonly text: Partial<Ink>[]
}

export interface Scene {
  readonly shapes: Shape[]
  background: Rgb | 'none'
  /** Of `title`, `body` and `other` text. */
  readonly styles: Map<string, Partial<Ink>[]>
  /** The fills of the cells of tables, in their order. */
  readonly cells: (Rgb | 'none')[]
  /** It has colours of its own. */
  isOdd: boolean
}

export interface Paint {
  readonly colour: Rgb
  readonly alpha: number
}

/** Follows the colours of a drawing. */
export class Paints {
  readonly #theme: Theme
  #colour: Rgb
  #alpha = 1

  constructor(theme: Theme) {
    this.#theme = theme
  }

  open(element: Element): void {
    const { name, parent } = element
    const value = element.attribute('val')
    const part = (element.number('val') ?? 0) / 100_000
    if (name.endsWith('Clr')) {
      this.#alpha = 1
      if (name === 'schemeClr') this.#colour = this.#theme.named(value ?? '')
      else this.#colour = hexColour(name === 'sysClr' ? element.attribute('lastClr') : value)
    } else if (parent?.name.endsWith('Clr') !== true) return
    else if (name === 'alpha') this.#alpha = part
    else if (name === 'lumMod' || name === 'shade') this.#colour = tinted(this.#colour, part - 1)
    else if (name === 'lumOff') this.#colour = tinted(this.#colour, part)
    else this.#colour = name === 'tint' ? tinted(this.#colour, 1 - part) : undefined
  }

  /** What a fill that ends here was, where it is one. */
  close({ name }: Element): Paint | undefined {
    if (OTHER_FILLS.includes(name)) return { colour: undefined, alpha: 1 }
    if (name === 'noFill') return { colour: undefined, alpha: 0 }
    return FILLS.includes(name) ? { colour: this.#colour, alpha: this.#alpha } : undefined
  }
}

/** `root` is `sld`, `sldLayout` or `sldMaster`. */
export function readScene(archive: Archive, file: string, root: string, theme: Theme): Scene {
  const reader = new SceneReader(theme)
  readWholeXml(archive, file, root, {
    open: (element) => reader.open(element),
    close: (element) => reader.close(element),
  })
  return reader.scene
}

type Point = readonly [number, number]

class SceneReader {
  readonly scene: Scene = { shapes: [], background: 'none', styles: new Map(), cells: [], isOdd: false }
  readonly #theme: Theme
  readonly #paints: Paints
  /** From the measures of the groups around to those of the slide; those of a turned group are not known. */
  readonly #groups: (Matrix | undefined)[] = [IDENTITY]
  #points = new Map<string, Point>()

  constructor(theme: Theme) {
    this.#theme = theme
    this.#paints = new Paints(theme)
  }

  open(element: Element): void {
    const { name } = element
    const { shapes, cells } = this.scene
    const shape = shapes.at(-1)
    this.#paints.open(element)
    if (name === 'clrMap') this.#theme.rename(element)
    else if (name === 'overrideClrMapping') this.scene.isOdd = true
    else if (SHAPES.includes(name)) {
      if (shapes.length >= MOST_SHAPES) throw new Error('too many shapes')
      const fill = name === 'pic' ? undefined : 'none'
      shapes.push({ element, box: undefined, fill, isHidden: false, placeholder: undefined, text: [] })
    } else if (name === 'grpSp') this.#groups.push(this.#groups.at(-1))
    else if (name === 'tc') cells.push('none')
    else if (name === 'xfrm') this.#points = new Map()
    else if (element.parent?.name === 'xfrm') {
      const [x = 0, y = 0] = [element.number('x') ?? element.number('cx'), element.number('y') ?? element.number('cy')]
      this.#points.set(name, [x, y])
    } else if (name === 'defRPr') this.#textOf(element)?.push(sizeOf(element))
    else if (shape === undefined) return
    else if (name === 'ph')
      shape.placeholder = [kindOf(element.attribute('type')), `#${element.attribute('idx') ?? ''}`]
    else if (name === 'cNvPr') shape.isHidden ||= isTrue(element.attribute('hidden'))
  }

  close(element: Element): void {
    const { name, parent } = element
    if (name === 'grpSp') this.#groups.pop()
    if (name === 'xfrm') this.#place(element)
    const paint = this.#paints.close(element)
    if (paint === undefined) return
    const fill = paint.alpha === 0 ? 'none' : paint.alpha < 1 ? undefined : paint.colour
    const shape = this.scene.shapes.at(-1)
    if (parent?.name === 'bgPr' || name === 'bgRef') this.scene.background = fill
    else if (parent?.name === 'tcPr') this.scene.cells.splice(-1, 1, fill)
    else if (parent?.name === 'defRPr') Object.assign(this.#textOf(parent)?.at(-1) ?? {}, paint)
    else if (shape === undefined || element.around(...SHAPES) !== shape.element || shape.element.name === 'pic') return
    else if (parent?.name === 'spPr') {
      shape.fill = fill
      // What a shape says itself overrules its style.
      shape.element.settled = true
    } else if (name === 'fillRef' && !shape.element.settled && element.attribute('idx') !== '0') shape.fill = fill
    else if (name === 'fontRef') shape.text.push(paint)
  }

  /** The list that the defaults of text belong to. */
  #textOf(element: Element): Partial<Ink>[] | undefined {
    const style = element.around('titleStyle', 'bodyStyle', 'otherStyle')
    if (style === undefined) return element.around(...SHAPES) && this.scene.shapes.at(-1)?.text
    const list = this.scene.styles.get(style.name) ?? []
    this.scene.styles.set(style.name, list)
    return list
  }

  #place(transform: Element): void {
    const of = (name: string): Point => this.#points.get(name) ?? [0, 0]
    const [[x, y], [width, height], [childX, childY], [childWidth, childHeight]] = [
      of('off'),
      of('ext'),
      of('chOff'),
      of('chExt'),
    ]
    const isTurned = (transform.number('rot') ?? 0) !== 0
    const isGroup = transform.parent?.name === 'grpSpPr'
    const outer = this.#groups.at(isGroup ? -2 : -1)
    if (isGroup && this.#groups.length > 1) {
      const [scaleX, scaleY] = [width / (childWidth || 1), height / (childHeight || 1)]
      const own: Matrix = [scaleX, 0, 0, scaleY, x - childX * scaleX, y - childY * scaleY]
      this.#groups.splice(-1, 1, outer === undefined || isTurned ? undefined : multiply(outer, own))
    }
    const shape = this.scene.shapes.at(-1)
    if (isGroup || shape === undefined || outer === undefined) return
    // However it is turned, it lies in a square around its centre.
    const more = isTurned ? Math.hypot(width, height) : 0
    const [moreX, moreY] = [Math.max(0, more - width) / 2, Math.max(0, more - height) / 2]
    shape.box = boxOf(outer, [x - moreX, y - moreY, x + width + moreX, y + height + moreY])
  }
}

export function sizeOf(element: Element): Partial<Ink> {
  const size = element.number('sz')
  return size === undefined ? {} : { points: size / 100 }
}

function kindOf(type = 'body'): string {
  return /title/i.test(type) ? 'title' : type === 'obj' ? 'body' : type
}

/** Shapes that may lie over the other or behind it. */
export function overlapping(box: Box | undefined, shapes: readonly Shape[]): readonly Shape[] {
  return shapes.filter((shape) => {
    if (shape.isHidden || shape.fill === 'none') return false
    return box === undefined || shape.box === undefined || share(box, shape.box) > LITTLE
  })
}
