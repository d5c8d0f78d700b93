/**
 * What was read of messages a moment ago, kept in memory while there is room: under a Gmail id it never changes.
 *
 * INVARIANT: never weighs more than it may; what has not been asked for the longest goes first.
 */
export class Kept<T> {
  readonly #most: number
  readonly #held = new Map<string, { readonly value: T; readonly weight: number }>()
  #weight = 0

  constructor(mostBytes: number) {
    this.#most = mostBytes
  }

  get(id: string): T | undefined {
    const found = this.#held.get(id)
    if (found === undefined) return undefined
    // Set anew each time, so that the first of the map is the one not asked for the longest.
    this.#held.delete(id)
    this.#held.set(id, found)
    return found.value
  }

  keep(id: string, value: T, weight: number): void {
    this.drop(id)
    if (weight > this.#most) return
    this.#held.set(id, { value, weight })
    this.#weight += weight
    for (const oldest of this.#held.keys()) {
      if (this.#weight <= this.#most) return
      this.drop(oldest)
    }
  }

  drop(id: string): void {
    this.#weight -= this.#held.get(id)?.weight ?? 0
    this.#held.delete(id)
  }
}
