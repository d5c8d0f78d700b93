/**
 * Compares what is delivered with what Chromium shows.
 *
 * INVARIANT: a leak is a text that is delivered as visible and that a person cannot read; a loss is a text that a person reads and
 * that is delivered nowhere.
 */
import type { Sight } from './oracle.ts'

export interface Delivered {
  readonly text: string
  readonly uncertain?: string
  /** Why each piece of it is uncertain. */
  readonly reasons?: readonly string[]
}

export type Reader = (html: string, maxChars: number) => Delivered

export type Class = 'visible' | 'uncertain' | 'hidden'

export type Fault = 'leak' | 'lost' | 'withheld'

const MOST_CHARS = 1_000_000

export function classesOf(read: Reader, html: string, canaries: readonly string[]): Class[] {
  const { text, uncertain = '' } = read(html, MOST_CHARS)
  return canaries.map((word) => (holds(text, word) ? 'visible' : holds(uncertain, word) ? 'uncertain' : 'hidden'))
}

/** In whatever case, and whatever may stand between its letters. */
function holds(text: string, word: string): boolean {
  return text
    .toLowerCase()
    .replace(/[\s\u00ad\u200b]+/g, '')
    .includes(word)
}

/** Of mail that hides nothing, what is seen has to be visible. */
export function faultOf(sight: Sight, delivered: Class, ordinary = false): Fault | undefined {
  if (sight === 'aside' || sight === 'moving') return undefined
  if (sight !== 'shown') return delivered === 'visible' ? 'leak' : undefined
  if (delivered === 'hidden') return 'lost'
  return ordinary && delivered === 'uncertain' ? 'withheld' : undefined
}

/** Pairs of what stands at the same place. */
export function zip<A, B>(some: readonly A[], others: readonly B[]): [A, B][] {
  return some.flatMap((one, at) => {
    const other = others[at]
    return other === undefined ? [] : [[one, other]]
  })
}
