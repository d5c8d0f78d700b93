/**
 * What is remembered of the access that people granted, for all processes and across restarts.
 *
 * Promises: holds no secret. `write` is durable when it resolves, and replaces whole or not at all. A note that cannot be
 * understood reads as one that refuses every token. `alone` runs `work` while nobody else does so for this account, in
 * whichever process; a process that dies gives its turn back; it throws `Failure('unavailable')` where a turn takes too long.
 */
export interface GrantNotes {
  read(account: string): Promise<GrantNote | undefined>
  write(account: string, note: GrantNote): Promise<void>
  alone<T>(account: string, work: () => Promise<T>): Promise<T>
}

export interface GrantNote {
  /** The configured scope for which access was granted, in normal form. */
  readonly scope: string
  /** What the server said it granted, where it said. */
  readonly granted?: string
  /** Fingerprint of the refresh token this speaks of, where we never replace it ourselves. */
  readonly token?: string
  /** Set while access has to be granted anew. */
  readonly refused?: Refusal
}

export interface Refusal {
  readonly reason: 'invalid_grant' | 'refused_by_server' | 'note_damaged'
  /** Fingerprint of the refresh token that does no longer do; every one when absent. */
  readonly token?: string
}
