/**
 * Brings what has happened to a folder since it was last looked at into its mirror.
 *
 * INVARIANT: however much has arrived, little of it is in memory at once, and what was fetched is on disk before more is:
 * the state that goes with it says that everything below its `uidNext` is there.
 */
import type { Changes, FolderState, Gone, Row } from '../../core/mirror/state.ts'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import type { SyncParts } from './sync-parts.ts'

type Changed = Extract<Changes, { kind: 'changed' }>

const AT_ONCE = 2000

/** About how many messages have arrived: more may have come and gone again. */
export function arrivals(since: FolderState, { state, gone }: Changed): number {
  const range = Math.max(0, state.uidNext - since.uidNext)
  const old = ({ uids }: Gone): number => uids.reduce((count, uid) => (uid < since.uidNext ? count + 1 : count), 0)
  const left = gone.kind === 'these' ? since.messages - old(gone) : old(gone)
  return Math.min(range, Math.max(1, state.messages - left))
}

/** Returns how many messages came. */
export async function applyChanges(
  folder: MirroredFolder,
  changed: Changed,
  { feed, store }: Pick<SyncParts, 'feed' | 'store'>,
  signal: AbortSignal,
): Promise<number> {
  const { mailbox, state: since } = folder
  const at = { mailbox, uidvalidity: changed.state.uidvalidity }
  const pieces = piecesOf(since.uidNext, changed.state.uidNext, arrivals(since, changed))
  let came = 0
  let arrived: Row[] = []
  let reached = since.uidNext
  const keep = async (uidNext: number): Promise<void> => {
    if (arrived.length > 0) await store.apply(mailbox, { state: { ...since, uidNext }, flags: [], gone: [], arrived })
    arrived = []
  }
  for (const piece of pieces) {
    // All but the last piece go to disk by themselves, with the state from which one would go on.
    await keep(reached)
    for await (const rows of feed.rows(at, piece, signal)) {
      came += rows.length
      arrived.push(...rows)
      if (arrived.length >= 2 * AT_ONCE) await keep(reached)
    }
    reached = piece.to + 1
  }
  const gone = await goneFrom(mailbox, changed.gone, since.uidNext, store)
  await store.apply(mailbox, { state: changed.state, flags: changed.flags, gone, arrived })
  return came
}

interface Piece {
  readonly from: number
  readonly to: number
}

/** Oldest first, since what is below a uid must be there before that uid is reached. */
function piecesOf(from: number, end: number, expected: number): readonly Piece[] {
  if (end <= from) return []
  const count = Math.ceil(expected / AT_ONCE)
  const width = Math.ceil((end - from) / count)
  const pieces: Piece[] = []
  for (let start = from; start < end; start += width) pieces.push({ from: start, to: Math.min(end, start + width) - 1 })
  return pieces
}

async function goneFrom(
  mailbox: string,
  gone: Gone,
  below: number,
  store: Pick<SyncParts['store'], 'uids'>,
): Promise<readonly number[]> {
  if (gone.kind === 'these') return gone.uids
  const there = new Set(gone.uids)
  return (await store.uids(mailbox)).filter((uid) => uid < below && !there.has(uid))
}
