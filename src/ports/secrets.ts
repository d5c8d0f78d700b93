/**
 * Where passwords and tokens are kept.
 *
 * Promises: a `ref` is `secret://path/segments`. `read` throws `Failure('not_found')` where there is none, `unavailable`
 * where the store cannot be opened; neither message nor cause ever holds a secret. What `read` returns has no line break
 * at its end. Nothing is remembered: every call reads anew. `write` is durable when it resolves, replaces whole or not
 * at all, and throws `Failure('unsupported')` where the store is read-only.
 */
export interface SecretStore {
  read(ref: string): Promise<string>
  write(ref: string, secret: string): Promise<void>
  /** What an operator should know of these, such as a file that others can read. Our own words, no secrets. */
  warnings(refs: readonly string[]): Promise<readonly string[]>
  /** False where `write` always refuses. */
  readonly writable: boolean
}
