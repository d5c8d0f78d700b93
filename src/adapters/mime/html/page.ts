/**
 * Reads a page and tells a sink what a person would see of it, in order.
 *
 * INVARIANT: linear in the size of the page; a page too contrived to be judged ends where that shows, and says so. A sink
 * is never told of an element or a text that cannot be seen; each `enter` has its `leave`.
 */
import { StyleRules } from '../css/cascade.ts'
import { type Declaration, parseDeclarations } from '../css/declaration.ts'
import { TooComplex } from '../css/match.ts'
import { mediaHolds } from '../css/media.ts'
import { isRelevant, type Properties, resolveProperties, resolveVariables } from '../css/properties.ts'
import { parseSheet, type Sheet } from '../css/sheet.ts'
import { readLink } from '../links.ts'
import { type Appearance, appearanceOf, PAGE } from './appearance.ts'
import { NEVER_SHOWN } from './elements.ts'
import { Findings } from './findings.ts'
import { hintsOf, isFoldedAway } from './hints.ts'
import { readMarkup } from './markup.ts'
import type { Element } from './open-elements.ts'
import { readPreamble } from './preamble.ts'
import { FOREIGN, Tree } from './tree.ts'

/** What is kept with every open element. */
export interface Look {
  readonly appearance: Appearance
  /** How it looks if every rule that may apply does. */
  readonly worst: Appearance
  readonly display: string | undefined
  readonly preformatted: boolean
}

export type PageElement = Element<Look>

export interface Sink {
  enter(element: PageElement): void
  leave(element: PageElement): void
  text(text: string, element: PageElement): void
}

const PREFORMATTED = new Set(['pre', 'textarea', 'xmp', 'listing', 'plaintext'])
const MAX_LINK_TEXT = 2000
const MAX_REMEMBERED = 2000

export function readPage(html: string, sink: Sink): Findings {
  const findings = new Findings()
  try {
    new PageReader(html, sink, findings).read()
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    findings.incomplete()
  }
  return findings
}

class PageReader {
  readonly #html: string
  readonly #sink: Sink
  readonly #findings: Findings
  readonly #rules: StyleRules
  readonly #tree: Tree<Look>
  readonly #inlineStyles = new Map<string, readonly Declaration[]>()
  /** Where hidden text was last found: the rest of the same piece does not count again. */
  #lastHidden: object | undefined
  #link: { href: string; text: string } | undefined

  constructor(html: string, sink: Sink, findings: Findings) {
    this.#html = html
    this.#sink = sink
    this.#findings = findings
    const preamble = readPreamble(html)
    const sheets = preamble.styles.filter(({ media }) => mediaHolds(media)).map(({ css }) => parseSheet(css))
    this.#judgeSheets(sheets)
    this.#rules = new StyleRules(sheets)
    const events = {
      state: (element: Omit<PageElement, 'state'>) => this.#look(element),
      enter: (element: PageElement) => this.#enter(element),
      leave: (element: PageElement) => this.#leave(element),
    }
    this.#tree = new Tree<Look>(events, preamble.html, preamble.body, !this.#rules.empty)
  }

