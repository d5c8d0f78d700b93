/**
 * Copies or moves several messages of a folder, as far as the gate let them.
 *
 * INVARIANT: each message has an ending of its own. Only what the gate found free to go is touched.
 */
import { messageMissing } from '../../core/absent.ts'
import type { RelocateManyAction } from '../../core/action.ts'
import type { RelocationEnding } from '../../core/many.ts'
import type { Relocation } from '../../core/results.ts'
import { carryAcross } from './carry-across.ts'
import { copyMessage } from './copy-message.ts'
import { inTurns } from './many.ts'
import { moveMessage } from './move-message.ts'
import { issueOf } from './steps.ts'
import type { Perform, Workshop } from './workshop.ts'

export const relocateMany: Perform<'relocate_many'> = async (action, workshop) => {
  const { from, to, operation, judged } = action
  if (judged === undefined) throw new Error('several messages were to be moved without being judged')
  const { rising, free, levels, starred, sizes } = judged
  const judgement = { levelOf: (uid: number) => levels.get(uid) ?? 'NONE', starred, sizes }
  const done =
    from.account === to.account
      ? await inside(action, free, workshop)
      : await carryAcross(operation, from, free, to, judgement, workshop)
  const relocations = new Map(free.map((uid, index) => [uid, done[index]]))
  const endingOf = (uid: number): RelocationEnding =>
    rising.has(uid)
      ? { uid, denied: 'visibility_would_rise' }
      : { uid, relocation: relocations.get(uid) ?? absent(uid) }
  return { uidvalidity: from.uidvalidity, endings: action.uids.map(endingOf) }
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
