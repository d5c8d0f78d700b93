/**
 * Where boxes lie, as far as it can be said without laying out the page.
 */
import { WHITE } from '../css/colour.ts'
import { type Backdrop, painted, together } from './background.ts'
import type { Look } from './look.ts'
import type { Looks } from './looks.ts'
import { Measure } from './measure.ts'
import { PageElement, PageText } from './nodes.ts'
import { REPLACED } from './ua.ts'

/** A window of 600 pixels without the margins of its page. */
export const WINDOW = 584
/** What a box may stick out of the window. */
const SLACK = 28

/** The box around a text. */
export interface Place {
  /** How wide text may be here at most before it leaves its box or the window. */
  readonly room: number
  /** How wide its box is at least. */
  readonly width: number
  /** Where its box starts at most, how wide it is at most, and whether it reaches beyond the window. */
  readonly left: number
  readonly span: number
  readonly isOver: boolean
}

export const WHOLE_WINDOW: Place = { room: WINDOW, width: WINDOW, left: 0, span: WINDOW, isOver: false }

export class Layout {
  readonly measure: Measure
  readonly #looks: Looks
  readonly #below = new Map<PageElement, Backdrop>()

  constructor(looks: Looks) {
    this.#looks = looks
    this.measure = new Measure(looks)
  }

  placeOf(element: PageElement, look: Look, around: Place): { left: number; span: number; isOver: boolean } {
    if (!look.isBox) return { left: around.left, span: around.span, isOver: around.isOver }
    const need = this.need(element, look)
    const start =
      look.display === 'table-cell'
        ? this.startOf(element)
        : look.isCentred && need > 0
          ? Math.max(0, (around.span - need) / 2)
          : 0
    const left = around.left + start
    const span = need > 0 && look.display !== 'table-cell' ? need : Math.max(0, around.span - start)
    return { left, span, isOver: left + span > WINDOW + SLACK }
  }

  /** How wide a box is in any case. */
  need(element: PageElement, look: Look): number {
    if (!look.isBox || element.name === 'html' || element.name === 'body') return 0
    const least = /^(?:inline-)?table$|flex/.test(look.display) ? this.measure.leastWidth(element) : 0
    return Math.max(least, look.wide) + look.padding.across + look.margin
  }

  /** Cells grow with their content, unless the table is laid out without looking at it. */
  widths(element: PageElement, look: Look, around: Place): { room: number; width: number } {
    const taken = look.padding.across + look.margin + (look.isBox ? 2 * look.border : 0)
    if (look.display === 'table-cell') {
      const width = Math.max(30, (around.width / Math.max(1, element.parent?.children.length ?? 1)) * 0.4)
      return {
        room: Math.min(look.width, this.#isFixed(element) ? width : Number.POSITIVE_INFINITY),
        width: Math.min(look.width, width),
      }
    }
    if (!look.isBox) return { room: around.room, width: around.width }
    // A width is that of the content, a share of the parent's that of the whole box.
    const share = look.share < 1 ? look.share * around.width : Number.POSITIVE_INFINITY
    return {
      room: Math.min(look.width, Math.min(share, around.room) - taken),
      width: Math.min(look.width, Math.min(share, around.width) - taken),
    }
  }

  /** Where a cell starts at most, from the left of its table. */
  startOf(cell: PageElement): number {
    if (cell.index === 0) return 0
    const cells = cell.parent?.children ?? []
    const table = this.#looks.tableOf(cell)
    const whole =
      table === undefined
        ? Number.POSITIVE_INFINITY
        : Math.max(this.#looks.of(table).wide, this.measure.leastWidth(table))
    const widthOf = (one: PageElement): number | undefined => {
      const { wide, part } = this.#looks.of(one)
      if (wide > 0 || part > 0)
        return Math.max(wide, part * whole, this.measure.leastWidth(one)) + this.#looks.of(one).padding.across
      return hasText(one) ? undefined : this.measure.leastWidth(one) + 8
    }
    const before = cells.slice(0, cell.index).reduce((sum, one) => sum + (widthOf(one) ?? Number.POSITIVE_INFINITY), 0)
    const after = cells.slice(cell.index).reduce((sum, one) => sum + (widthOf(one) ?? 0), 0)
    return Math.min(before, whole - after)
  }

  #isFixed(cell: PageElement): boolean {
    const table = this.#looks.tableOf(cell)
    return table !== undefined && this.#looks.of(table).isFixedTable
  }

  /** All that blocks in the same flow paint: a float lies above them. */
  flowColours(element: PageElement): Backdrop {
    let root = element.parent
    while (root?.parent !== undefined && !this.isFlowRoot(root)) root = root.parent
    if (root === undefined) return undefined
    const known = this.#below.get(root)
    if (this.#below.has(root)) return known
    let colours: Backdrop = []
    const gather = (parent: PageElement): void => {
      for (const child of parent.children) {
        const look = this.#looks.of(child)
        if (look.hidden !== undefined || this.isFlowRoot(child)) continue
        if (look.background !== undefined && look.isBox) colours = together(colours, painted(look.background, [WHITE]))
        gather(child)
      }
    }
    gather(root)
    this.#below.set(root, colours)
    return colours
  }

  isFlowRoot(element: PageElement): boolean {
    const look = this.#looks.of(element)
    return (
      element.name === 'body' ||
      look.isFloat ||
      look.clipsX ||
      look.clipsY ||
      /^(?:table|inline-block|inline-table|flow-root|flex)/.test(look.display)
    )
  }

  /** Whether anything of it could be painted. */
  paints(element: PageElement): boolean {
    const look = this.#looks.of(element)
    if (look.hidden !== undefined || look.opacity.most < 0.03) return false
    if (
      look.background !== undefined ||
      REPLACED.has(element.name) ||
      element.attributes.has('border') ||
      /border|shadow|outline/.test(element.attributes.get('style') ?? '')
    )
      return true
    const isWritten =
      look.visibility !== 'hidden' &&
      look.size.most > 1.5 &&
      element.content.some((node) => node instanceof PageText && /\S/.test(node.text))
    return isWritten || element.content.some((node) => node instanceof PageElement && this.paints(node))
  }
}

function hasText(element: PageElement): boolean {
  return element.content.some((node) => (node instanceof PageText ? /\S/.test(node.text) : hasText(node)))
}
