/**
 * Copies or moves several messages of a folder.
 *
 * INVARIANT: each message is judged by itself before any is touched: one that the change would show more of to this caller
 * is left where it is, and one that is concealed from it is as if it were not there.
 */
import { messageMissing } from '../../core/absent.ts'
import type { RelocateManyAction } from '../../core/action.ts'
import type { RelocationEnding } from '../../core/many.ts'
import { atLeast, type Level } from '../../core/policy/level.ts'
import type { Relocation } from '../../core/results.ts'
import type { Account } from '../accounts/accounts.ts'
import { carryAcross } from './carry-across.ts'
import { copyMessage } from './copy-message.ts'
import { inTurns, pinnedValidity } from './many.ts'
import { moveMessage } from './move-message.ts'
import { issueOf } from './steps.ts'
import type { Perform, Workshop } from './workshop.ts'

export const relocateMany: Perform<'relocate_many'> = async (action, workshop) => {
  const { from, to, operation } = action
  const uidvalidity = await pinnedValidity(from, workshop)
  const place = { ...from, uidvalidity }
  const { missing, rising, free, ...judged } = await sift({ ...action, from: place }, workshop)
  const done =
    from.account === to.account
      ? await inside({ ...action, from: place }, free, workshop)
      : await carryAcross(operation, place, free, to, judged, workshop)
  const endings = new Map<number, RelocationEnding>([
    ...[...missing].map((uid) => [uid, { uid, relocation: absent(uid) }] as const),
    ...[...rising].map((uid) => [uid, { uid, denied: 'visibility_would_rise' }] as const),
    ...free.map((uid, index) => [uid, { uid, relocation: done[index] ?? absent(uid) }] as const),
  ])
  return { uidvalidity, endings: action.uids.flatMap((uid) => endings.get(uid) ?? []) }
}

interface Sifted {
  readonly missing: ReadonlySet<number>
  readonly rising: ReadonlySet<number>
  readonly free: readonly number[]
  levelOf(uid: number): Level
  readonly starred: ReadonlyMap<number, boolean>
  readonly sizes: ReadonlyMap<number, number>
}

async function sift({ from, to, uids }: RelocateManyAction, { accounts, sight, signal }: Workshop): Promise<Sifted> {
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
  const isHidden = (uid: number): boolean => sight.conceals && now.get(uid) === 'NONE'
  const rises = (uid: number): boolean => !atLeast(now.get(uid) ?? 'NONE', later.get(uid) ?? 'FULL')
  return {
    missing: new Set(uids.filter((uid) => !sizes.has(uid) || isHidden(uid))),
    rising: new Set(present.filter((uid) => !isHidden(uid) && rises(uid))),
    free: present.filter((uid) => !isHidden(uid) && !rises(uid)),
    levelOf: (uid) => now.get(uid) ?? 'NONE',
    starred,
    sizes,
  }
}

/** Who a sender is, the account vouches for that the message goes to: it will be read there by its word. */
function asJudgedBy({ id, authservId }: Account, source: Account): Account {
  if (id === source.id) return source
  const { authservId: _own, ...rest } = source
  return authservId === undefined ? rest : { ...rest, authservId }
}

async function inside(
  { operation, from, to }: RelocateManyAction,
  uids: readonly number[],
  workshop: Workshop,
): Promise<readonly Relocation[]> {
  const one = async (uid: number): Promise<Relocation> => {
    const message = { ...from, uid }
    try {
      if (operation === 'copy')
        return await copyMessage({ kind: 'copy_message', message, to, blind: true }, workshop, 'NONE')
      return await moveMessage({ kind: 'move_message', message, to, blind: true }, workshop, 'NONE')
    } catch (error) {
      return nothingDone(error)
    }
  }
  return inTurns(uids, one)
}

function absent(uid: number): Relocation {
  return nothingDone(messageMissing(uid))
}

function nothingDone(error: unknown): Relocation {
  const issues = [issueOf(error, 'fetch')]
  return { mechanism: undefined, changed: false, attempted: 0, succeeded: 0, created: undefined, issues }
}
