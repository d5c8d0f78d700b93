/**
 * What opens the console: links that are good for one sign-in, and the sessions that come of them.
 *
 * Promises: shared by all processes of a data directory, and there after a restart. What is kept opens nothing by itself: only
 * digests of the secrets are on disk, readable by their owner alone. Throws `Failure('unavailable')` where they cannot be kept.
 */
export interface ConsoleKeys {
  /** The secret of a new link, good once and until `expires`. All times are milliseconds since 1970. */
  newLink(expires: number): Promise<string>
  /** Uses it up: true for one of all who ask, in whichever process, and only while it is good. */
  useLink(secret: string, now: number): Promise<boolean>
  /** The secret of a new session. */
  newSession(session: Pick<ConsoleSession, 'user' | 'expires'>): Promise<string>
  session(secret: string, now: number): Promise<ConsoleSession | undefined>
  endSession(secret: string): Promise<void>
}

export interface ConsoleSession {
  /** Tells sessions apart, and opens nothing. */
  readonly name: string
  /** Who signed in: a user of this machine. */
  readonly user: string
  readonly expires: number
  /** What only a page of ours can know: every change has to come with it. */
  readonly csrf: string
}
