/**
 * What must be known of a page before its first word: its style sheets, wherever they stand, and the attributes of its
 * `html` and `body`.
 *
 * INVARIANT: linear in the size of the page; sheets that a browser would not apply are left out. What stands behind the
 * last tag that matters is not read, unless the whole page is asked for.
 */
import { cssInAddress } from '../css/data-sheet.ts'
import { type Attributes, NO_ATTRIBUTES, readMarkup } from './markup.ts'
import type { Element } from './open-elements.ts'
import { Selects } from './selects.ts'
import { Tree } from './tree.ts'

export interface Preamble {
  readonly html: Attributes
  readonly body: Attributes
  readonly styles: readonly { readonly css: string; readonly media: string }[]
  /** Which option each select shows. */
  readonly selects: readonly number[]
}

export function readPreamble(html: string, whole: boolean): Preamble {
  if (!/<(?:style|html|body|link|select)\b/i.test(html)) {
    return { html: NO_ATTRIBUTES, body: NO_ATTRIBUTES, styles: [], selects: [] }
  }
  const root = { html: new Map<string, string>(), body: new Map<string, string>() }
  const styles: { css: string; media: string }[] = []
  const selects = new Selects()
  const last = whole ? html.length : lastThatMatters(html)
  let inert = 0
  let openStyles = 0
  let style: { css: string; media: string } | undefined
  const events = {
    state: () => undefined,
    enter(element: Element<undefined>) {
      selects.enter(element)
      if (element.name === 'style') openStyles++
      if (INERT.has(element.name)) inert++
      else if (element.name === 'link' && inert === 0) styles.push(...linkedSheet(element.attributes))
      else if (element.name === 'style' && inert === 0) style = sheetOf(element.attributes)
    },
    leave(element: Element<undefined>) {
      selects.leave(element.name)
      if (element.name === 'style') openStyles--
      if (INERT.has(element.name)) inert--
      if (element.name === 'style' && style !== undefined) styles.push(style)
      if (element.name === 'style') style = undefined
    },
  }
  const tree = new Tree<undefined>(events, NO_ATTRIBUTES, NO_ATTRIBUTES, false)
  readMarkup(html, {
    open(name, attributes, selfClosing) {
      if (inert === 0 && (name === 'html' || name === 'body')) merge(root[name], attributes)
      tree.open(name, attributes, selfClosing)
    },
    close: (name) => tree.close(name),
    text(text) {
      if (style !== undefined && tree.top.name === 'style') style.css += text
    },
    comment() {},
    inForeignContent: () => tree.inForeignContent(),
    isEnough: (at) => at > last && openStyles === 0,
  })
  tree.end()
  return { ...root, styles, selects: selects.shown }
}

/** Where the last tag begins that says something here. Where there are selects, any option may. */
function lastThatMatters(html: string): number {
  let last = 0
  // The Kelvin sign is a `k` in lower case.
  for (const { 0: tag, index } of html.matchAll(/<(?:style|html|body|lin[k\u212a]|select)(?!\w)/gi)) {
    if (tag.length === '<select'.length) return html.length
    last = index
  }
  return last
}

/** Whose content is not part of the page. */
const INERT = new Set(['template', 'noscript'])

function sheetOf(attributes: Attributes): { css: string; media: string } | undefined {
  const type = attributes.get('type')?.trim().toLowerCase() ?? ''
  return type === '' || type === 'text/css' ? { css: '', media: attributes.get('media') ?? '' } : undefined
}

/** Nothing is loaded, but a sheet may stand in the address itself. */
function linkedSheet(attributes: Attributes): { css: string; media: string }[] {
  if (!/\bstylesheet\b/i.test(attributes.get('rel') ?? '')) return []
  const css = cssInAddress(attributes.get('href') ?? '')
  return css === undefined ? [] : [{ css, media: attributes.get('media') ?? '' }]
}

function merge(into: Map<string, string>, attributes: Attributes): void {
  for (const [name, value] of attributes) if (!into.has(name)) into.set(name, value)
}
