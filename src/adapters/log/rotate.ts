/**
 * Moves a full log aside: `x` becomes `x.1`, `x.1` becomes `x.2`, and the oldest goes.
 *
 * INVARIANT: one process at a time does it, and looks again once it is its turn, so that no file is moved over another one
 * that should have stayed. A process that dies in the middle keeps nobody out.
 */
import { existsSync, renameSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { FileLocks } from '../../ports/file-locks.ts'

/** Beside the one that is being written. */
const OLDER_FILES = 4
const TRIES = 20
const TRY_EVERY_MS = 10

/** `isFull` is asked again when nobody else can be at it. */
export async function rotate(path: string, isFull: () => boolean, locks: FileLocks): Promise<void> {
  for (let tries = 0; tries < TRIES && isFull(); tries += 1) {
    const lock = locks.take(`${path}.lock`)
    if (lock !== undefined) {
      try {
        if (isFull()) shift(path)
      } finally {
        lock.release()
      }
      return
    }
    await pause(TRY_EVERY_MS)
  }
}

function shift(path: string): void {
  const names = [path, ...Array.from({ length: OLDER_FILES }, (_, index) => `${path}.${index + 1}`)]
  for (let index = OLDER_FILES; index > 0; index -= 1) {
    const [from = path, to = path] = [names[index - 1], names[index]]
    // After a death in the middle there is a gap, which keeps what is above it where it is.
    if (existsSync(from)) renameSync(from, to)
  }
}
