/**
 * Documents that hide some of their texts, composed at random: properties × values × structures × selectors × conditions.
 *
 * INVARIANT: the same seed gives the same documents. Most of a document is ordinary, so that most of its texts could be visible.
 */
import { canary } from './canary.ts'
import { EDGES, HOSTILE, ORDINARY_DECLARATIONS, SPOILT } from './ingredients.ts'
import { CONDITIONS, SELECTORS, WRAPPERS } from './surroundings.ts'

export interface Node {
  readonly tag: string
  readonly attributes: readonly string[]
  readonly style: readonly string[]
  readonly children: readonly (Node | string)[]
}

export interface Rule {
  readonly condition: string
  readonly selector: string
  readonly declarations: readonly string[]
}

export interface Composition {
  readonly doctype: boolean
  readonly rules: readonly Rule[]
  readonly body: readonly Node[]
}

export interface Random {
  /** From 0 to below `below`. */
  number(below: number): number
  of<T>(all: readonly T[]): T
  chance(percent: number): boolean
}

/** Mulberry32: small, fast and the same everywhere. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const number = (below: number): number => Math.floor(next() * below)
  return {
    number,
    chance: (percent) => number(100) < percent,
    of: (all) => {
      const chosen = all[number(all.length)]
      if (chosen === undefined) throw new Error('Nothing to choose from')
      return chosen
    },
  }
}

const BLOCKS = ['div', 'p', 'section', 'blockquote', 'center', 'h2', 'ul', 'table', 'div', 'div']
const INLINES = ['span', 'b', 'a', 'font', 'em', 'u', 'small']
const CLASSES = ['a', 'b', 'c', 'd']
const FILLERS = [
  'The plan is fine.',
  'See you on Monday, as we said before.',
  'Total: 12.00',
  '&nbsp;',
  '██████████',
  'mmmmmmmm WWWWWWWW mmmmmmmm',
  '<br>',
  '<img width="300" height="30">',
  '<p>a</p>',
  '<hr>',
  '',
]

export function compose(seed: number, canaries: number): Composition {
  const random = randomOf(seed)
  const words = Array.from({ length: canaries }, (_, at) => canary(at + 1))
  const maker = random.chance(50) ? new Maker(random, random.of([3, 8, 15]), HOSTILE) : new Maker(random, 35, EDGES)
  const rules = Array.from({ length: random.number(4) }, () => maker.rule())
  const body = words.map((word) => maker.block(word))
  const covers = random.chance(15) ? [maker.cover()] : []
  const at = random.number(body.length + 1)
  return { doctype: !random.chance(15), rules, body: [...body.slice(0, at), ...covers, ...body.slice(at)] }
}

class Maker {
  readonly #random: Random
  /** How many declarations of a hundred try to hide something. */
  readonly #hostility: number
  readonly #choices: typeof HOSTILE

  constructor(random: Random, hostility: number, choices: typeof HOSTILE) {
    this.#random = random
    this.#hostility = hostility
    this.#choices = choices
  }

  rule(): Rule {
    const random = this.#random
    const declarations = Array.from({ length: 1 + random.number(2) }, () => this.#declaration(3 * this.#hostility))
    const condition = random.chance(45) ? random.of(CONDITIONS) : ''
    return { condition, selector: random.of(SELECTORS), declarations }
  }

  /** A block with a text in question, in up to four boxes. */
  block(word: string): Node {
    const random = this.#random
    const text = random.chance(50) ? this.#inline(word) : word
    let inner: Node | string = text
    for (let depth = random.number(4); depth > 0; depth--) inner = this.#around(inner)
    return this.#element(random.of(BLOCKS), [inner])
  }

  /** Something that may be painted over what is near it. */
  cover(): Node {
    const random = this.#random
    const style = [this.#declaration(80), this.#declaration(80), `background:${random.of(['#fff', '#000', 'none'])}`]
    return {
      tag: random.of(['div', 'span', 'hr', 'p']),
      attributes: this.#attributes(),
      style,
      children: [random.of(FILLERS)],
    }
  }

  #inline(word: string): Node {
    return this.#element(this.#random.of(INLINES), [word])
  }

  #around(inner: Node | string): Node {
    const random = this.#random
    if (random.chance(this.#hostility / 2)) {
      const [tag = 'div', ...attributes] = random.of(WRAPPERS)
      return { tag, attributes, style: [], children: [inner] }
    }
    const beside = random.chance(50) ? [random.of(FILLERS)] : []
    const before = random.chance(50)
    const children = before ? [...beside, inner] : [inner, ...beside]
    return this.#element(random.chance(70) ? random.of(BLOCKS) : random.of(INLINES), children)
  }

  #element(tag: string, children: readonly (Node | string)[]): Node {
    const random = this.#random
    const style = Array.from({ length: random.number(3) }, () => this.#declaration(this.#hostility))
    const element = { tag, attributes: this.#attributes(), style, children }
    if (tag === 'table')
      return { ...element, children: [plain('tr', [{ ...plain('td', children), style: this.#few() }])] }
    if (tag === 'ul') return { ...element, children: [{ ...plain('li', children), style: this.#few() }] }
    return element
  }

  #few(): string[] {
    return this.#random.chance(30) ? [this.#declaration(this.#hostility)] : []
  }

  #attributes(): string[] {
    const random = this.#random
    const attributes: string[] = []
    if (random.chance(35))
      attributes.push(`class="${random.of(CLASSES)}${random.chance(20) ? ` ${random.of(CLASSES)}` : ''}"`)
    if (random.chance(8)) attributes.push('id="i"')
    if (random.chance(6))
      attributes.push(
        random.of([
          'bgcolor="#000000"',
          'bgcolor="white"',
          'align="right"',
          'dir="rtl"',
          'hidden="until-found"',
          'width="1"',
          'height="1"',
          'color="#ffffff"',
          'size="1"',
        ]),
      )
    return attributes
  }

  /** Hostile by this chance, ordinary otherwise; sometimes spelt so that browsers take it otherwise than it looks. */
  #declaration(hostile: number): string {
    const random = this.#random
    const declaration = random.chance(hostile) ? this.#hostile() : random.of(ORDINARY_DECLARATIONS)
    return random.chance(6) ? random.of(SPOILT)(declaration) : declaration
  }

  #hostile(): string {
    const [property, values] = this.#random.of(this.#choices)
    return `${property}:${this.#random.of(values)}`
  }
}

function plain(tag: string, children: readonly (Node | string)[]): Node {
  return { tag, attributes: [], style: [], children }
}

export function htmlOf({ doctype, rules, body }: Composition): string {
  const css = rules.map(ruleText).join('\n')
  const style = css === '' ? '' : `<style>${css}</style>`
  return `${doctype ? '<!doctype html>' : ''}<html><head>${style}</head><body>${body.map(nodeText).join('\n')}</body></html>`
}

function ruleText({ condition, selector, declarations }: Rule): string {
  const rule = `${selector}{${declarations.join(';')}}`
  return condition === '' ? rule : condition.replace('?', rule)
}

function nodeText(node: Node | string): string {
  if (typeof node === 'string') return node
  const { tag, attributes, style, children } = node
  const styled =
    style.length === 0 ? '' : ` style="${style.join(';').replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`
  const open = `<${[tag, ...attributes].join(' ')}${styled}>`
  return tag === 'hr' ? open : `${open}${children.map(nodeText).join('')}</${tag}>`
}
