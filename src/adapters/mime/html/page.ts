/**
 * Reads a page and tells a sink what a person would see of it, in order.
 *
 * INVARIANT: linear in the size of the page; a page too contrived to be judged ends where that shows, and says so. A sink
 * is never told of an element or a text that cannot be seen; each `enter` has its `leave`.
 */
import { StyleRules } from '../css/cascade.ts'
import type { Declaration } from '../css/declaration.ts'
import { TooComplex } from '../css/match.ts'
import { mediaHolds } from '../css/media.ts'
import { resolveProperties } from '../css/properties.ts'
import type { Generated } from '../css/selector.ts'
import type { Sheet } from '../css/sheet.ts'
import { readLink } from '../links.ts'
import { type Appearance, appearanceOf, PAGE } from './appearance.ts'
import { NEVER_SHOWN, VOID } from './elements.ts'
import { Findings } from './findings.ts'
import { contentText, inputText, reversed, runsBackwards } from './generated.ts'
import { hintsOf, isFoldedAway } from './hints.ts'
import { readMarkup } from './markup.ts'
import type { Element } from './open-elements.ts'
import { readPreamble } from './preamble.ts'
import { Selects } from './selects.ts'
import { inlineDeclarations, resolve, sheetsIn } from './styles.ts'
import { FOREIGN, Tree } from './tree.ts'
import type { Witness } from './witness.ts'

/** What is kept with every open element. */
export interface Look {
  readonly appearance: Appearance
  /** How it looks if every rule that may apply does. */
  readonly worst: Appearance
  readonly display: string | undefined
  readonly preformatted: boolean
  readonly inMath: boolean
}

export type PageElement = Element<Look>

export interface Sink {
  enter(element: PageElement): void
  /** `target` is where a link leads that ends here. */
  leave(element: PageElement, target?: string): void
  text(text: string, element: PageElement): void
  /** Drops all that it was told. A sink that cannot has every page read through before it is told anything. */
  forget?(): void
}

const PREFORMATTED = new Set(['pre', 'textarea', 'xmp', 'listing', 'plaintext'])
const MAX_LINK_TEXT = 2000
const MAX_REMEMBERED = 2000

export function readPage(html: string, sink: Sink, witness?: Witness): Findings {
  const findings = new Findings()
  try {
    new PageReader(html, sink, findings, witness).read()
    return findings
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
  }
  const told = sink.forget !== undefined && isContrived(html) ? new Findings() : findings
  if (told !== findings) sink.forget?.()
  told.incomplete()
  return told
}

/** Whether the elements of the page are too contrived, whatever its styles: then nothing of it is told. */
function isContrived(html: string): boolean {
  try {
    readPreamble(html, true)
    return false
  } catch (error) {
    if (error instanceof TooComplex) return true
    throw error
  }
}

class PageReader {
  readonly #html: string
  readonly #sink: Sink
  readonly #findings: Findings
  readonly #witness: Witness | undefined
  readonly #rules: StyleRules
  readonly #tree: Tree<Look>
  readonly #selects: Selects
  readonly #inlineStyles = new Map<string, readonly Declaration[]>()
  /** Where hidden text was last found: the rest of the same piece does not count again. */
  #lastHidden: object | undefined
  #folded: { parent: Look; look: Look } | undefined
  #link: { href: string; text: string } | undefined

