/** What `mark_seen` and `mark_tagged` have in common: one message or several of a folder, and how each of them ended. */
import type { ActionOf, MarkManyAction } from '../../../core/action.ts'
import type { Outcome } from '../../../core/call/outcome.ts'
import { Failure } from '../../../core/failure.ts'
import type { MarkEnding } from '../../../core/many.ts'
import { ANY_UIDVALIDITY } from '../../../core/message-id.ts'
import type { FlagsChange } from '../../../core/results.ts'
import type { Answer } from '../tool.ts'
import { failed, orNull, respond } from './answer.ts'
import { messageFrom } from './fields.ts'

export type Marking = ActionOf<'mark_seen' | 'tag_message' | 'mark_many'>

interface Asked {
  readonly account: string
  readonly folder: string
  readonly uid?: number | undefined
  readonly uids?: readonly number[] | undefined
  readonly uidvalidity?: number | undefined
}

export function marking(asked: Asked, change: MarkManyAction['change']): Marking {
  const { account, folder: mailbox, uid, uids, uidvalidity = ANY_UIDVALIDITY } = asked
  if (uid !== undefined && uids === undefined) return { ...change, message: messageFrom({ ...asked, uid }) }
  if (uids === undefined || uid !== undefined) throw new Failure('invalid_input', 'write either uid or uids')
  return { kind: 'mark_many', from: { account, mailbox, uidvalidity }, uids: [...new Set(uids)], change }
}

export function markAnswer(
  outcome: Outcome<Marking['kind']>,
  asked: Asked,
  how: Readonly<Record<string, unknown>>,
): Answer {
  const { account, folder, uid } = asked
  return respond(outcome, { account, folder, ...(uid === undefined ? {} : { uid }), ...how }, ({ result }) =>
    'endings' in result ? { uidvalidity: result.uidvalidity, results: result.endings.map(endingOf) } : changeOf(result),
  )
}

function endingOf({ uid, denied, change }: MarkEnding): Record<string, unknown> {
  return change === undefined ? { uid, result: 'DENY', reason: denied } : { uid, ...changeOf(change) }
}

function changeOf({ flags, issues }: FlagsChange): Record<string, unknown> {
  // Reading the flags back may fail after they were changed: then the change itself is done.
  const failure = issues.find(({ stage }) => stage !== 'read_flags')
  if (failure !== undefined) return failed(failure.code as Parameters<typeof failed>[0], failure.stage, failure.message)
  return { result: 'OK', flags: orNull(flags) }
}
