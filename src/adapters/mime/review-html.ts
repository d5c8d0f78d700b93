/**
 * Outgoing HTML as its pieces, each marked with whether a recipient sees it.
 *
 * INVARIANT: linear in the size of the HTML. Whatever the judgement of hidden text makes of the page, every token of it becomes a
 * piece: the judgement is asked only for the mark.
 */
import type { HtmlPiece, HtmlReview } from '../../core/outbox/html-review.ts'
import { attributePieces, stylePieces } from './html/attribute-pieces.ts'
import { BLOCK, ELEMENTS } from './html/elements.ts'
import type { Attributes, PageText } from './html/nodes.ts'
import { type PageReading, readPage } from './html/page.ts'
import { readSource, type SourceEvents } from './html/tree.ts'

const NO_SINK = { enter() {}, leave() {}, text() {} }

export function reviewHtml(html: string): HtmlReview {
  const source = new Source()
  const { findings, classOf } = readPage(html, NO_SINK, source)
  const misleadingLinks = findings.warnings('').find(({ kind }) => kind === 'suspicious_link')?.count ?? 0
  // A page that is too complex to be judged is read again without its tree.
  const read = findings.isIncomplete ? new Source() : source
  if (read !== source) readSource(html, read)
  const collector = new Collector(classOf)
  for (const tell of read.events) tell(collector)
  return { pieces: collector.finish(), isJudged: !findings.isIncomplete, misleadingLinks }
}

/** What stands in the source, kept until it is known what of it shows. */
class Source implements SourceEvents {
  readonly events: ((collector: Collector) => void)[] = []

  open(name: string, attributes: Attributes): void {
    this.events.push((collector) => collector.open(name, attributes))
  }

  close(name: string): void {
    this.events.push((collector) => collector.close(name))
  }

  text(text: string, node: PageText | undefined): void {
    this.events.push((collector) => collector.text(text, node))
  }

  comment(text: string): void {
    this.events.push((collector) => collector.comment(text))
  }

  ineffective(text: string): void {
    this.events.push((collector) => collector.ineffective(text))
  }
}

const USUAL_DECLARATION =
  /^doctype\s+html(?:\s+public\s+"-\/\/w3c\/\/dtd x?html [\d.]{1,4}(?: transitional| strict| frameset)?\/\/en"(?:\s+"https?:\/\/www\.w3\.org\/tr\/[\w/.-]{1,60}")?)?\s*$/i
const NAMED = new Set(['title', 'noscript', 'template'])
const PREFORMATTED = new Set(['pre', 'textarea', 'xmp', 'listing', 'plaintext'])

class Collector {
  readonly #classOf: PageReading['classOf']
  readonly #pieces: { kind: HtmlPiece['kind']; text: string; name?: string }[] = []
  /** Where the link leads whose text is being read. */
  #link: HtmlPiece | undefined
  #gap = ''

  constructor(classOf: PageReading['classOf']) {
    this.#classOf = classOf
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'a') this.#endLink()
    this.#space(name)
    if (!ELEMENTS.has(name)) this.#gather(name, 'unknown element')
    if (attributes.size === 0) return
    for (const piece of attributePieces(name, attributes)) {
      if (piece.kind === 'link' && name === 'a' && this.#link === undefined) this.#link = piece
      else this.#put(piece)
    }
  }

  close(name: string): void {
    if (name === 'a') this.#endLink()
    this.#space(name)
    if (!ELEMENTS.has(name)) this.#gather(name, 'unknown element')
  }

  text(text: string, node: PageText | undefined): void {
    const parent = node?.parent?.name ?? ''
    const isBlank = !/\S/.test(text)
    if (parent === 'style' && !isBlank) for (const piece of stylePieces(text)) this.#put(piece)
    else if (parent === 'script' && !isBlank) this.#put({ kind: 'script', text, name: parent })
    else {
      const kind = this.#classOf(node)
      this.#write(
        kind === 'visible' ? 'text' : kind,
        PREFORMATTED.has(parent) ? text : text.replace(/[ \t\n\r\f]+/g, ' '),
        parent,
      )
    }
  }

  comment(text: string): void {
    if (text.trim() !== '' && !USUAL_DECLARATION.test(text)) this.#put({ kind: 'comment', text })
  }

  ineffective(text: string): void {
    if (/[^\s/]/.test(text)) this.#gather(text.trim(), 'without effect')
  }

  finish(): readonly HtmlPiece[] {
    this.#endLink()
    return this.#pieces
  }

  #write(kind: 'text' | 'hidden' | 'uncertain', text: string, parent: string): void {
    if (text === '') return
    const last = this.#pieces.at(-1)
    // Blanks between tags are no text, and do not part what belongs together.
    if (text === ' ' && (last?.kind !== kind || this.#gap !== '')) {
      this.#gap ||= ' '
      return
    }
    // What stands first needs no line break before it.
    const gap = last === undefined ? '' : this.#gap
    this.#gap = ''
    if (last?.kind === kind) last.text += gap + text
    else if (kind === 'text') this.#pieces.push({ kind, text: gap + text })
    else this.#pieces.push({ kind, text, ...(NAMED.has(parent) && { name: parent }) })
  }

  /** Several in a row are one piece: a page may hold very many. */
  #gather(text: string, name: string): void {
    const last = this.#pieces.at(-1)
    if (last?.name === name) last.text += ` ${text}`
    else this.#put({ kind: 'attribute', text, name })
  }

  #put(piece: HtmlPiece): void {
    this.#pieces.push({ ...piece })
  }

  #space(name: string): void {
    if (BLOCK.has(name) || name === 'br') this.#gap = '\n'
    else if (name === 'td' || name === 'th') this.#gap ||= ' '
  }

  #endLink(): void {
    if (this.#link !== undefined) this.#put(this.#link)
    this.#link = undefined
  }
}
