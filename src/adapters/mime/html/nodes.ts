/**
 * The nodes of a page, and how parse5 makes them.
 *
 * INVARIANT: more elements, attributes or levels than a message needs end with `TooComplex`.
 */

import { html as dom, type Token, type TreeAdapter, type TreeAdapterTypeMap } from 'parse5'
import type { Look } from './look.ts'

export type Attributes = ReadonlyMap<string, string>

export class TooComplex extends Error {}

export class PageText {
  text: string
  parent: PageElement | undefined

  constructor(text: string) {
    this.text = text
  }
}

export class PageElement {
  readonly name: string
  readonly isHtml: boolean
  readonly namespace: string
  readonly attributes: Map<string, string>
  parent: PageElement | undefined
  /** Elements and texts, in their order. */
  content: (PageElement | PageText)[] = []
  /** What stands in a template, or nothing. */
  inert: PageElement | undefined
  children: PageElement[] = []
  /** How many levels are above it; what is inside of an element that moves is counted when the tree is complete. */
  depth = 0
  /** Its place among the elements of its parent. */
  index = 0
  hasText = false
  look: Look | undefined

  constructor(name: string, namespace: string, attributes: Map<string, string>) {
    this.name = name
    this.namespace = namespace
    this.isHtml = namespace === dom.NS.HTML
    this.attributes = attributes
  }
}

export const MAX_DEPTH = 400
const MAX_ELEMENTS = 60_000
const MAX_ATTRIBUTES = 200_000
type Node = PageElement | PageText

export interface Nodes extends TreeAdapterTypeMap {
  node: Node
  parentNode: PageElement
  childNode: Node
  document: PageElement
  documentFragment: PageElement
  element: PageElement
  commentNode: PageText
  textNode: PageText
  template: PageElement
  documentType: PageText
}

export function attributesOf(attributes: readonly Token.Attribute[]): Map<string, string> {
  return new Map(attributes.map(({ prefix, name, value }) => [qualified(prefix, name), value]))
}

function qualified(prefix: string | undefined, name: string): string {
  return prefix === undefined || prefix === '' ? name : `${prefix}:${name}`
}

/** What parse5 builds its tree with. */
export class NodeMaker implements TreeAdapter<Nodes> {
  readonly document = new PageElement('', '', new Map())
  readonly comments: string[] = []
  mode: dom.DOCUMENT_MODE = dom.DOCUMENT_MODE.NO_QUIRKS
  onText: ((text: string, node: PageText) => void) | undefined
  #elements = 0
  #attributes = 0

  createDocument(): PageElement {
    return this.document
  }

  createDocumentFragment(): PageElement {
    return new PageElement('', '', new Map())
  }

  createElement(name: string, namespace: dom.NS, attributes: Token.Attribute[]): PageElement {
    this.#attributes += attributes.length
    if (++this.#elements > MAX_ELEMENTS || this.#attributes > MAX_ATTRIBUTES) throw new TooComplex('too many elements')
    return new PageElement(name, namespace, attributesOf(attributes))
  }

  createCommentNode(text: string): PageText {
    this.comments.push(text)
    return new PageText('')
  }

  createTextNode(text: string): PageText {
    return new PageText(text)
  }

  appendChild(parent: PageElement, node: Node): void {
    this.#adopt(parent, node)
    if (isKept(node)) parent.content.push(node)
  }

  insertBefore(parent: PageElement, node: Node, before: Node): void {
    this.#adopt(parent, node)
    if (isKept(node)) parent.content.splice(this.#place(parent, before), 0, node)
  }

  insertText(parent: PageElement, text: string): void {
    this.#addText(parent, text, parent.content.length)
  }

  insertTextBefore(parent: PageElement, text: string, before: Node): void {
    this.#addText(parent, text, this.#place(parent, before))
  }

  detachNode(node: Node): void {
    const { parent } = node
    if (parent === undefined) return
    const at = parent.content.lastIndexOf(node)
    if (at !== -1) parent.content.splice(at, 1)
    node.parent = undefined
  }

  adoptAttributes(element: PageElement, attributes: Token.Attribute[]): void {
    for (const { name, value } of attributes) if (!element.attributes.has(name)) element.attributes.set(name, value)
  }

  setTemplateContent(template: PageElement, content: PageElement): void {
    template.inert = content
    content.parent = template
  }

  getTemplateContent(template: PageElement): PageElement {
    return template.inert ?? template
  }

  setDocumentMode(_: PageElement, mode: dom.DOCUMENT_MODE): void {
    this.mode = mode
  }

  getDocumentMode(): dom.DOCUMENT_MODE {
    return this.mode
  }

  getFirstChild({ content }: PageElement): Node | null {
    return content[0] ?? null
  }

  getChildNodes({ content }: PageElement): Node[] {
    return content
  }

  getParentNode({ parent }: Node): PageElement | null {
    return parent ?? null
  }

  getAttrList({ attributes }: PageElement): Token.Attribute[] {
    return [...attributes].map(([name, value]) => ({ name, value }))
  }

  getTagName({ name }: PageElement): string {
    return name
  }

  getNamespaceURI({ namespace }: PageElement): dom.NS {
    return namespace === dom.NS.SVG ? dom.NS.SVG : namespace === dom.NS.MATHML ? dom.NS.MATHML : dom.NS.HTML
  }

  getTextNodeContent({ text }: PageText): string {
    return text
  }

  getCommentNodeContent({ text }: PageText): string {
    return text
  }

  isTextNode(node: Node): node is PageText {
    return node instanceof PageText
  }

  isElementNode(node: Node): node is PageElement {
    return node instanceof PageElement
  }

  isCommentNode(_node: Node): _node is PageText {
    return false
  }

  isDocumentTypeNode(_node: Node): _node is PageText {
    return false
  }

  setDocumentType(): void {}
  getDocumentTypeNodeName(): string {
    return ''
  }
  getDocumentTypeNodePublicId(): string {
    return ''
  }
  getDocumentTypeNodeSystemId(): string {
    return ''
  }
  setNodeSourceCodeLocation(): void {}
  getNodeSourceCodeLocation(): null {
    return null
  }
  updateNodeSourceCodeLocation(): void {}

  #adopt(parent: PageElement, node: Node): void {
    node.parent = parent
    if (node instanceof PageText) return
    node.depth = parent.depth + 1
    if (node.depth > MAX_DEPTH) throw new TooComplex('too deep')
  }

  #place(parent: PageElement, before: Node): number {
    const at = parent.content.lastIndexOf(before)
    return at === -1 ? parent.content.length : at
  }

  #addText(parent: PageElement, text: string, at: number): void {
    const last = parent.content[at - 1]
    const node = last instanceof PageText ? last : new PageText('')
    node.text += text
    if (node !== last) {
      node.parent = parent
      parent.content.splice(at, 0, node)
    }
    this.onText?.(text, node)
  }
}

/** Comments and declarations have no place in the tree. */
function isKept(node: Node): boolean {
  return node instanceof PageElement || node.text !== ''
}
