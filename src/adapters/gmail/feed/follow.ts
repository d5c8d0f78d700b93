/**
 * Brings the uids of a folder to where Gmail is, for the messages to which something happened, and says what that changes.
 *
 * INVARIANT: a uid that was given out before and stands for nothing now is told as gone, even where somebody else has taken it out
 * of the uid store before us.
 */
import type { Changes, FolderState, Gone, UidFlags } from '../../../core/mirror/state.ts'
import { flagsOf } from '../flags.ts'
import { type Folder, standsIn } from '../labels.ts'
import type { LabelStanding } from '../uids/store.ts'
import type { History } from './history.ts'
import type { FeedParts } from './look.ts'
import { type Moment, modseqOf } from './moment.ts'
import { type Seen, seenNow } from './seen.ts'

export interface FollowLook {
  readonly parts: FeedParts
  readonly folder: Folder
  readonly since: FolderState
  /** The history begins there. */
  readonly moment: Moment
  readonly history: History
  /** As the uid store had it before anything was done. */
  readonly standing: LabelStanding
  readonly signal: AbortSignal
}

export interface Touched {
  readonly id: string
  /** The uid that the uid store had for it here. */
  readonly uid: number | undefined
  /** It may have been out of the folder, if only for a while. */
  readonly mayHaveLeft: boolean
}

type Changed = Extract<Changes, { kind: 'changed' }>

export async function followed(look: FollowLook, touched: readonly Touched[]): Promise<Changed> {
  const { parts, folder, history, standing, signal } = look
  const { uids, client } = parts
  const ids = touched.map(({ id }) => id)
  const seen = await seenNow(client, ids, signal)
  const [here, away] = parted(folder, touched, seen)
  const gone = away.filter(({ uid }) => uid !== undefined).map(({ id }) => id)
  if (gone.length > 0) await uids.drop(folder.id, gone, signal)
  const uidOf = await uids.assign(folder.id, newestFirst(here, seen), signal)
  await noteReached(look)
  const { uidvalidity, uidNext, messages } = await uids.standing(folder.id, signal)
  return {
    kind: 'changed',
    state: { uidvalidity, uidNext, messages, modseq: modseqOf({ history: history.upTo, marks: standing.marks }) },
    flags: await flagsNow(look, uidOf, seen),
    gone: await goneNow(look, here, away, uidOf),
  }
}

function parted(folder: Folder, touched: readonly Touched[], seen: Seen): readonly [Touched[], Touched[]] {
  const [here, away]: [Touched[], Touched[]] = [[], []]
  for (const one of touched) {
    const message = seen.get(one.id)
    const isHere = message !== undefined && standsIn(folder, message.labels)
    if (isHere) here.push(one)
    else away.push(one)
  }
  return [here, away]
}

function newestFirst(here: readonly Touched[], seen: Seen): readonly string[] {
  const received = (id: string): number => seen.get(id)?.received ?? 0
  return here.map(({ id }) => id).toSorted((a, b) => received(b) - received(a))
}

async function flagsNow(
  { parts, folder, since, signal }: FollowLook,
  uidOf: ReadonlyMap<string, number>,
  seen: Seen,
): Promise<readonly UidFlags[]> {
  const old = [...uidOf].filter(([, uid]) => uid < since.uidNext)
  const uids = old.map(([, uid]) => uid)
  const known = uids.length === 0 ? undefined : await parts.uids.lookUp(folder.id, uids, signal)
  return old.map(([id, uid]) => {
    const deleted = known?.get(uid)?.deleted === true
    return { uid, flags: flagsOf(seen.get(id)?.labels ?? [], deleted) }
  })
}

async function goneNow(
  { parts, folder, since, signal }: FollowLook,
  here: readonly Touched[],
  away: readonly Touched[],
  uidOf: ReadonlyMap<string, number>,
): Promise<Gone> {
  const isNew = ({ id }: Touched): boolean => (uidOf.get(id) ?? 0) >= since.uidNext
  // It was under another uid before, which the uid store no longer knows.
  const isInDoubt =
    away.some((one) => one.uid === undefined && one.mayHaveLeft) || here.some((one) => one.mayHaveLeft && isNew(one))
  if (isInDoubt) {
    const all = await parts.uids.all(folder.id, signal)
    return { kind: 'all_but', uids: all.map(({ uid }) => uid).filter((uid) => uid < since.uidNext) }
  }
  const uids = away.flatMap(({ uid }) => (uid !== undefined && uid < since.uidNext ? [uid] : []))
  return { kind: 'these', uids }
}

/** What was known up to where this history begins is now known up to where it ends. */
async function noteReached({ parts, folder, moment, history, standing, signal }: FollowLook): Promise<void> {
  const { history: reached } = standing
  if (reached === undefined || BigInt(reached) < BigInt(moment.history)) return
  if (BigInt(history.upTo) > BigInt(reached)) await parts.uids.noteHistory(folder.id, history.upTo, signal)
}
