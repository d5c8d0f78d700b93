/**
 * Whether a selector selects an element.
 *
 * INVARIANT: every comparison is paid for from one budget for the whole page. When it is spent, `exceeded` is true and
 * every further answer is MAYBE: a hostile sheet costs certainty, never time.
 */

import { remembered } from './remembered.ts'
import type { AttributeTest, Combinator, Compound, Nth, Pseudo, Selector } from './selector-parts.ts'
import { type Answer, both, either, MAYBE, NO, opposite, YES } from './three-valued.ts'
import { lowerAscii } from './tokens.ts'

/** An element as selectors see it. */
export interface StyleElement {
  /** In lower case for HTML elements, as the parser adjusted it for others. */
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  /** A parent without a name is the document, which no selector selects. */
  readonly parent: StyleElement | undefined
  /** Its element children. */
  readonly children: readonly StyleElement[]
  /** Its place among its parent's element children, from 0. */
  readonly index: number
  /** Whether it has text of its own, be it only white space: for `:empty`. */
  readonly hasText: boolean
  /** Whether it is in the HTML namespace. */
  readonly isHtml: boolean
}

const BUDGET = 6_000_000

export class Matcher {
  readonly #quirks: boolean
  #hasAutofocus: boolean | undefined
  #budget = BUDGET

  constructor(quirks: boolean) {
    this.#quirks = quirks
  }

  get exceeded(): boolean {
    return this.#budget < 0
  }

  spend(steps: number): void {
    this.#budget -= steps
  }

  matches(selector: Selector, element: StyleElement): Answer {
    return this.#from(selector, 0, element)
  }

  #from(selector: Selector, index: number, element: StyleElement): Answer {
    const step = selector.steps[index]
    if (step === undefined) return YES
    if (this.exceeded) return MAYBE
    const here = this.#compound(step.compound, element)
    if (here === NO || step.combinator === undefined) return here
    return both(here, this.#related(selector, index + 1, element, step.combinator))
  }

  #related(selector: Selector, index: number, element: StyleElement, combinator: Combinator): Answer {
    let best: Answer = NO
    const isUpward = combinator === ' ' || combinator === '>'
    let other = isUpward ? parentOf(element) : previous(element)
    while (other !== undefined && best !== YES) {
      best = either(best, this.#from(selector, index, other))
      if (combinator === '>' || combinator === '+') break
      other = isUpward ? parentOf(other) : previous(other)
    }
    return best
  }

