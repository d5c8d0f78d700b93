/**
 * Waiting for other processes that write to the same file, without holding up this one.
 *
 * INVARIANT: work that is tried again did nothing the time before: what found the file busy never began.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isBusy, mirrorFailure } from './failures.ts'

const PATIENCE_MS = 10_000
const PAUSE_MS = 10

/** Async, so that what goes wrong rejects and never throws at the caller. */
export async function patiently<T>(work: () => T | Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw mirrorFailure(error)
    }
    await delay(PAUSE_MS)
  }
}
