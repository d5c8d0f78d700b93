/**
 * The cascade: which declarations hold for an element, weakest first (CSS Cascading and Inheritance 5 §6.1).
 *
 * INVARIANT: never throws. Rules are found by the id, class or name that they end in, so that a sheet costs an element
 * only the rules that could select it. When the budget is spent, `exceeded` is true and the answers are worth nothing.
 */
import { AncestorFilter, type Bits, hasAll, NO_BITS } from './ancestors.ts'
import type { Condition } from './conditions.ts'
import { type Declaration, UNREAD } from './declarations.ts'
import { Matcher, type StyleElement, wordsOf } from './matching.ts'
import type { Selector } from './selector-parts.ts'
import type { Sheet, StyleRule } from './stylesheet.ts'
import { both, NO, YES } from './three-valued.ts'
import { lowerAscii } from './tokens.ts'

export interface Applied {
  readonly declaration: Declaration
  /** False: it may or may not apply, or its place in the order is not certain. */
  readonly isCertain: boolean
}

interface Entry {
  readonly selector: Selector
  readonly ancestors: Bits
  /** What it gives where it surely applies, and where it may. */
  readonly certain: Weights
  readonly uncertain: Weights
  readonly condition: Condition
  /** Its place among all. */
  rank: number
}

interface Weights {
  readonly normal: readonly Applied[]
  readonly important: readonly Applied[]
}

interface Found {
  readonly entry: Entry
  readonly isCertain: boolean
}

type Where = keyof Condition

const NOTHING: readonly Applied[] = []
const NO_PSEUDOS: ReadonlyMap<string, readonly Applied[]> = new Map()
const DECLARATION_COST = 3
/** Longer lists are seldom the same twice. */
const MOST_CACHED = 100
const NO_INLINE: readonly Declaration[] = []
/** They style what only a script could have put into a page. */
const SHADOW = new Set(['slotted', 'part', 'cue', 'host'])

export class Rules {
  readonly hasPseudos: boolean
  /** Whether `otherwise` can differ from `appliedTo`. */
  readonly dependsOnWindow: boolean
  readonly #elements = new RuleIndex()
  readonly #pseudos = new RuleIndex()
  readonly #matcher: Matcher
  readonly #filter = new AncestorFilter()
  readonly #isEmpty: boolean
  #complete: boolean
  /** The same rules and the same style attribute give the same list. */
  readonly #lists = new WeakMap<readonly Declaration[], Map<string, readonly Applied[]>>()