  constructor(html: string, sink: Sink, findings: Findings, witness?: Witness) {
    this.#html = html
    this.#sink = sink
    this.#findings = findings
    this.#witness = witness
    const preamble = readPreamble(html, sink.forget === undefined)
    const sheets = preamble.styles.filter(({ media }) => mediaHolds(media)).flatMap(({ css }) => sheetsIn(css))
    this.#selects = new Selects(preamble.selects)
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
    const witness = this.#witness
    try {
      readMarkup(this.#html, {
        open(name, attributes, selfClosing) {
          witness?.open(name, attributes)
          tree.open(name, attributes, selfClosing)
        },
        close(name) {
          witness?.close(name)
          tree.close(name)
        },
        text: (text) => this.#text(text),
        comment: (text) => {
          witness?.comment(text)
          this.#findings.comment(text)
        },
        ...(witness && {
          declaration: (text: string) => witness.comment(text),
          ineffective: (text: string) => witness.ineffective(text),
        }),
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
    if (name === 'option' && this.#selects.hidesNext()) return this.#foldedOption(parent)
    const style = attributes.get('style')
    const inline = style === undefined ? NO_DECLARATIONS : this.#inline(style)
    const inMath = parent.inMath || name === 'math'
    const hints = hintsOf(element, inMath)
    const { sure, perhaps } = this.#rules.cascade(element, inline)
    const preformatted = parent.preformatted || PREFORMATTED.has(name)
    if (hints.length === 0 && perhaps.length === 0) {
      return parent.display === undefined && preformatted === parent.preformatted && inMath === parent.inMath
        ? parent
        : { ...parent, display: undefined, preformatted, inMath }
    }
    const own = resolve(parent.appearance, hints, sure)
    const appearance = appearanceOf(parent.appearance, own.properties, own.variables)
    const whiteSpace = own.properties.get('white-space')
    return {
      appearance,
      worst: sure === perhaps && parent.worst === parent.appearance ? appearance : worst(parent.worst, hints, perhaps),
      display: own.properties.get('display'),
      preformatted: whiteSpace === undefined ? preformatted : /^(?:pre|break-spaces)/.test(whiteSpace),
      inMath,
    }
  }

  /** All options that stay folded away are one piece. */
  #foldedOption(parent: Look): Look {
    if (this.#folded?.parent !== parent) this.#folded = { parent, look: gone(parent) }
    return this.#folded.look
  }

  /** Mail repeats the same few style attributes over and over. */
  #inline(style: string): readonly Declaration[] {
    const known = this.#inlineStyles.get(style)
    if (known !== undefined) return known
    const declarations = inlineDeclarations(style)
    if (this.#inlineStyles.size < MAX_REMEMBERED) this.#inlineStyles.set(style, declarations)
    return declarations
  }

  #enter(element: PageElement): void {
    this.#findings.element(element.name, element.attributes)
    this.#selects.enter(element)
    if (isGone(element.state)) {
      if (element.name === 'input') this.#input(element)
      return
    }
    if (element.name === 'a') this.#link = { href: element.attributes.get('href') ?? '', text: '' }
    this.#sink.enter(element)
    if (element.name === 'input') this.#input(element)
    this.#generate(element, 'before')
  }

  #leave(element: PageElement): void {
    this.#selects.leave(element.name)
    if (isGone(element.state)) return
    this.#generate(element, 'after')
    this.#sink.leave(element, element.name === 'a' ? this.#closeLink() : undefined)
  }

  #closeLink(): string | undefined {
    if (this.#link === undefined) return undefined
    const { verdict, target } = readLink(this.#link.href, this.#link.text)
    this.#findings.link(verdict)
    this.#link = undefined
    return target
  }

  #text(text: string): void {
    const isBlank = !/[^\s]/.test(text)
    const parent = isBlank ? this.#tree.top : this.#tree.textParent()
    const { name, state } = parent
    const isUnseen = isHidden(state) || (!isBlank && name === 'details' && !parent.attributes.has('open'))
    this.#witness?.text(text, { isHidden: isUnseen, preformatted: state.preformatted, parent: name })
    if (!isUnseen && isBlank) this.#sink.text(text, parent)
    else if (!isUnseen) this.#say(text, parent)
    else if (!isBlank) this.#countHidden(parent, text)
  }

  #say(written: string, parent: PageElement): void {
    const backwards = runsBackwards(written, parent.state.appearance)
    if (backwards) this.#findings.turned()
    const text = backwards ? reversed(written) : written
    this.#lastHidden = undefined
    if (this.#link !== undefined && this.#link.text.length < MAX_LINK_TEXT) this.#link.text += text
    this.#sink.text(text, parent)
  }

  #input(element: PageElement): void {
    const input = inputText(element.attributes)
    if (input === undefined) return
    if (isHidden(element.state) || !input.fits) this.#countHidden(element, input.text)
    else this.#say(input.text, element)
  }

  /** What style sheets put before or after the content is not the writer's text: it is left out, and counted. */
  #generate(element: PageElement, place: Generated): void {
    if (this.#rules.empty || VOID.has(element.name)) return
    const { perhaps } = this.#rules.generated(element, place)
    if (perhaps.length === 0) return
    const { properties } = resolve(element.state.worst, NO_DECLARATIONS, perhaps)
    const text = contentText(properties.get('content'), element.attributes)
    this.#rules.spend(text.length)
    this.#findings.generated(text)
  }

  #countHidden(parent: PageElement, text: string): void {
    if (NEVER_SHOWN.has(parent.name) && WORDS_IF_SENTENCE.has(parent.name)) {
      if (this.#isBroughtToLight(parent)) this.#findings.hidden()
      else if (parent.name === 'title') this.#findings.aside(text)
      return
    }
    // A piece that is hidden as a whole counts once, however many elements it is made of.
    const piece = parent.state.appearance.gone ? parent.state.appearance : parent
    if (piece === this.#lastHidden || !/[\p{L}\p{N}]/u.test(text)) return
    this.#lastHidden = piece
    this.#findings.hidden()
  }

  /** Styles can show even titles and scripts. */
  #isBroughtToLight(element: PageElement): boolean {
    const { perhaps } = this.#rules.cascade(element, this.#inline(element.attributes.get('style') ?? ''))
    const display = resolveProperties(perhaps, PAGE.variables).get('display')
    return display !== undefined && display !== 'none'
  }
}

/** Scripts and sheets are no text; a title is one only when it says more than a title does. */
const WORDS_IF_SENTENCE = new Set(['script', 'style', 'title'])
const NO_DECLARATIONS: readonly Declaration[] = []
const PAGE_LOOK: Look = { appearance: PAGE, worst: PAGE, display: undefined, preformatted: false, inMath: false }

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
