/**
 * Fills the mirror of a folder, newest first.
 *
 * INVARIANT: a batch is on disk, together with how far it goes, before the next one is taken: whoever comes after a crash
 * goes on below it.
 */
import type { Row } from '../../core/mirror/state.ts'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import type { Meter } from './progress.ts'
import type { SyncParts } from './sync-parts.ts'

/** Returns how many messages came. */
export async function fillFolder(
  { mailbox, state, filledDownTo, kept }: MirroredFolder,
  { feed, store }: Pick<SyncParts, 'feed' | 'store'>,
  meter: Meter,
  signal: AbortSignal,
): Promise<number> {
  let came = 0
  const within = { from: 1, to: Math.min(filledDownTo, state.uidNext) - 1 }
  if (within.to >= within.from && (state.messages > 0 || kept > 0)) {
    const batches = feed.rows({ mailbox, uidvalidity: state.uidvalidity }, within, signal)
    for await (const rows of batches) {
      if (rows.length === 0) continue
      await store.fill(mailbox, rows, smallest(rows))
      came += rows.length
      meter.add(rows.length)
    }
  }
  await store.fill(mailbox, [], 1)
  return came
}

function smallest(rows: readonly Row[]): number {
  return rows.reduce((least, { uid }) => Math.min(least, uid), Number.POSITIVE_INFINITY)
}