  read(): void {
    const tree = this.#tree
    try {
      readMarkup(this.#html, {
        open: (name, attributes, selfClosing) => tree.open(name, attributes, selfClosing),
        close: (name) => tree.close(name),
        text: (text) => this.#text(text),
        comment: (text) => this.#findings.comment(text),
        inForeignContent: () => tree.inForeignContent(),
      })
    } finally {
      tree.end()
    }
  }

  #judgeSheets(sheets: readonly Sheet[]): void {
    for (const { asides, loads, complete } of sheets) {
      for (const aside of asides) this.#findings.aside(aside)
      this.#findings.remote(loads)
      if (!complete) throw new TooComplex('style sheet')
    }
  }

  #look(element: Omit<PageElement, 'state'>): Look {
    const parent = element.parent?.state ?? PAGE_LOOK
    const { name, attributes } = element
    if (parent.appearance.gone) return parent
    if (NEVER_SHOWN.has(name) || name.startsWith(FOREIGN) || isFoldedAway(element)) return gone(parent)
    const style = attributes.get('style')
    const inline = style === undefined ? NO_DECLARATIONS : this.#inline(style)
    const hints = hintsOf(element)
    const { sure, perhaps } = this.#rules.cascade(element, inline)
    const preformatted = parent.preformatted || PREFORMATTED.has(name)
    if (hints.length === 0 && perhaps.length === 0) {
      return parent.display === undefined && preformatted === parent.preformatted
        ? parent
        : { ...parent, display: undefined, preformatted }
    }
    const own = resolve(parent.appearance, hints, sure)
    const appearance = appearanceOf(parent.appearance, own.properties, own.variables)
    const whiteSpace = own.properties.get('white-space')
    return {
      appearance,
      worst: sure === perhaps && parent.worst === parent.appearance ? appearance : worst(parent.worst, hints, perhaps),
      display: own.properties.get('display'),
      preformatted: whiteSpace === undefined ? preformatted : /^(?:pre|break-spaces)/.test(whiteSpace),
    }
  }

  /** Mail repeats the same few style attributes over and over. */
  #inline(style: string): readonly Declaration[] {
    const known = this.#inlineStyles.get(style)
    if (known !== undefined) return known
    const declarations = parseDeclarations(style).filter(({ name }) => isRelevant(name))
    if (this.#inlineStyles.size < MAX_REMEMBERED) this.#inlineStyles.set(style, declarations)
    return declarations
  }

  #enter(element: PageElement): void {
    this.#findings.element(element.name, element.attributes)
    if (isGone(element.state)) return
    if (element.name === 'a') this.#link = { href: element.attributes.get('href') ?? '', text: '' }
    this.#sink.enter(element)
  }

  #leave(element: PageElement): void {
    if (isGone(element.state)) return
    if (element.name === 'a' && this.#link !== undefined) {
      this.#findings.link(readLink(this.#link.href, this.#link.text).verdict)
      this.#link = undefined
    }
    this.#sink.leave(element)
  }

  #text(text: string): void {
    if (!/[^\s]/.test(text)) {
      const { state } = this.#tree.top
      if (!isHidden(state)) this.#sink.text(text, this.#tree.top)
      return
    }
    const parent = this.#tree.textParent()
    if (isHidden(parent.state) || (parent.name === 'details' && !parent.attributes.has('open'))) {
      this.#countHidden(parent, text)
      return
    }
    this.#lastHidden = undefined
    if (this.#link !== undefined && this.#link.text.length < MAX_LINK_TEXT) this.#link.text += text
    this.#sink.text(text, parent)
  }

  #countHidden(parent: PageElement, text: string): void {
    if (NEVER_SHOWN.has(parent.name) && WORDS_IF_SENTENCE.has(parent.name)) {
      if (parent.name === 'title') this.#findings.aside(text)
      return
    }
    // A piece that is hidden as a whole counts once, however many elements it is made of.
    const piece = parent.state.appearance.gone ? parent.state.appearance : parent
    if (piece === this.#lastHidden || !/[\p{L}\p{N}]/u.test(text)) return
    this.#lastHidden = piece
    this.#findings.hidden()
  }
}

/** Scripts and sheets are no text; a title is one only when it says more than a title does. */
const WORDS_IF_SENTENCE = new Set(['script', 'style', 'title'])
const NO_DECLARATIONS: readonly Declaration[] = []
const PAGE_LOOK: Look = { appearance: PAGE, worst: PAGE, display: undefined, preformatted: false }

function resolve(parent: Appearance, hints: readonly Declaration[], own: readonly Declaration[]) {
  const variables: Properties = resolveVariables(own, parent.variables)
  return { variables, properties: resolveProperties([...hints, ...own], variables) }
}

function worst(parent: Appearance, hints: readonly Declaration[], own: readonly Declaration[]): Appearance {
  const { properties, variables } = resolve(parent, hints, own)
  return appearanceOf(parent, properties, variables)
}

function gone(parent: Look): Look {
  const appearance = { ...parent.appearance, gone: true, hidden: true }
  return { ...parent, appearance, worst: appearance }
}

function isGone({ appearance, worst }: Look): boolean {
  return appearance.gone || worst.gone
}

function isHidden({ appearance, worst }: Look): boolean {
  return appearance.hidden || worst.hidden
}
