/**
 * Elements whose content shows only in part, or in no way that is known, whatever the styles say.
 */

import { type PageElement, PageText } from './nodes.ts'
import { FALLBACKS } from './ua.ts'

export interface Structure {
  readonly hidden?: string
  readonly doubt?: string
  /** It may show something over the rest of the page. */
  readonly reach?: boolean
}

const PLAIN: Structure = {}
const MATH_TEXT = new Set(['mi', 'mo', 'mn', 'mtext', 'ms'])
const MATH = new Set(
  'math mrow mi mo mn mtext msup msub msubsup mfrac msqrt mroot mover munder munderover mtable mtr mtd mspace'.split(
    ' ',
  ),
)

export function structureOf(element: PageElement): Structure {
  const { name, attributes, isHtml, parent } = element
  if (!isHtml) return foreign(element)
  if (parent?.name === 'details' && !parent.attributes.has('open') && !isSummary(element)) return { hidden: 'details' }
  switch (name) {
    case 'object':
    case 'marquee':
    case 'canvas':
    case 'applet':
    case 'frameset':
    case 'noscript':
      return { doubt: name }
    case 'option':
      return option(element)
    case 'textarea':
      return (textOf(element).length ?? 0) > 18 || attributes.size > 0 ? { doubt: name } : PLAIN
    case 'template':
      return attributes.has('shadowrootmode') ? { doubt: 'shadow', reach: true } : PLAIN
    case 'select':
      return ['style', 'class', 'width'].some((attribute) => attributes.has(attribute)) ? { doubt: name } : PLAIN
    case 'details':
      return attributes.has('name') ? { doubt: name } : PLAIN
    case 'table':
      return hasOverlappingCells(element) ? { doubt: 'cells' } : PLAIN
    default:
      return unusual(element)
  }
}

function unusual({ attributes, children }: PageElement): Structure {
  if (attributes.get('hidden')?.toLowerCase() === 'until-found') return { doubt: 'until-found' }
  if (children.some((child) => child.name === 'template' && child.attributes.has('shadowrootmode')))
    return { doubt: 'shadow', reach: true }
  return PLAIN
}

/** What stands inside of an element that shows something else, or only a part of it. */
export function innerOf({ name, isHtml }: PageElement): 'hidden' | 'uncertain' | undefined {
  if (isHtml) return FALLBACKS.has(name) ? 'hidden' : undefined
  return undefined
}

/** Whether text that stands directly in it shows. */
export function holdsText({ name, namespace }: PageElement): boolean {
  return namespace.endsWith('MathML') ? MATH_TEXT.has(name) : name !== 'select' && name !== 'optgroup'
}

function foreign(element: PageElement): Structure {
  const isMath = element.namespace.endsWith('MathML')
  return isMath && MATH.has(element.name) && element.attributes.size === 0 ? PLAIN : { doubt: isMath ? 'math' : 'svg' }
}

function isSummary({ name, parent, index }: PageElement): boolean {
  return name === 'summary' && parent?.children.findIndex((child) => child.name === 'summary') === index
}

function textOf(element: PageElement): string {
  return element.content.map((node) => (node instanceof PageText ? node.text : '')).join('')
}

/** Of a select the last selected option shows, else the first; of a list the first few. */
function option(element: PageElement): Structure {
  const select = element.parent
  if (select?.name !== 'select') return { doubt: 'option' }
  const options = select.children
  const isOdd = options.some(
    ({ name, attributes }) =>
      name !== 'option' ||
      ['label', 'disabled', 'style', 'class', 'hidden'].some((attribute) => attributes.has(attribute)),
  )
  if (isOdd) return { doubt: 'option' }
  const isList = select.attributes.has('multiple') || select.attributes.has('size')
  if (isList) return element.index < 4 && !select.attributes.has('size') ? PLAIN : { doubt: 'option' }
  const chosen = Math.max(
    0,
    options.findLastIndex(({ attributes }) => attributes.has('selected')),
  )
  return element.index === chosen ? PLAIN : { hidden: 'option' }
}

const span = (cell: PageElement, name: string) =>
  Math.min(1000, Math.max(1, Number.parseInt(cell.attributes.get(name) ?? '1', 10) || 1))

/** HTML §4.9.12: a cell that reaches down may meet one that reaches across; both are painted. */
function hasOverlappingCells(table: PageElement): boolean {
  const rows = table.children.flatMap((part) =>
    part.name === 'tr' ? [part] : part.children.filter(({ name }) => name === 'tr'),
  )
  const cells = rows.flatMap(({ children }) => children)
  const reaches = (name: string) =>
    cells.some((cell) => cell.attributes.has(name) && !/^\s*1\s*$/.test(cell.attributes.get(name) ?? ''))
  if (!reaches('rowspan') || !reaches('colspan')) return false
  const taken = new Set<string>()
  for (const [row, { children }] of rows.entries()) {
    let column = 0
    for (const cell of children) {
      while (taken.has(`${row} ${column}`)) column++
      const [across, down] = [
        span(cell, 'colspan'),
        cell.attributes.get('rowspan')?.trim() === '0' ? 1000 : span(cell, 'rowspan'),
      ]
      if (across * down > 2000 || taken.size > 20_000) return true
      for (let x = column; x < column + across; x++) {
        for (let y = row; y < row + down; y++) {
          if (taken.has(`${y} ${x}`)) return true
          taken.add(`${y} ${x}`)
        }
      }
      column += across
    }
  }
  return false
}
