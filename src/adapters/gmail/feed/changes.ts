/**
 * What has happened in a folder since a state, by Gmail's history.
 *
 * INVARIANT: the state given back was asked for before anything else, so that whatever is not told now is told the next time;
 * something may be told twice. Messages to which something happened are looked at as they are now, never as the history has
 * them. Wherever the history does not explain what the uid store knows, the folder is looked through.
 */
import type { Changes, FolderState } from '../../../core/mirror/state.ts'
import type { Folder } from '../labels.ts'
import type { KnownMessage, UidStore } from '../uids/store.ts'
import { type FollowLook, followed, type Touched } from './follow.ts'
import { concerns, type History, historySince, mayHaveLeft, UNTOUCHED } from './history.ts'
import { everything, type FeedParts, lookThrough } from './look.ts'
import { momentOf } from './moment.ts'

/** Where more has happened than that, listing the folder is cheaper than looking at each. */
const MANY = 1000
/** So much that does not concern a folder is read again each time, rather than written down. */
const FEW = 50

export async function changes(
  parts: FeedParts,
  finding: Promise<Folder>,
  since: FolderState,
  signal: AbortSignal,
): Promise<Changes> {
  const moment = momentOf(since.modseq)
  // The history is that of the account: it is asked for while it is found out which label is meant.
  const asked = moment && historySince(parts.client, moment.history, signal)
  const [folder, history] = await Promise.all([finding, asked])
  const standing = await parts.uids.standing(folder.id, signal)
  if (standing.uidvalidity !== since.uidvalidity || standing.uidNext < since.uidNext) {
    return { kind: 'remade', state: await lookThrough(parts, folder, signal) }
  }
  if (moment === undefined || history === undefined) return everything(parts, folder, since, signal)
  const look = { parts, folder, since, moment, history, standing, signal }
  const touched = await concerned(look)
  if (touched === undefined) return everything(parts, folder, since, signal)
  return touched.length === 0 && history.touched.size <= FEW ? { kind: 'same' } : followed(look, touched)
}

/** Where a folder stands now: the uid store brought up to date by what has happened since it last was. */
export async function stateNow(
  parts: FeedParts,
  folder: Folder,
  historyFrom: (since: string) => Promise<History | undefined>,
  signal: AbortSignal,
): Promise<FolderState> {
  const standing = await parts.uids.standing(folder.id, signal)
  const { history: reached, marks, uidvalidity, uidNext, messages } = standing
  const history = reached === undefined ? undefined : await historyFrom(reached)
  if (reached === undefined || history === undefined) return lookThrough(parts, folder, signal)
  const since = { uidvalidity, uidNext, messages }
  const look = { parts, folder, since, moment: { history: reached, marks }, history, standing, signal }
  const touched = await concerned(look)
  return touched === undefined ? lookThrough(parts, folder, signal) : (await followed(look, touched)).state
}

/** The messages that have to be looked at; undefined where they are many, or the history does not tell of one that came. */
async function concerned(look: FollowLook): Promise<readonly Touched[] | undefined> {
  const { parts, folder, since, moment, history, standing, signal } = look
  const { uids } = parts
  const marked = standing.marks === moment.marks ? [] : await uids.markedSince(folder.id, moment.marks, signal)
  const ids = new Set([...history.touched.keys(), ...marked])
  if (ids.size > MANY || standing.uidNext - since.uidNext > MANY) return undefined
  const arrived = await knownWithin(uids, folder, since.uidNext, standing.uidNext, signal)
  if (!arrived.every(({ id }) => ids.has(id))) return undefined
  const found: Touched[] = []
  for (const id of ids) {
    const touch = history.touched.get(id) ?? UNTOUCHED
    const uid = (await uids.places(id, signal)).find(({ label }) => label === folder.id)?.uid
    if (uid !== undefined || concerns(folder, touch)) found.push({ id, uid, mayHaveLeft: mayHaveLeft(folder, touch) })
  }
  return found
}

async function knownWithin(
  uids: UidStore,
  { id }: Folder,
  from: number,
  end: number,
  signal: AbortSignal,
): Promise<readonly KnownMessage[]> {
  const range = Array.from({ length: Math.max(0, end - from) }, (_, at) => from + at)
  return range.length === 0 ? [] : [...(await uids.lookUp(id, range, signal)).values()]
}
