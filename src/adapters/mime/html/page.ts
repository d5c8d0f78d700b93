/**
 * Reads a page and tells a sink what a person sees of it, in order.
 *
 * INVARIANT: linear in the size of the page. A sink is never told of an element or a text that is not certainly visible; each `enter` has
 * its `leave`. Of a page that is too complex to be judged nothing is visible: its text is uncertain.
 */
import { readLink } from '../links.ts'
import { Findings } from './findings.ts'
import { ownText, wordsOfStyles } from './generated.ts'
import { Judge, type Verdict } from './judge.ts'
import { PageElement, PageText, TooComplex } from './nodes.ts'
import { textOf } from './sheets.ts'
import { type PageTree, readTree, type SourceEvents } from './tree.ts'
import { UncertainText } from './uncertain-text.ts'

export interface Sink {
  enter(element: PageElement, display: string): void
  /** `target` is where a link leads that ends here. */
  leave(element: PageElement, display: string, target?: string): void
  text(text: string, element: PageElement, preformatted: boolean): void
}

export interface PageReading {
  readonly findings: Findings
  readonly uncertain: UncertainText
  /** The class of a text of the source. */
  classOf(text: PageText | undefined): Verdict['kind']
}

const MAX_LINK_TEXT = 2000
/** Scripts and sheets are no text; a title is one only when it says more than a title does. */
const NO_TEXT = new Set(['script', 'style', 'title'])

export function readPage(html: string, sink: Sink, events?: SourceEvents): PageReading {
  const findings = new Findings()
  const uncertain = new UncertainText()
  try {
    const tree = readTree(html, events)
    const judge = new Judge(tree)
    new PageReader(judge, sink, findings, uncertain).read(tree)
    return { findings, uncertain, classOf: (text) => (text === undefined ? 'hidden' : judge.of(text).kind) }
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
  }
  const unread = new Findings()
  unread.incomplete()
  unread.uncertain()
  return { findings: unread, uncertain: UncertainText.of(html), classOf: () => 'uncertain' }
}

class PageReader {
  readonly #judge: Judge
  readonly #sink: Sink
  readonly #findings: Findings
  readonly #uncertain: UncertainText
  /** Where text that is not visible was last found: the rest of the same piece does not count again. */
  #last: object | undefined
  #link: { href: string; text: string } | undefined

  constructor(judge: Judge, sink: Sink, findings: Findings, uncertain: UncertainText) {
    this.#judge = judge
    this.#sink = sink
    this.#findings = findings
    this.#uncertain = uncertain
  }

  read({ root, sheets, comments }: PageTree): void {
    for (const comment of comments) this.#findings.comment(comment)
    for (const { asides, loads } of sheets.sheets) {
      for (const aside of asides) this.#findings.aside(aside)
      this.#findings.remote(loads)
    }
    for (const child of root.children) this.#element(child)
  }

  #styled(css: string): void {
    for (const words of wordsOfStyles(css)) {
      this.#last = undefined
      this.#uncertain.add(words, true, 'styles')
      this.#findings.uncertain()
    }
  }

  #element(element: PageElement): void {
    const { kind } = this.#judge.of(element)
    const { display, isBox } = this.#judge.lookOf(element)
    this.#findings.element(element.name, element.attributes)
    const isEntered = kind === 'visible' || (kind !== 'hidden' && element.name === 'img')
    const isLink = element.name === 'a' && kind === 'visible'
    if (isLink) this.#link = { href: element.attributes.get('href') ?? '', text: '' }
    if (isEntered) this.#sink.enter(element, display)
    else if (isBox) this.#uncertain.space()
    this.#own(element)
    this.#styled(element.name === 'style' ? textOf(element) : (element.attributes.get('style') ?? ''))
    if (element.inert !== undefined && hasWords(element.inert)) this.#findings.hidden()
    for (const node of element.content) {
      if (node instanceof PageElement) this.#element(node)
      else this.#text(node, element)
    }
    if (isEntered) this.#sink.leave(element, display, isLink ? this.#closeLink() : undefined)
  }

  /** What pictures and inputs show of their attributes. */
  #own(element: PageElement): void {
    const own = ownText(element)
    if (own === undefined) return
    const verdict = this.#judge.of(element)
    if (verdict.kind === 'visible' && !own.fits)
      this.#say(own.text, element, { ...verdict, kind: 'uncertain', reason: element.name, piece: element })
    else this.#say(own.text, element, verdict)
  }

  #text(node: PageText, parent: PageElement): void {
    if (/\S/.test(node.text)) {
      for (const part of this.#judge.partsOf(node)) this.#say(part.text, parent, this.#judge.of(part))
      return
    }
    if (this.#judge.of(parent).kind === 'visible')
      this.#sink.text(node.text, parent, this.#judge.lookOf(parent).preformatted)
    else this.#uncertain.space()
  }

  #say(text: string, parent: PageElement, verdict: Verdict): void {
    if (verdict.kind === 'visible') {
      this.#last = undefined
      if (this.#link !== undefined && this.#link.text.length < MAX_LINK_TEXT) this.#link.text += text
      this.#sink.text(text, parent, this.#judge.lookOf(parent).preformatted)
      return
    }
    if (verdict.kind === 'hidden' && NO_TEXT.has(parent.name)) {
      if (parent.name === 'title') this.#findings.aside(text)
      return
    }
    const isNew = this.#last !== verdict.piece && /[\p{L}\p{N}]/u.test(text)
    if (verdict.kind === 'uncertain') this.#uncertain.add(text, this.#last !== verdict.piece, verdict.reason)
    if (!isNew) return
    this.#last = verdict.piece
    if (verdict.kind === 'hidden') this.#findings.hidden()
    else this.#findings.uncertain()
  }

  #closeLink(): string | undefined {
    if (this.#link === undefined) return undefined
    const { verdict, target } = readLink(this.#link.href, this.#link.text)
    this.#findings.link(verdict)
    this.#link = undefined
    return target
  }
}

function hasWords({ content }: PageElement): boolean {
  return content.some((node) => (node instanceof PageText ? /[\p{L}\p{N}]/u.test(node.text) : hasWords(node)))
}
