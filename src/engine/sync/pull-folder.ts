/**
 * Brings the mirror of one folder to where the server is: what listings show of every message.
 *
 * INVARIANT: a folder that is another one by now is begun anew, and no other folder is touched for it.
 */
import type { FolderState } from '../../core/mirror/state.ts'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import { applyChanges } from './apply-changes.ts'
import { fillFolder } from './fill-folder.ts'
import type { Meter } from './progress.ts'
import { isFilled, isSame, isWanted, tellsFlags } from './standing.ts'
import type { SyncParts } from './sync-parts.ts'

type PullParts = Pick<SyncParts, 'feed' | 'store' | 'depth' | 'authservId' | 'clock'>

/** `startMeter` is asked for one when there is much to fetch. Returns how many messages came. */
export async function pullFolder(
  mailbox: string,
  seen: FolderState,
  parts: PullParts,
  startMeter: (done: number, total: number) => Meter,
  signal: AbortSignal,
): Promise<number> {
  const known = await parts.store.folder(mailbox)
  const isKnown = known?.state.uidvalidity === seen.uidvalidity && isWanted(known, parts)
  let came = 0
  // Before filling on: what was filled before is as old as the state that was kept with it.
  if (isKnown) came += await catchUp(known, seen, parts, signal)
  else await parts.store.remake(mailbox, seen)
  const folder = await parts.store.folder(mailbox)
  if (folder === undefined || isFilled(folder)) return came
  const meter = startMeter(folder.kept, Math.max(folder.state.messages, folder.kept))
  return came + (await fillFolder(folder, parts, meter, signal))
}

/** A round trip only where its state cannot say that nothing has changed. */
export async function catchUp(
  known: MirroredFolder,
  seen: FolderState,
  parts: PullParts,
  signal: AbortSignal,
): Promise<number> {
  const { feed, store } = parts
  const { mailbox } = known
  if (isSame(known.state, seen) && tellsFlags(seen)) {
    await noteSame(known, parts)
    return 0
  }
  const changes = await feed.changes(mailbox, known.state, signal)
  if (changes.kind === 'changed') return applyChanges(known, changes, parts, signal)
  if (changes.kind === 'remade') await store.remake(mailbox, changes.state)
  else await noteSame(known, parts)
  return 0
}

const NOTED_EVERY_MS = 60_000

/** Keeps when it was found unchanged, though not for every look: that would be a write for each answer. */
export async function noteSame(
  { mailbox, state, checkedAt }: MirroredFolder,
  { store, clock }: Pick<SyncParts, 'store' | 'clock'>,
): Promise<void> {
  if (!isNoted(checkedAt, clock.now())) await store.apply(mailbox, { state, flags: [], gone: [], arrived: [] })
}

export function isNoted(checkedAt: number, now: number): boolean {
  return Math.abs(now - checkedAt) < NOTED_EVERY_MS
}
