/** Work that found a file busy never began, so it may be tried again. */
import { setTimeout as delay } from 'node:timers/promises'
import { isBusy } from './trouble.ts'

const PATIENCE_MS = 10_000
const PAUSE_MS = 10

export async function patiently<T>(work: () => T | Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error
    }
    await delay(PAUSE_MS)
  }
}
