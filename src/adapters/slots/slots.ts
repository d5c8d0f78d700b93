/**
 * Places for processes that serve at once, so many for a data directory.
 *
 * INVARIANT: a place is held by one living process, and free at once when that ends.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FileLock, FileLocks } from '../../ports/file-locks.ts'

export interface SlotOptions {
  /** Where state lives. */
  readonly directory: string
  readonly most: number
  readonly locks: FileLocks
}

/** Undefined when all are taken. */
export function takeSlot({ directory, most, locks }: SlotOptions): FileLock | undefined {
  const folder = join(directory, 'slots')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (let number = 1; number <= most; number += 1) {
    const slot = locks.take(join(folder, `${number}.lock`))
    if (slot !== undefined) return slot
  }
  return undefined
}
