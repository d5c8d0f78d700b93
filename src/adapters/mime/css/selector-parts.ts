/**
 * Selectors as they are matched: their parts and what they weigh.
 *
 * INVARIANT: weights add up as in Chromium, which keeps eight bits for each of the three numbers.
 */
export interface AttributeTest {
  readonly name: string
  readonly operator: string
  readonly value: string
}

/** `focus`: only where the page asks for it. `never`: needs the reader's hand. `maybe`: cannot be told, or is not read. */
export type PlainPseudo = 'root' | 'empty' | 'first' | 'last' | 'link' | 'focus' | 'never' | 'maybe'

/** Every `step`th element from the `offset`th on. */
export interface Nth {
  readonly kind: 'nth'
  readonly step: number
  readonly offset: number
  readonly isFromEnd: boolean
  readonly isOfType: boolean
}

export type Pseudo = { readonly kind: PlainPseudo } | Nth | { readonly kind: 'not'; readonly of: readonly Selector[] }

export interface Compound {
  readonly type: string | undefined
  readonly ids: readonly string[]
  readonly classes: readonly string[]
  readonly attributes: readonly AttributeTest[]
  readonly pseudos: readonly Pseudo[]
}

export type Combinator = ' ' | '>' | '+' | '~'

export interface Step {
  readonly compound: Compound
  /** Relation of the next step to this one; the last step has none. */
  readonly combinator: Combinator | undefined
}

/** `steps[0]` is the rightmost compound, the next one is to its left. */
export interface Selector {
  readonly steps: readonly Step[]
  readonly specificity: number
  /** The pseudo-element that it styles, in lower case without colons. */
  readonly pseudo: string | undefined
}

const UNREAD: Compound = { type: undefined, ids: [], classes: [], attributes: [], pseudos: [{ kind: 'maybe' }] }

/** Replaces a selector that is not read: it may match any element. */
export const ANYTHING: Selector = {
  steps: [{ compound: UNREAD, combinator: undefined }],
  specificity: 0,
  pseudo: undefined,
}

export const HEAVIEST = 0xffffff

export function specificity(ids: number, classes: number, types: number): number {
  return (Math.min(ids, 255) << 16) | (Math.min(classes, 255) << 8) | Math.min(types, 255)
}

export function sum(a: number, b: number): number {
  return specificity((a >> 16) + (b >> 16), ((a >> 8) & 255) + ((b >> 8) & 255), (a & 255) + (b & 255))
}
