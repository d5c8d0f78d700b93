/**
 * The tree of a page, by the HTML standard's own algorithm (parse5).
 *
 * INVARIANT: time and memory are linear in the size of the page. A page with more elements, attributes or levels than a message needs
 * ends with `TooComplex`: browsers flatten deeper trees, so the one built here would be another.
 */
import { html as dom, Parser, type Token, Tokenizer, TokenizerMode } from 'parse5'
import {
  type Attributes,
  attributesOf,
  MAX_DEPTH,
  NodeMaker,
  type Nodes,
  PageElement,
  PageText,
  TooComplex,
} from './nodes.ts'
import { SHEET_ELEMENTS, type Sheets, sheetsOf } from './sheets.ts'

/** Told of all that stands in the source, in its order. */
export interface SourceEvents {
  open(name: string, attributes: Attributes): void
  close(name: string): void
  text(text: string, node: PageText | undefined): void
  /** Declarations too. */
  comment(text: string): void
  /** What stands in a tag without effect. */
  ineffective(text: string): void
}

export interface PageTree {
  /** Without a name; its children are the `html` element. */
  readonly root: PageElement
  readonly sheets: Sheets
  readonly isQuirky: boolean
  /** Whether browsers of another year build another tree. */
  readonly isDisputed: boolean
  readonly comments: readonly string[]
}

const CHUNK = 64 * 1024

export function readTree(html: string, events?: SourceEvents): PageTree {
  const nodes = new NodeMaker()
  const parser = new PageParser(nodes, html, events)
  for (let at = 0; at < html.length || at === 0; at += CHUNK) {
    parser.tokenizer.write(html.slice(at, at + CHUNK), at + CHUNK >= html.length)
  }
  nodes.document.children = nodes.document.content.filter((node) => node instanceof PageElement)
  const noted: PageElement[] = []
  finish(nodes.document, 0, noted)
  return {
    root: nodes.document,
    sheets: sheetsOf(noted),
    isQuirky: nodes.mode === dom.DOCUMENT_MODE.QUIRKS,
    isDisputed: parser.isDisputed,
    comments: nodes.comments,
  }
}

/** Only now, since elements move while a tree is built. */
function finish(element: PageElement, depth: number, noted: PageElement[]): void {
  if (depth > MAX_DEPTH) throw new TooComplex('too deep')
  if (SHEET_ELEMENTS.has(element.name)) noted.push(element)
  if (element.attributes.has('shadowrootmode') && element.inert !== undefined) element.content = element.inert.content
  const { content } = element
  const children: PageElement[] = []
  for (const node of content) {
    node.parent = element
    if (node instanceof PageText) element.hasText ||= node.text !== ''
    else {
      node.index = children.length
      children.push(node)
      finish(node, depth + 1, noted)
    }
  }
  element.children = children
}

/** Dropped by the browsers of some years, kept by those of others, without a difference outside of the select. */
const IN_SELECT = new Set(
  'option optgroup hr select input textarea td th tr tbody br p div span center img script'.split(' '),
)
const FORMATTING = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '))

function isAlikeInSelect({ tagName, attrs }: Token.TagToken): boolean {
  return IN_SELECT.has(tagName) || (FORMATTING.has(tagName) && attrs.length === 0)
}

class PageParser extends Parser<Nodes> {
  readonly #source: string
  readonly #events: SourceEvents | undefined
  #end = 0
  #hasSelect = false
  /** Browsers once dropped most tags inside of a select. */
  isDisputed = false

  constructor(nodes: NodeMaker, source: string, events: SourceEvents | undefined) {
    const options = { treeAdapter: nodes, scriptingEnabled: false, sourceCodeLocationInfo: events !== undefined }
    super(options, nodes.document)
    this.#source = source
    this.#events = events
    if (events !== undefined) nodes.onText = (text, node) => events.text(text, node)
  }

  override onStartTag(token: Token.TagToken): void {
    this.#hasSelect ||= token.tagName === 'select'
    if (this.#hasSelect && !isAlikeInSelect(token) && this.#isInSelect()) this.isDisputed = true
    if (this.#events !== undefined) this.#tag(token, (attributes) => this.#events?.open(token.tagName, attributes))
    super.onStartTag(token)
  }

  override onEndTag(token: Token.TagToken): void {
    this.#tag(token, (attributes) => {
      this.#events?.close(token.tagName)
      for (const [name, value] of attributes) this.#events?.ineffective(`${name}="${value}"`)
    })
    super.onEndTag(token)
  }

  override onComment(token: Token.CommentToken): void {
    this.#end = token.location?.endOffset ?? 0
    const current = this.openElements.current
    // By the standard this is text wherever the element is not one of HTML; parse5 takes it for a comment in some of them.
    if (token.data.startsWith('[CDATA[') && current !== undefined && !current.isHtml && current.name !== '') {
      this.isDisputed = true
      this.treeAdapter.insertText(current, token.data.replace(/^\[CDATA\[|\]\]$/g, ''))
      return
    }
    this.#events?.comment(token.data)
    super.onComment(token)
  }

  override onDoctype(token: Token.DoctypeToken): void {
    const { startOffset = 0, endOffset = 0 } = token.location ?? {}
    this.#events?.comment(this.#source.slice(startOffset, endOffset).replace(/^<!|>$/g, ''))
    this.#end = endOffset
    super.onDoctype(token)
  }

  override onEof(token: Token.EOFToken): void {
    super.onEof(token)
    const rest = this.#source.slice(Math.max(this.#end, this.#source.lastIndexOf('<')))
    if (rest.startsWith('<') && !rest.includes('>')) this.#events?.ineffective(rest)
  }

  #isInSelect(): boolean {
    const { items, stackTop } = this.openElements
    return items.findLastIndex((element, at) => at <= stackTop && element.name === 'select') !== -1
  }

  #tag(token: Token.TagToken, tell: (attributes: Attributes) => void): void {
    if (this.#events === undefined) return
    const { startOffset = 0, endOffset = 0 } = token.location ?? {}
    this.#end = endOffset
    tell(attributesOf(token.attrs))
    const source = this.#source.slice(startOffset, endOffset)
    if (hasRepeated(source, token.attrs.length)) this.#events.ineffective(source)
  }
}

/** A repeated attribute is dropped by the tokenizer: a tag that names more than it has may have one. */
function hasRepeated(tag: string, known: number): boolean {
  const bare = tag.replace(/=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]*)/g, '=')
  const names = bare.slice(1).match(/[^\s/>=]+/g)?.length ?? 1
  return names - 1 > known
}

/** The tags, texts and comments of a page whose tree is too large: told as they stand, without limits. */
export function readSource(html: string, events: SourceEvents): void {
  const text = (token: Token.CharacterToken) => events.text(token.chars, undefined)
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: false },
    {
      onStartTag(token) {
        events.open(token.tagName, attributesOf(token.attrs))
        if (RAW.has(token.tagName)) tokenizer.state = TokenizerMode.RAWTEXT
      },
      onEndTag(token) {
        events.close(token.tagName)
        for (const { name, value } of token.attrs) events.ineffective(`${name}="${value}"`)
      },
      onComment: (token) => events.comment(token.data),
      onDoctype: (token) => events.comment(`doctype ${token.name} ${token.publicId ?? ''} ${token.systemId ?? ''}`),
      onCharacter: text,
      onWhitespaceCharacter: text,
      onNullCharacter: text,
      onEof() {},
    },
  )
  tokenizer.write(html, true)
}

const RAW = new Set(['style', 'script', 'xmp', 'iframe', 'noembed', 'noframes'])
