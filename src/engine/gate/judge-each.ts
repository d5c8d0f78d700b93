/**
 * Judges several messages of one folder, each as a call about it alone would be judged.
 *
 * INVARIANT: every message has its verdict before any is changed, all under one uidvalidity. One that is hidden where the
 * policy conceals is as one that is missing.
 */
import type { Action, MarkManyAction } from '../../core/action.ts'
import type { Decision } from '../../core/decision/decide.ts'
import { Failure } from '../../core/failure.ts'
import type { MarkVerdict } from '../../core/many.ts'
import type { MessageRef } from '../../core/message-id.ts'
import { inTurns, pinnedValidity } from '../actions/many.ts'
import { issueOf } from '../actions/steps.ts'
import type { Workshop } from '../actions/workshop.ts'

export async function judgeEach(
  action: MarkManyAction,
  judgeOne: (alone: Action & { readonly message: MessageRef }) => Promise<Decision>,
  workshop: Workshop,
): Promise<MarkManyAction> {
  const from = { ...action.from, uidvalidity: await pinnedValidity(action.from, workshop) }
  const verdicts = await inTurns(action.uids, async (uid): Promise<MarkVerdict> => {
    try {
      const decision = await judgeOne({ ...action.change, message: { ...from, uid } })
      if (decision.kind === 'allow') return { uid, level: decision.level }
      if (decision.reason === 'visibility_would_rise') return { uid, denied: decision.reason }
      throw new Error(`marking a message was denied with ${decision.reason}`)
    } catch (error) {
      if (!(error instanceof Failure) || workshop.signal.aborted) throw error
      return { uid, issue: issueOf(error, 'fetch') }
    }
  })
  return { ...action, from, verdicts }
}
