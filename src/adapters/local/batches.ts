/**
 * Work on very many messages, without holding up everybody else.
 *
 * INVARIANT: the order is the one asked for; between batches the event loop has its turn.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { throwIfAborted } from './failures.ts'

/** What a batch should take, in milliseconds; its size follows. */
const BATCH_MS = 10
const FIRST_BATCH = 50
const LARGEST_BATCH = 20_000

export async function inBatches<T>(
  uids: readonly number[],
  signal: AbortSignal,
  work: (batch: readonly number[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const done: T[] = []
  let size = FIRST_BATCH
  for (let at = 0; at < uids.length; ) {
    throwIfAborted(signal)
    const started = performance.now()
    for (const one of await work(uids.slice(at, at + size))) done.push(one)
    at += size
    size = nextSize(size, performance.now() - started)
    await nextTurn()
  }
  return done
}

/** One message may take long, so a batch may be of one. */
function nextSize(size: number, took: number): number {
  const wanted = Math.min(size * 4, Math.floor((size * BATCH_MS) / Math.max(took, 0.1)))
  return Math.min(LARGEST_BATCH, Math.max(1, wanted))
}
