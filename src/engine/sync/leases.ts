/**
 * The right to write, shared by all that this process does with a mirror at once.
 *
 * INVARIANT: it is given back when the last of them is done, so that another process can have it in between.
 */
import type { Lease, MirrorWriting } from '../../ports/mirror-store.ts'

export class Leases {
  readonly #store: Pick<MirrorWriting, 'lease'>
  #holders = 0
  #held: Promise<Lease | undefined> | undefined
  /** Whoever comes while it is being given back asks for it anew afterwards. */
  #returned: Promise<void> = Promise.resolve()

  constructor(store: Pick<MirrorWriting, 'lease'>) {
    this.#store = store
  }

  /** Runs `work` with the right to write; `otherwise` where another process has it. */
  async holding<T, O>(work: () => Promise<T>, otherwise: () => Promise<O> | O): Promise<T | O> {
    this.#holders += 1
    try {
      this.#held ??= this.#returned.then(() => this.#store.lease())
      const lease = await this.#held
      if (lease !== undefined) return await work()
    } finally {
      await this.#leave()
    }
    return otherwise()
  }

  async #leave(): Promise<void> {
    this.#holders -= 1
    if (this.#holders > 0) return
    const held = this.#held
    this.#held = undefined
    const released = (async () => (await held?.catch(() => undefined))?.release())()
    this.#returned = released.catch(() => undefined)
    await released
  }
}
