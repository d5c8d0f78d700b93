/**
 * The elements that are open, innermost last, with the places of each name at hand.
 *
 * INVARIANT: opening, closing and finding an element cost the same at any depth.
 */
import { TooComplex } from '../css/match.ts'
import { INTEGRATION, SCOPE, SPECIAL } from './elements.ts'
import type { Attributes } from './markup.ts'

/** One open element. `state` is the reader's own: how it looks, how it is laid out. */
export interface Element<S> {
  readonly name: string
  readonly attributes: Attributes
  readonly parent: Element<S> | undefined
  readonly previous: Element<S> | undefined
  readonly place: number
  readonly placeOfType: number
  readonly state: S
}

export interface ElementEvents<S> {
  /** What the reader wants to keep with an element, whose parent has its own already. */
  state(element: Omit<Element<S>, 'state'>): S
  enter(element: Element<S>): void
  leave(element: Element<S>): void
}

/** What is known of the children of an open element, where selectors ask for it. */
interface Children<S> {
  count: number
  readonly byName: Map<string, number>
  last: Element<S> | undefined
}

const MAX_ELEMENTS = 400_000

export class OpenElements<S> {
  readonly #events: ElementEvents<S>
  readonly #counting: boolean
  readonly #stack: Element<S>[] = []
  readonly #children = new WeakMap<Element<S>, Children<S>>()
  readonly #depths = new Map<string, number[]>()
  readonly #specials: number[] = []
  readonly #scopes: number[] = []
  readonly #foreign: { readonly depth: number; readonly foreign: boolean }[] = []
  #opened = 0

  /** Children are counted, and siblings remembered, only where `counting`. */
  constructor(events: ElementEvents<S>, counting: boolean) {
    this.#events = events
    this.#counting = counting
  }

  get length(): number {
    return this.#stack.length
  }

  get top(): Element<S> {
    const top = this.#stack[this.#stack.length - 1]
    if (top === undefined) throw new Error('the page has lost its root')
    return top
  }

  at(depth: number): Element<S> | undefined {
    return this.#stack[depth]
  }

  from(depth: number): Element<S>[] {
    return this.#stack.slice(depth)
  }

  /** Where the innermost element of that name is, or -1. */
  depthOf(...names: readonly string[]): number {
    let deepest = -1
    for (const name of names) {
      const depths = this.#depths.get(name)
      if (depths !== undefined && depths.length > 0) deepest = Math.max(deepest, depths[depths.length - 1] ?? -1)
    }
    return deepest
  }

  get specials(): readonly number[] {
    return this.#specials
  }

  /** The innermost block: ordinary end tags do not reach beyond it. */
  get lastSpecial(): number {
    return this.#specials.at(-1) ?? 0
  }

  /** The innermost table cell or its like: no end tag reaches beyond it. */
  get lastScope(): number {
    return this.#scopes.at(-1) ?? 0
  }

  /** Where the SVG or MathML begins in which we are, or -1. */
  get foreignDepth(): number {
    const last = this.#foreign.at(-1)
    return last?.foreign === true ? last.depth : -1
  }

  push(
    name: string,
    attributes: Attributes,
    parent: Element<S> | undefined = this.#stack[this.#stack.length - 1],
  ): void {
    if (++this.#opened > MAX_ELEMENTS) throw new TooComplex('elements')
    const depth = this.#stack.length
    const element = this.#born(name, attributes, parent)
    this.#stack.push(element)
    const depths = this.#depths.get(name)
    if (depths === undefined) this.#depths.set(name, [depth])
    else depths.push(depth)
    if (SPECIAL.has(name)) this.#specials.push(depth)
    if (SCOPE.has(name)) this.#scopes.push(depth)
    if (name === 'svg' || name === 'math') this.#foreign.push({ depth, foreign: true })
    else if (this.#foreign.length > 0 && INTEGRATION.has(name)) this.#foreign.push({ depth, foreign: false })
    this.#events.enter(element)
  }

  pop(): Element<S> | undefined {
    const element = this.#stack.pop()
    if (element === undefined) return undefined
    const depth = this.#stack.length
    this.#depths.get(element.name)?.pop()
    if (this.#specials.at(-1) === depth) this.#specials.pop()
    if (this.#scopes.at(-1) === depth) this.#scopes.pop()
    if (this.#foreign.at(-1)?.depth === depth) this.#foreign.pop()
    this.#events.leave(element)
    return element
  }

  #born(name: string, attributes: Attributes, parent: Element<S> | undefined): Element<S> {
    if (!this.#counting || parent === undefined) {
      return this.#withState({ name, attributes, parent, previous: undefined, place: 1, placeOfType: 1 })
    }
    const children = this.#childrenOf(parent)
    const placeOfType = (children.byName.get(name) ?? 0) + 1
    children.byName.set(name, placeOfType)
    const place = ++children.count
    const element = this.#withState({ name, attributes, parent, previous: children.last, place, placeOfType })
    children.last = element
    return element
  }

  /** One object for each element, in one form: a page has many. */
  #withState(born: Omit<Element<S>, 'state'>): Element<S> {
    return Object.assign(born, { state: this.#events.state(born) })
  }

  #childrenOf(parent: Element<S>): Children<S> {
    const known = this.#children.get(parent)
    if (known !== undefined) return known
    // A page has a head, written or not: selectors that count children count it.
    const fresh = { count: parent.parent === undefined ? 1 : 0, byName: new Map<string, number>(), last: undefined }
    this.#children.set(parent, fresh)
    return fresh
  }
}
