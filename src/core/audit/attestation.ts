/**
 * Holds a log against its checkpoints, while it is read line by line.
 *
 * INVARIANT: what a checkpoint says is compared whoever signed it, for a difference is a finding in any case; only
 * those signed with the known key prove anything.
 */

/** What a checkpoint says about a day's file. */
export interface SignedHead {
  readonly size: number
  readonly root: string
  /** Signed with the key that we know. */
  readonly trusted: boolean
}

export interface Attestation {
  /** Checkpoints signed with the known key, and others. */
  readonly trusted: number
  readonly unknown: number
  /** Closed files without a checkpoint of the known key. */
  readonly bareFiles: number
  /** Records that no trusted checkpoint covers: they could be changed, or cut off, together with all after them. */
  readonly unproved: number
}

/** The public key with which the checkpoints were held against. */
export type KeyUsed =
  | { readonly kind: 'given' | 'found'; readonly id: string }
  /** There is none: then no checkpoint proves anything. */
  | { readonly kind: 'none' }

export class AttestationTally {
  #heads: ReadonlyMap<number, readonly SignedHead[]> = new Map()
  #largest = 0
  #bare = false
  #tally = { trusted: 0, unknown: 0, bareFiles: 0, unproved: 0 }

  startFile(heads: readonly SignedHead[]): void {
    if (this.#bare) this.#tally.bareFiles += 1
    this.#heads = Map.groupBy(heads, ({ size }) => size)
    this.#largest = heads.reduce((largest, { size }) => Math.max(largest, size), 0)
    this.#bare = !heads.some(({ trusted }) => trusted)
  }

  /** Whether line `size` of the file is the one that every checkpoint of that size says; undefined where none is. */
  agrees(size: number, hash: string): boolean | undefined {
    const heads = this.#heads.get(size)
    return heads?.every(({ root }) => root === hash)
  }

  /** A record that belongs to the chain is the file's line `size`. */
  count(size: number): void {
    this.#tally.unproved += 1
    for (const { trusted } of this.#heads.get(size) ?? []) {
      this.#tally[trusted ? 'trusted' : 'unknown'] += 1
      if (trusted) this.#tally.unproved = 0
    }
  }

  /** Whether a file of so many lines is as long as its checkpoints say. */
  isWhole(lines: number): boolean {
    return lines >= this.#largest
  }

  /** Of what was counted. The newest file may well have no checkpoint yet. */
  result(): Attestation {
    return this.#tally
  }
}
