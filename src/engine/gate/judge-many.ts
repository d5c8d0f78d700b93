/**
 * Judges several messages of a folder that are to be copied or moved.
 *
 * INVARIANT: each message is judged by itself before any is touched: one that the change would show more of to this caller stays
 * where it is, and one that is concealed from it is as if it were not there.
 */
import type { JudgedMany, RelocateManyAction } from '../../core/action.ts'
import type { Account } from '../accounts/accounts.ts'
import { pinnedValidity } from '../actions/many.ts'
import type { Workshop } from '../actions/workshop.ts'
import { rises } from './rising.ts'

/** The same action, with what was found of each message. */
export async function judgeMany(action: RelocateManyAction, workshop: Workshop): Promise<RelocateManyAction> {
  const from = { ...action.from, uidvalidity: await pinnedValidity(action.from, workshop) }
  return { ...action, from, judged: await judged({ ...action, from }, workshop) }
}

async function judged(
  { from, to, uids }: RelocateManyAction,
  { accounts, sight, signal }: Workshop,
): Promise<JudgedMany> {
  const [source, target] = [accounts.get(from.account), accounts.get(to.account)]
  const [folder, goal] = [
    await sight.folder(source, from.mailbox, signal),
    await sight.folder(target, to.mailbox, signal),
  ]
  const wanted = { fields: [], structure: false }
  const traits = await source.source.traits(from, uids, wanted, signal)
  const sizes = new Map(traits.map(({ uid, size }) => [uid, size]))
  const present = uids.filter((uid) => sizes.has(uid))
  const now = await sight.levels(source, folder, from, present, signal)
  const starred = new Map<number, boolean>()
  const stars = (uid: number, isStarred: boolean): void => void starred.set(uid, isStarred)
  const later = goal.mayRaise ? now : await sight.levels(asJudgedBy(target, source), goal, from, present, signal, stars)
  const there = present.filter((uid) => !(sight.conceals && now.get(uid) === 'NONE'))
  const isRising = (uid: number): boolean => rises(now.get(uid), later.get(uid))
  return {
    rising: new Set(there.filter(isRising)),
    free: there.filter((uid) => !isRising(uid)),
    levels: now,
    starred,
    sizes,
  }
}

/** The target account's own server vouches for the sender: the message will be read there by its word. */
function asJudgedBy({ id, authservId }: Account, source: Account): Account {
  if (id === source.id) return source
  const { authservId: _own, ...rest } = source
  return authservId === undefined ? rest : { ...rest, authservId }
}