  #compound(compound: Compound, element: StyleElement): Answer {
    this.#budget--
    const { type, ids, classes, attributes, pseudos } = compound
    let answer: Answer = type === undefined ? YES : typeMatches(type, element)
    if (answer === NO) return NO
    const id = element.attributes.get('id')
    for (const wanted of ids) if (id === undefined || !this.#same(id, wanted)) return NO
    if (classes.length > 0 && !this.#hasClasses(classes, element)) return NO
    for (const test of attributes) answer = both(answer, this.#attribute(test, element))
    for (const pseudo of pseudos) {
      if (answer === NO) break
      answer = both(answer, this.#pseudo(pseudo, element))
    }
    return answer
  }

  #same(a: string, b: string): boolean {
    return a === b || (this.#quirks && lowerAscii(a) === lowerAscii(b))
  }

  #hasClasses(wanted: readonly string[], element: StyleElement): boolean {
    const value = element.attributes.get('class')
    if (value === undefined) return false
    this.#budget -= value.length >> 4
    const names = this.#quirks ? wordsOf(lowerAscii(value)) : wordsOf(value)
    return wanted.every((name) => names.includes(this.#quirks ? lowerAscii(name) : name))
  }

  #attribute(test: AttributeTest, element: StyleElement): Answer {
    // Outside of HTML a colon is part of a name or follows the name of a namespace.
    if (!element.isHtml && test.name.includes(':')) return MAYBE
    const value = element.attributes.get(element.isHtml ? lowerAscii(test.name) : test.name)
    if (value === undefined) return element.isHtml ? NO : MAYBE
    this.#budget -= value.length >> 4
    return attributeMatches(value, test)
  }

  #pseudo(pseudo: Pseudo, element: StyleElement): Answer {
    switch (pseudo.kind) {
      case 'maybe':
        return MAYBE
      case 'never':
        return NO
      case 'root':
        return parentOf(element) === undefined ? YES : NO
      case 'empty':
        return element.children.length === 0 && !element.hasText ? YES : NO
      case 'link':
        return isLink(element)
      case 'focus':
        return this.#mayFocus(element) ? MAYBE : NO
      case 'first':
        return element.index === 0 ? YES : NO
      case 'last':
        return element.index + 1 === (element.parent?.children.length ?? 1) ? YES : NO
      case 'nth':
        return this.#nth(pseudo, element)
      case 'not':
        return opposite(this.#any(pseudo.of, element))
    }
  }

  #nth({ step, offset, isFromEnd, isOfType }: Nth, element: StyleElement): Answer {
    if (!element.isHtml) return MAYBE
    const all = element.parent?.children ?? [element]
    this.#budget -= isOfType ? all.length : 1
    const counted = isOfType ? all.filter(({ name, isHtml }) => isHtml && name === element.name) : all
    const before = isOfType ? counted.indexOf(element) : element.index
    const beyond = (isFromEnd ? counted.length - before : before + 1) - offset
    return (step === 0 ? beyond === 0 : beyond >= 0 && beyond % step === 0) ? YES : NO
  }

  /** A page can put the focus somewhere with `autofocus`. */
  #mayFocus(element: StyleElement): boolean {
    if (this.#hasAutofocus !== undefined) return this.#hasAutofocus
    let root = element
    while (root.parent !== undefined) root = root.parent
    const left = [root]
    this.#hasAutofocus = false
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (next.attributes.has('autofocus')) this.#hasAutofocus = true
      for (const child of next.children) left.push(child)
    }
    return this.#hasAutofocus
  }

  #any(selectors: readonly Selector[], element: StyleElement): Answer {
    let best: Answer = NO
    for (const selector of selectors) {
      best = either(best, this.#from(selector, 0, element))
      if (best === YES) break
    }
    return best
  }
}

function parentOf({ parent }: StyleElement): StyleElement | undefined {
  return parent?.name === '' ? undefined : parent
}

function previous({ parent, index }: StyleElement): StyleElement | undefined {
  return parent?.children[index - 1]
}

/** By the standard names of SVG and MathML keep their case, in Chromium they do not. */
function typeMatches(type: string, { name, isHtml }: StyleElement): Answer {
  if (type === name) return YES
  if (isHtml) return lowerAscii(type) === name ? YES : NO
  return lowerAscii(type) === lowerAscii(name) ? MAYBE : NO
}

function isLink(element: StyleElement): Answer {
  if (element.isHtml) return /^(?:a|area)$/.test(element.name) && element.attributes.has('href') ? YES : NO
  return element.name === 'a' ? MAYBE : NO
}

/** The words of a `class` attribute: only ASCII white space divides them. */
export const wordsOf = remembered(
  (list): readonly string[] => [...new Set(list.split(/[ \t\n\f\r]+/))].filter((word) => word !== ''),
  1000,
  200,
)

/** Which attributes are compared without case is not told apart. */
function attributeMatches(actual: string, { operator, value }: AttributeTest): Answer {
  if (operator === '' || compare(actual, operator, value)) return YES
  return compare(lowerAscii(actual), operator, lowerAscii(value)) ? MAYBE : NO
}

function compare(actual: string, operator: string, value: string): boolean {
  if (operator === '=') return actual === value
  if (operator === '|') return actual === value || actual.startsWith(`${value}-`)
  if (value === '') return false
  if (operator === '~') return !/[ \t\n\f\r]/.test(value) && wordsOf(actual).includes(value)
  if (operator === '^') return actual.startsWith(value)
  return operator === '$' ? actual.endsWith(value) : actual.includes(value)
}
