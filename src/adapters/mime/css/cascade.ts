/**
 * Which declarations hold for an element, weakest first.
 *
 * INVARIANT: rules are found by the id, class or name that they end in, so a sheet costs an element only the rules that
 * could select it.
 */
import type { Declaration } from './declaration.ts'
import { MAYBE, type Matchable, Matcher, NO } from './match.ts'
import { remembered } from './remembered.ts'
import type { Generated, Selector } from './selector.ts'
import type { Keyframes, Sheet } from './sheet.ts'

export interface Cascaded {
  /** What surely holds. */
  readonly sure: readonly Declaration[]
  /** The same with the rules that may select the element; `sure` itself where there are none. */
  readonly perhaps: readonly Declaration[]
}

interface Entry {
  readonly selector: Selector
  readonly declarations: readonly Declaration[]
  readonly order: number
}

const DECLARATION_COST = 8

const NOTHING: Cascaded = { sure: [], perhaps: [] }

/** Rules by the id, class or name that they end in. */
class RuleIndex {
  readonly #byId = new Map<string, Entry[]>()
  readonly #byClass = new Map<string, Entry[]>()
  readonly #byName = new Map<string, Entry[]>()
  readonly #others: Entry[] = []
  empty = true

  add(entry: Entry): void {
    const compound = entry.selector.steps[0]?.compound
    if (compound === undefined) return
    this.empty = false
    const [id] = compound.ids
    const [className] = compound.classes
    if (id !== undefined) push(this.#byId, id.toLowerCase(), entry)
    else if (className !== undefined) push(this.#byClass, className.toLowerCase(), entry)
    else if (compound.tag !== undefined) push(this.#byName, compound.tag, entry)
    else this.#others.push(entry)
  }

  candidates(element: Matchable, matcher: Matcher): Entry[][] {
    const lists: Entry[][] = [this.#others]
    const id = element.attributes.get('id')
    const classes = element.attributes.get('class')
    const named = this.#byName.get(element.name)
    if (named !== undefined) lists.push(named)
    if (id !== undefined) lists.push(this.#byId.get(id.toLowerCase()) ?? [])
    if (classes !== undefined && this.#byClass.size > 0) {
      matcher.spend(classes.length >> 4)
      for (const name of classNames(classes)) lists.push(this.#byClass.get(name) ?? [])
    }
    return lists
  }
}

const classNames = remembered(
  (classes): readonly string[] => [...new Set(classes.toLowerCase().split(/\s+/))],
  1000,
  200,
)

export class StyleRules {
  readonly #indexes = { element: new RuleIndex(), before: new RuleIndex(), after: new RuleIndex() }
  readonly #keyframes: Animations
  readonly #matcher = new Matcher()
  /** The same rules and the same style attribute give the same list: whoever resolves it knows it again. */
  readonly #ordered = new WeakMap<readonly Declaration[], Map<string, readonly Declaration[]>>()
  readonly empty: boolean

  constructor(sheets: readonly Sheet[]) {
    let order = 0
    for (const { selectors, declarations } of sheets.flatMap((sheet) => sheet.rules)) {
      for (const selector of selectors) {
        this.#indexes[selector.generates ?? 'element'].add({ selector, declarations, order: order++ })
      }
    }
    this.empty = order === 0
    this.#keyframes = new Map(sheets.flatMap(({ keyframes }) => [...keyframes]))
  }

  /** `inline` is what the element's own style attribute says. */
  cascade(element: Matchable, inline: readonly Declaration[]): Cascaded {
    return this.#cascade(this.#indexes.element, element, inline)
  }

  /** What holds for the text that is put before or after what the element holds. */
  generated(element: Matchable, place: Generated): Cascaded {
    return this.#cascade(this.#indexes[place], element, NOTHING.sure)
  }

  /** Pays for further work from the same budget. */
  spend(steps: number): void {
    this.#matcher.spend(steps)
  }

  #cascade(index: RuleIndex, element: Matchable, inline: readonly Declaration[]): Cascaded {
    if (index.empty && inline.length === 0) return NOTHING
    const sure: Entry[] = []
    const perhaps: Entry[] = []
    if (!index.empty) this.#collect(index, element, sure, perhaps)
    if (sure.length === 0 && perhaps.length === 0 && inline.length === 0) return NOTHING
    // Putting them in order and resolving them costs more than finding them.
    this.#matcher.spend(DECLARATION_COST * (inline.length + count(sure) + 2 * count(perhaps)))
    const certain = this.#inOrder(sure, inline)
    const likely = perhaps.length === 0 ? certain : this.#inOrder([...sure, ...perhaps], inline)
    const animated = this.#keyframes.size === 0 ? [] : animatedBy(likely, this.#keyframes)
    this.#matcher.spend(DECLARATION_COST * animated.length)
    return { sure: certain, perhaps: animated.length === 0 ? likely : [...likely, ...animated] }
  }

  #inOrder(entries: readonly Entry[], inline: readonly Declaration[]): readonly Declaration[] {
    if (entries.length === 0) return inOrder(entries, inline)
    const lists = this.#ordered.get(inline) ?? new Map<string, readonly Declaration[]>()
    this.#ordered.set(inline, lists)
    const key = entries.map(({ order }) => order).join()
    const known = lists.get(key)
    if (known !== undefined) return known
    const list = inOrder(entries, inline)
    lists.set(key, list)
    return list
  }

  #collect(index: RuleIndex, element: Matchable, sure: Entry[], perhaps: Entry[]): void {
    for (const entries of index.candidates(element, this.#matcher)) {
      for (const entry of entries) {
        const match = this.#matcher.matches(entry.selector, element)
        if (match === NO) continue
        ;(match === MAYBE ? perhaps : sure).push(entry)
      }
    }
  }
}

type Animations = ReadonlyMap<string, Keyframes>

/** What the animations of an element end in; all that they pass through where they may stop on the way. */
function animatedBy(declarations: readonly Declaration[], animations: Animations): Declaration[] {
  const named = declarations
    .filter(({ name }) => /^(?:-[a-z]+-)?animation(?:-name)?$/.test(name))
    .slice(-MOST_ANIMATIONS)
  return named.flatMap(({ value }) => {
    if (value.includes('var(')) return [...animations.values()].flatMap(({ all }) => all)
    const words = new Set(value.split(/[\s,]+/, MOST_ANIMATIONS).map((word) => word.replace(/["']/g, '')))
    const part = words.has('reverse') || words.has('alternate') || words.has('paused') ? 'all' : 'last'
    return [...words].flatMap((word) => animations.get(word)?.[part] ?? [])
  })
}

const MOST_ANIMATIONS = 20

function count(entries: readonly Entry[]): number {
  return entries.reduce((sum, { declarations }) => sum + declarations.length + 1, 0)
}

function push(map: Map<string, Entry[]>, key: string, entry: Entry): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [entry])
  else list.push(entry)
}

function inOrder(entries: readonly Entry[], inline: readonly Declaration[]): readonly Declaration[] {
  if (entries.length === 0 && !inline.some(({ important }) => important)) return inline
  const sorted = entries.toSorted((a, b) => a.selector.specificity - b.selector.specificity || a.order - b.order)
  const all = [...sorted.flatMap((entry) => entry.declarations), ...inline]
  return all.some(({ important }) => important)
    ? [...all.filter(({ important }) => !important), ...all.filter(({ important }) => important)]
    : all
}
