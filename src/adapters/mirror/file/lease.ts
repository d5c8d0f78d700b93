/**
 * Who may write a mirror.
 *
 * INVARIANT: of all that want the lease one has it, and it is free at once when its holder ends. Nothing is written but under
 * a lease of ours.
 */
import { rmSync } from 'node:fs'
import type { FileLock, FileLocks } from '../../../ports/file-locks.ts'

export class MirrorLease {
  readonly #locks: FileLocks
  readonly #path: string
  #held: FileLock | undefined

  constructor(locks: FileLocks, mirror: string) {
    this.#locks = locks
    this.#path = leaseOf(mirror)
  }

  /** Whether it is ours now; taken again it stays so. */
  take(): boolean {
    this.#held ??= this.#taken()
    return this.#held !== undefined
  }

  /** A damaged lock locks nothing: another one takes its place. */
  #taken(): FileLock | undefined {
    try {
      return this.#locks.take(this.#path)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_NOTADB')) throw error
      rmSync(this.#path, { force: true })
      return this.#locks.take(this.#path)
    }
  }

  get isHeld(): boolean {
    return this.#held !== undefined
  }

  release(): void {
    this.#held?.release()
    this.#held = undefined
  }

  require(): void {
    if (this.#held === undefined) throw new Error('the mirror is written without its lease')
  }
}

/** The file that is locked. */
export function leaseOf(mirror: string): string {
  return `${mirror}.lease`
}