  constructor(sheets: readonly Sheet[], quirks: boolean) {
    this.#matcher = new Matcher(quirks)
    this.#complete = sheets.every(({ complete }) => complete)
    const entries = sheets.flatMap(({ rules }) => rules.flatMap((rule) => this.#entriesOf(rule)))
    this.dependsOnWindow = entries.some(({ condition }) => condition.here !== condition.anywhere)
    // The sort is stable: equal ones stay in the order of the sheets.
    entries.sort((a, b) => a.selector.specificity - b.selector.specificity)
    for (const [rank, entry] of entries.entries()) {
      entry.rank = rank
      ;(entry.selector.pseudo === undefined ? this.#elements : this.#pseudos).add(entry)
    }
    this.hasPseudos = entries.some(({ selector }) => selector.pseudo !== undefined)
    this.#isEmpty = entries.length === 0
  }

  #entriesOf({ selectors, declarations, condition }: StyleRule): Entry[] {
    const certain = weighted(declarations, true)
    const uncertain = weighted(declarations, false)
    return selectors
      .filter(({ pseudo }) => pseudo === undefined || !SHADOW.has(pseudo))
      .map((selector) => {
        return { selector, ancestors: this.#filter.asked(selector), certain, uncertain, condition, rank: 0 }
      })
  }

  /** A bound was reached, in a sheet or here: what the other methods say is not to be trusted. */
  get exceeded(): boolean {
    return !this.#complete || this.#matcher.exceeded
  }

  /** `inline` is what the element's own style attribute declares. */
  appliedTo(element: StyleElement, inline: readonly Declaration[]): readonly Applied[] {
    return this.#ordered(this.#found(this.#elements, element, 'here'), inline)
  }

  /**
   * The same for a reader whose window and colour scheme are not known: declarations that depend on them are not
   * certain. For telling text that some readers see from text that is hidden from all.
   */
  otherwise(element: StyleElement, inline: readonly Declaration[]): readonly Applied[] {
    return this.#ordered(this.#found(this.#elements, element, this.dependsOnWindow ? 'anywhere' : 'here'), inline)
  }

  /** What is declared for pseudo-elements, by their name in lower case without colons. */
  pseudo(element: StyleElement): ReadonlyMap<string, readonly Applied[]> {
    const found = this.#found(this.#pseudos, element, 'here')
    if (found.length === 0) return NO_PSEUDOS
    const byName = Map.groupBy(found, ({ entry }) => entry.selector.pseudo ?? '')
    return new Map([...byName].map(([name, entries]) => [name, this.#ordered(entries, NO_INLINE)]))
  }

  #found(index: RuleIndex, element: StyleElement, where: Where): Found[] {
    const found: Found[] = []
    if (this.#isEmpty || this.#matcher.exceeded) return found
    let above: Bits | undefined
    for (const entries of index.candidates(element)) {
      this.#matcher.spend(entries.length >> 3)
      for (const entry of entries) {
        const holds = entry.condition[where]
        if (entry.ancestors !== NO_BITS) {
          above ??= this.#filter.above(element)
          if (!hasAll(above, entry.ancestors)) continue
        }
        const answer = holds === NO ? NO : both(holds, this.#matcher.matches(entry.selector, element))
        if (answer === NO) continue
        found.push({ entry, isCertain: answer === YES })
        this.#matcher.spend(2 + DECLARATION_COST * (entry.certain.normal.length + entry.certain.important.length))
      }
    }
    return found
  }

  #ordered(found: Found[], inline: readonly Declaration[]): readonly Applied[] {
    if (found.length === 0 && inline.length === 0) return NOTHING
    if (inline.at(-1)?.name === UNREAD) this.#complete = false
    if (found.length === 0) return ownList(inline)
    found.sort((a, b) => a.entry.rank - b.entry.rank)
    if (found.length > MOST_CACHED) return cascaded(found, inline)
    const lists = this.#lists.get(inline) ?? new Map<string, readonly Applied[]>()
    this.#lists.set(inline, lists)
    const key = found.map(({ entry, isCertain }) => (isCertain ? entry.rank : `${entry.rank}?`)).join()
    const list = lists.get(key) ?? cascaded(found, inline)
    lists.set(key, list)
    return list
  }
}

/** The same list whatever page the style attribute is in. */
function ownList(inline: readonly Declaration[]): readonly Applied[] {
  const known = OWN_LISTS.get(inline) ?? cascaded([], inline)
  OWN_LISTS.set(inline, known)
  return known
}

const OWN_LISTS = new WeakMap<readonly Declaration[], readonly Applied[]>()

/** Normal declarations, then important ones; the style attribute after both. */
function cascaded(found: readonly Found[], inline: readonly Declaration[]): readonly Applied[] {
  const own = inline.map((declaration): Applied => ({ declaration, isCertain: true }))
  return [
    ...found.flatMap((each) => declared(each).normal),
    ...own.filter(({ declaration }) => !declaration.important),
    ...found.flatMap((each) => declared(each).important),
    ...own.filter(({ declaration }) => declaration.important),
  ]
}

function declared({ entry, isCertain }: Found): Weights {
  return isCertain ? entry.certain : entry.uncertain
}

function weighted(declarations: readonly Declaration[], isCertain: boolean): Weights {
  const all = declarations.map((declaration): Applied => ({ declaration, isCertain }))
  const important = all.filter(({ declaration }) => declaration.important)
  return { normal: important.length === 0 ? all : all.filter(({ declaration }) => !declaration.important), important }
}

/** Rules by the id, class or name that they end in, folded: whether case counts is the matcher's to say. */
class RuleIndex {
  readonly #byId = new Map<string, Entry[]>()
  readonly #byClass = new Map<string, Entry[]>()
  readonly #byName = new Map<string, Entry[]>()
  readonly #others: Entry[] = []

  add(entry: Entry): void {
    const compound = entry.selector.steps[0]?.compound
    const [id] = compound?.ids ?? []
    const [name] = compound?.classes ?? []
    if (id !== undefined) push(this.#byId, lowerAscii(id), entry)
    else if (name !== undefined) push(this.#byClass, lowerAscii(name), entry)
    else if (compound?.type !== undefined) push(this.#byName, lowerAscii(compound.type), entry)
    else this.#others.push(entry)
  }

  candidates({ name, attributes }: StyleElement): readonly Entry[][] {
    const id = attributes.get('id')
    const classes = attributes.get('class')
    const lists = [this.#others, this.#byName.get(lowerAscii(name)) ?? []]
    if (id !== undefined) lists.push(this.#byId.get(lowerAscii(id)) ?? [])
    if (classes !== undefined && this.#byClass.size > 0) {
      for (const each of wordsOf(lowerAscii(classes))) lists.push(this.#byClass.get(each) ?? [])
    }
    return lists
  }
}

function push(map: Map<string, Entry[]>, key: string, entry: Entry): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [entry])
  else list.push(entry)
}
