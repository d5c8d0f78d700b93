/**
 * A quick no: most selectors such as `.menu a` fail because no ancestor has what they ask for.
 *
 * INVARIANT: says only "surely not". Ids, classes and names that selectors ask of ancestors are 60 bits, shared when
 * there are more; an element's bits are those of its ancestors and its own.
 */
import { type StyleElement, wordsOf } from './matching.ts'
import type { Selector } from './selector-parts.ts'
import { lowerAscii } from './tokens.ts'

export interface Bits {
  readonly low: number
  readonly high: number
}

const HALF = 30
export const NO_BITS: Bits = { low: 0, high: 0 }

export class AncestorFilter {
  readonly #bits = new Map<string, Bits>()
  readonly #known = new WeakMap<StyleElement, Bits>()

  /** What a selector asks of the element's ancestors. To be called for every selector before `above`. */
  asked({ steps }: Selector): Bits {
    let all = NO_BITS
    steps.forEach(({ compound }, at) => {
      const combinator = steps[at - 1]?.combinator
      if (combinator !== ' ' && combinator !== '>') return
      const keys = keysOf(compound.type, compound.ids, compound.classes)
      for (const key of keys) all = joined(all, this.#bitOf(key))
    })
    return all
  }

  /** What the ancestors of an element have. */
  above({ parent }: StyleElement): Bits {
    return parent === undefined ? NO_BITS : this.#bitsOf(parent)
  }

  #bitOf(key: string): Bits {
    const known = this.#bits.get(key)
    if (known !== undefined) return known
    const place = this.#bits.size % (2 * HALF)
    const bit = place < HALF ? { low: 1 << place, high: 0 } : { low: 0, high: 1 << (place - HALF) }
    this.#bits.set(key, bit)
    return bit
  }

  #bitsOf(element: StyleElement): Bits {
    const line: StyleElement[] = []
    let known: Bits | undefined
    for (let each: StyleElement | undefined = element; each !== undefined; each = each.parent) {
      known = this.#known.get(each)
      if (known !== undefined) break
      line.push(each)
    }
    let bits = known ?? NO_BITS
    for (const each of line.toReversed()) {
      const id = each.attributes.get('id')
      const keys = keysOf(each.name, id === undefined ? [] : [id], wordsOf(each.attributes.get('class') ?? ''))
      for (const key of keys) bits = joined(bits, this.#bits.get(key) ?? NO_BITS)
      this.#known.set(each, bits)
    }
    return bits
  }
}

export function hasAll({ low, high }: Bits, asked: Bits): boolean {
  return (asked.low & ~low) === 0 && (asked.high & ~high) === 0
}

/** Folded, as some pages ignore case: the filter need not tell. */
function keysOf(type: string | undefined, ids: readonly string[], classes: readonly string[]): string[] {
  const names = [...ids.map((id) => `#${id}`), ...classes.map((name) => `.${name}`)]
  if (type !== undefined) names.push(type)
  return names.map(lowerAscii)
}

function joined(a: Bits, b: Bits): Bits {
  return b === NO_BITS ? a : { low: a.low | b.low, high: a.high | b.high }
}
