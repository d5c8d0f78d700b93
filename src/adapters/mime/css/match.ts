/**
 * Whether a selector selects an element of which only what stands before it is known.
 *
 * INVARIANT: every comparison is paid for from one budget for the whole page; when that is spent, TooComplex ends the
 * work instead of letting a hostile sheet take the time of others.
 */
import { remembered } from './remembered.ts'
import type { Combinator, Compound, Pseudo, Selector } from './selector.ts'

/** An element as selectors see it. */
export interface Matchable {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly parent: Matchable | undefined
  readonly previous: Matchable | undefined
  /** Its place among its siblings, from 1. */
  readonly place: number
  /** Its place among the siblings of its name, from 1. */
  readonly placeOfType: number
}

export class TooComplex extends Error {
  override readonly name = 'TooComplex'
}

export const NO = 0
export const MAYBE = 1
export const YES = 2
export type Match = typeof NO | typeof MAYBE | typeof YES

const BUDGET = 4_000_000

export class Matcher {
  #budget = BUDGET

  matches(selector: Selector, element: Matchable): Match {
    return this.#from(selector, 0, element)
  }

  #from(selector: Selector, index: number, element: Matchable): Match {
    const step = selector.steps[index]
    if (step === undefined) return YES
    const here = this.#compound(step.compound, element)
    if (here === NO || step.combinator === undefined) return here
    return least(here, this.#related(selector, index + 1, element, step.combinator))
  }

  #related(selector: Selector, index: number, element: Matchable, combinator: Combinator): Match {
    const upward = combinator === ' ' || combinator === '>'
    let best: Match = NO
    let other = upward ? element.parent : element.previous
    while (other !== undefined && best !== YES) {
      const found = this.#from(selector, index, other)
      if (found > best) best = found
      if (combinator === '>' || combinator === '+') break
      other = upward ? other.parent : other.previous
    }
    return best
  }

  #compound(compound: Compound, element: Matchable): Match {
    this.spend(1)
    if (compound.tag !== undefined && compound.tag !== element.name) return NO
    let match: Match = YES
    for (const id of compound.ids) match = least(match, sameWord(element.attributes.get('id') ?? '', id))
    if (compound.classes.length > 0) match = least(match, this.#classes(compound.classes, element))
    for (const test of compound.attributes) {
      if (match === NO) return NO
      match = least(match, attributeMatches(element.attributes.get(test.name), test))
    }
    for (const pseudo of compound.pseudos) {
      if (match === NO) return NO
      match = least(match, this.#pseudo(pseudo, element))
    }
    return match
  }

  #classes(wanted: readonly string[], element: Matchable): Match {
    const value = element.attributes.get('class')
    if (value === undefined) return NO
    this.spend(value.length >> 6)
    let match: Match = YES
    for (const name of wanted) match = least(match, hasWord(value, name))
    return match
  }

  #pseudo(pseudo: Pseudo, element: Matchable): Match {
    switch (pseudo.kind) {
      case 'maybe':
        return MAYBE
      case 'never':
        return NO
      case 'root':
        return element.parent === undefined ? YES : NO
      case 'link':
        return element.name === 'a' && element.attributes.has('href') ? YES : NO
      case 'checked':
        return element.attributes.has('checked') || element.attributes.has('selected') ? YES : NO
      case 'nth':
        return isNth(pseudo.ofType ? element.placeOfType : element.place, pseudo.step, pseudo.offset) ? YES : NO
      case 'is':
        return this.#any(pseudo.of, element)
      case 'not': {
        const found = this.#any(pseudo.of, element)
        return found === YES ? NO : found === NO ? YES : MAYBE
      }
    }
  }

  #any(selectors: readonly Selector[], element: Matchable): Match {
    let best: Match = NO
    for (const selector of selectors) {
      const found = this.#from(selector, 0, element)
      if (found > best) best = found
      if (best === YES) break
    }
    return best
  }

  spend(steps: number): void {
    this.#budget -= steps
    if (this.#budget < 0) throw new TooComplex('selectors')
  }
}

function least(a: Match, b: Match): Match {
  return a < b ? a : b
}

function isNth(place: number, step: number, offset: number): boolean {
  if (step === 0) return place === offset
  return (place - offset) % step === 0 && (place - offset) / step >= 0
}

/** Pages without a doctype ignore case in ids and classes, others do not: a difference in case alone is a `maybe`. */
function sameWord(a: string, b: string): Match {
  if (a === b) return YES
  return a.length === b.length && a.toLowerCase() === b.toLowerCase() ? MAYBE : NO
}

const wordsOf = remembered((list): readonly string[] => list.split(/\s+/), 1000, 200)

function hasWord(list: string, word: string): Match {
  if (list === word) return YES
  let best: Match = NO
  for (const found of wordsOf(list)) {
    const match = sameWord(found, word)
    if (match > best) best = match
  }
  return best
}

function attributeMatches(
  actual: string | undefined,
  { operator, value, ignoreCase }: Compound['attributes'][number],
): Match {
  if (actual === undefined) return NO
  if (operator === '') return YES
  if (compare(actual, operator, value)) return YES
  // Many attributes compare without case in HTML; which ones matters less than not to miss one.
  const relaxed = compare(actual.toLowerCase(), operator, value.toLowerCase())
  return relaxed ? (ignoreCase ? YES : MAYBE) : NO
}

function compare(actual: string, operator: string, value: string): boolean {
  switch (operator) {
    case '=':
      return actual === value
    case '~=':
      return value !== '' && actual.split(/\s+/).includes(value)
    case '|=':
      return actual === value || actual.startsWith(`${value}-`)
    case '^=':
      return value !== '' && actual.startsWith(value)
    case '$=':
      return value !== '' && actual.endsWith(value)
    default:
      return value !== '' && actual.includes(value)
  }
}
