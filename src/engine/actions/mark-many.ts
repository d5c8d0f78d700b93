/**
 * Marks several messages of a folder as read or unread, or changes their tags.
 *
 * INVARIANT: only messages that the gate has allowed one by one are touched; each has an ending of its own.
 */
import type { MarkEnding } from '../../core/many.ts'
import type { FlagsChange, Issue } from '../../core/results.ts'
import { inTurns } from './many.ts'
import { markSeen, tagMessage } from './mark-message.ts'
import { issueOf } from './steps.ts'
import type { Perform } from './workshop.ts'

export const markMany: Perform<'mark_many'> = async ({ from, change, verdicts }, workshop) => {
  if (verdicts === undefined) throw new Error('messages must be judged before they are marked')
  const marked = async (uid: number): Promise<FlagsChange> => {
    const message = { ...from, uid }
    try {
      return change.kind === 'mark_seen'
        ? await markSeen({ ...change, message }, workshop, 'NONE')
        : await tagMessage({ ...change, message }, workshop, 'NONE')
    } catch (error) {
      return unchanged(issueOf(error, 'fetch'))
    }
  }
  const endings = await inTurns(verdicts, async ({ uid, level, denied, issue }): Promise<MarkEnding> => {
    if (denied !== undefined) return { uid, level: 'NONE', denied }
    return { uid, level: level ?? 'NONE', change: issue === undefined ? await marked(uid) : unchanged(issue) }
  })
  return { uidvalidity: from.uidvalidity, endings }
}

function unchanged(issue: Issue): FlagsChange {
  return { flags: undefined, added: false, removed: false, issues: [issue] }
}
