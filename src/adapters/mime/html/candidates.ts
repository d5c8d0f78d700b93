/**
 * What the longhands of one element may be.
 *
 * INVARIANT: a certain declaration replaces all before it, an uncertain one stands beside them. The empty text stands for what the element
 * has without any declaration.
 */
import type { Longhands } from '../css/longhands.ts'
import { UNKNOWN } from '../css/values.ts'

const NONE: readonly string[] = ['']
const MOST = 6

export class Candidates {
  readonly #values = new Map<string, readonly string[]>()

  /** For what browsers say themselves; values between which they choose stand side by side. */
  set(pairs: readonly (readonly [string, string])[]): void {
    for (const [name, value] of pairs) this.#values.set(name, value.split('|'))
  }

  add({ pairs, isSure }: Longhands, isCertain: boolean): void {
    for (const [name, value] of pairs) this.#values.set(name, isSure && isCertain ? [value] : this.#beside(name, value))
  }

  of(name: string): readonly string[] {
    return this.#values.get(name) ?? NONE
  }

  names(): readonly string[] {
    return [...this.#values.keys()]
  }

  #beside(name: string, value: string): readonly string[] {
    const known = this.of(name)
    if (known.includes(value)) return known
    return known.length < MOST ? [...known, value] : [UNKNOWN]
  }
}
