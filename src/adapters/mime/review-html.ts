/**
 * Outgoing HTML as its pieces, each marked with whether a recipient sees it.
 *
 * INVARIANT: linear in the size of the HTML. Whatever the judgement of hidden text makes of the page, every token of it becomes a
 * piece: the judgement is asked only for the mark.
 */
import type { HtmlPiece, HtmlReview } from '../../core/outbox/html-review.ts'
import { attributePieces, stylePieces } from './html/attribute-pieces.ts'
import { BLOCK, ELEMENTS } from './html/elements.ts'
import { type Attributes, readMarkup } from './html/markup.ts'
import { readPage } from './html/page.ts'
import type { Witness } from './html/witness.ts'

const NO_SINK = { enter() {}, leave() {}, text() {}, forget() {} }

export function reviewHtml(html: string): HtmlReview {
  const collector = new Collector()
  const findings = readPage(html, NO_SINK, collector)
  const warnings = findings.warnings('')
  const misleadingLinks = warnings.find(({ kind }) => kind === 'suspicious_link')?.count ?? 0
  if (!findings.isIncomplete) return { pieces: collector.finish(), isJudged: true, misleadingLinks }
  return { pieces: withoutJudgement(html), isJudged: false, misleadingLinks }
}

/** Of a page that is too contrived to be judged. */
function withoutJudgement(html: string): readonly HtmlPiece[] {
  const collector = new Collector('uncertain')
  let parent = ''
  readMarkup(html, {
    open(name, attributes) {
      parent = name
      collector.open(name, attributes)
    },
    close(name) {
      parent = ''
      collector.close(name)
    },
    text: (text) => collector.text(text, { isHidden: true, preformatted: false, parent }),
    comment: (text) => collector.comment(text),
    declaration: (text) => collector.comment(text),
    ineffective: (text) => collector.ineffective(text),
    inForeignContent: () => false,
  })
  return collector.finish()
}

const USUAL_DECLARATION =
  /^doctype\s+html(?:\s+public\s+"-\/\/w3c\/\/dtd x?html [\d.]{1,4}(?: transitional| strict| frameset)?\/\/en"(?:\s+"https?:\/\/www\.w3\.org\/tr\/[\w/.-]{1,60}")?)?\s*$/i
const NAMED = new Set(['title', 'noscript', 'template'])

class Collector implements Witness {
  readonly #unseen: 'hidden' | 'uncertain'
  readonly #pieces: { kind: HtmlPiece['kind']; text: string; name?: string }[] = []
  /** Where the link leads whose text is being read. */
  #link: HtmlPiece | undefined
  #gap = ''

  constructor(unseen: 'hidden' | 'uncertain' = 'hidden') {
    this.#unseen = unseen
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

  text(text: string, { isHidden, preformatted, parent }: Parameters<Witness['text']>[1]): void {
    if (parent === 'style' && /\S/.test(text)) for (const piece of stylePieces(text)) this.#put(piece)
    else if (parent === 'script' && /\S/.test(text)) this.#put({ kind: 'script', text, name: parent })
    else this.#write(isHidden ? this.#unseen : 'text', preformatted ? text : text.replace(/[ \t\n\r\f]+/g, ' '), parent)
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
