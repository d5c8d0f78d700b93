/**
 * Whose mail each caller has read lately.
 *
 * Promises: what was noted before a call resolves is known to every process of this data directory and outlives them all, killed or
 * not. Throws `Failure('unavailable')` where it cannot note: then the answer must not leave.
 */
export interface ReadNotes {
  /** `now` is in milliseconds since 1970. */
  note(caller: string, read: readonly ReadMail[], now: number): Promise<void>
  /** Everything since then, each set of readers once. */
  since(caller: string, when: number): Promise<readonly ReadMail[]>
  /**
   * Whose mail it was. That something was read stays known, as what nobody else could read: else who has read it could send
   * it anywhere.
   */
  forget(account: string): Promise<void>
  close(): Promise<void>
}

export interface ReadMail {
  readonly account: string
  /** Who could read it anyway: its sender and its recipients, in their normal form, sorted, each once. */
  readonly readers: readonly string[]
}
