/** Who in this process is at work on which folder: one at a time. */
export type Release = () => void

export class Claims {
  readonly #taken = new Map<string, Promise<void>>()

  /** Undefined while somebody else is at work on it. */
  take(mailbox: string): Release | undefined {
    if (this.#taken.has(mailbox)) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#taken.set(mailbox, promise)
    return () => {
      this.#taken.delete(mailbox)
      resolve()
    }
  }

  /** Waits its turn. */
  async holding<T>(mailbox: string, work: () => Promise<T>): Promise<T> {
    let release = this.take(mailbox)
    while (release === undefined) {
      await this.#taken.get(mailbox)
      release = this.take(mailbox)
    }
    try {
      return await work()
    } finally {
      release()
    }
  }
}
