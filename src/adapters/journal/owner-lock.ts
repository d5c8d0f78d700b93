/**
 * A lock that says that an owner lives: a file beside the journal, held as long as the owner has the journal open.
 *
 * INVARIANT: it also tells between containers that share the directory, where numbers of processes mean nothing.
 */
import { existsSync, unlinkSync } from 'node:fs'
import type { FileLock, FileLocks } from '../../ports/file-locks.ts'

export function holdOwnerLock(locks: FileLocks, journal: string, token: string): FileLock {
  const path = pathOf(journal, token)
  const lock = locks.take(path)
  if (lock === undefined) throw new Error('another owner has the same token')
  return {
    release: () => {
      lock.release()
      remove(path)
    },
  }
}

/** Undefined where it left no lock: then nothing is known. */
export function holdsLock(locks: FileLocks, journal: string, token: string): boolean | undefined {
  const path = pathOf(journal, token)
  if (!existsSync(path)) return undefined
  const lock = locks.take(path)
  if (lock === undefined) return true
  lock.release()
  remove(path)
  return false
}

function pathOf(journal: string, token: string): string {
  return `${journal}.${token}.owner`
}

/** Another may have been quicker. */
function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // An empty file that stays says only that its owner is dead.
  }
}
