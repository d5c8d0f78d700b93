/**
 * Who has claimed a letter: a store of some process, by a token, and a lock beside the outbox that says that it lives.
 *
 * INVARIANT: the lock is held before the first claim and until the store is closed or its process ends, however that ends. A
 * token is used once: one whose lock is gone will never be alive again.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, unlinkSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { FileLocks } from '../../ports/file-locks.ts'

/** Somebody who tidies may take a lock that is just being made; then another is made. */
const TRIES = 10

export interface OwnerLock {
  readonly token: string
  release(): void
}

export function holdOwnerLock(locks: FileLocks, outbox: string): OwnerLock {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const token = randomUUID()
    const path = pathOf(outbox, token)
    const lock = locks.take(path)
    if (lock === undefined) continue
    const release = (): void => {
      lock.release()
      remove(path)
    }
    return { token, release }
  }
  throw new Error('no lock can be had that nobody else knows of')
}

/** What a dead one has left is removed. */
export function isAlive(locks: FileLocks, outbox: string, token: string): boolean {
  const path = pathOf(outbox, token)
  if (!existsSync(path)) return false
  const lock = locks.take(path)
  if (lock === undefined) return existsSync(path)
  lock.release()
  remove(path)
  return false
}

/** Removes what dead ones have left. */
export function tidyLocks(locks: FileLocks, outbox: string): void {
  const start = `${basename(outbox)}.owner-`
  for (const name of readdirSync(dirname(resolve(outbox)))) {
    if (name.startsWith(start) && TOKEN.test(name.slice(start.length))) isAlive(locks, outbox, name.slice(start.length))
  }
}

const TOKEN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function pathOf(outbox: string, token: string): string {
  return join(dirname(resolve(outbox)), `${basename(outbox)}.owner-${token}`)
}

/** Another may have been quicker. */
function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // An empty file that stays says only that its owner is dead.
  }
}
