/**
 * Bytes of messages on their way, in private files.
 *
 * Promises: a file is readable by nobody else and holds exactly what was written, or `read` says that there is none: what
 * a crash left half-written is none. Nothing here has to survive: the original is still at its source.
 */
export interface Spooled {
  readonly txId: string
  readonly bytes: Uint8Array
}

export interface Spool {
  /** Where it rejects, each of them is there whole or is none. */
  write(messages: readonly Spooled[]): Promise<void>
  read(txId: string): Promise<Uint8Array | undefined>
  remove(txIds: readonly string[]): Promise<void>
  /** Removes what belongs to none of these. */
  keepOnly(txIds: ReadonlySet<string>): Promise<void>
}
