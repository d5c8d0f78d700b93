/**
 * Brings what has happened to a folder since it was last looked at into its mirror.
 *
 * INVARIANT: however much has arrived, little of it is in memory at once, and what was fetched is on disk before more is:
 * the state that goes with it says that everything below its `uidNext` is there.
 */
import type { Changes, FolderState, Gone, Row } from '../../core/mirror/state.ts'
import type { UidRange } from '../../ports/mail-feed.ts'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import type { SyncParts } from './sync-parts.ts'

type Changed = Extract<Changes, { kind: 'changed' }>

const AT_ONCE = 2000
const MOST = 2 * AT_ONCE
const MOST_BYTES = 64 * 1024 * 1024

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
  let arrived: readonly Row[] = []
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    // All but the last piece go to disk by themselves, with the state from which one would go on.
    const state = { ...since, uidNext: piece.from }
    if (arrived.length > 0) await store.apply(mailbox, { state, flags: [], gone: [], arrived })
    arrived = []
    const rows = await rowsOf(feed.rows(at, piece, signal))
    if (rows === undefined) pieces.unshift(...halves(piece))
    else arrived = rows
    came += arrived.length
  }
  const gone = await goneFrom(mailbox, changed.gone, since.uidNext, store)
  await store.apply(mailbox, { state: changed.state, flags: changed.flags, gone, arrived })
  return came
}

/** Undefined where they are more than are held at once: what is above a state that was kept would never be looked at again. */
async function rowsOf(batches: AsyncIterable<readonly Row[]>): Promise<readonly Row[] | undefined> {
  const all: Row[] = []
  let bytes = 0
  for await (const rows of batches) {
    all.push(...rows)
    bytes += rows.reduce((sum, { header }) => sum + header.length, 0)
    if (all.length > MOST || bytes > MOST_BYTES) return undefined
  }
  return all
}

/** One that holds too many is wider than that. */
function halves({ from, to }: UidRange): readonly UidRange[] {
  const middle = Math.floor((from + to) / 2)
  return [
    { from, to: middle },
    { from: middle + 1, to },
  ]
}

/** Oldest first, since what is below a uid must be there before that uid is reached. */
function piecesOf(from: number, end: number, expected: number): UidRange[] {
  if (end <= from) return []
  const count = Math.ceil(expected / AT_ONCE)
  const width = Math.ceil((end - from) / count)
  const pieces: UidRange[] = []
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
