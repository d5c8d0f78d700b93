/** How copies, moves and deletions are reported: what was tried, what worked, where the message is now. */
import { formatMessageId } from '../../../core/message-id.ts'
import type { Issue, Relocation } from '../../../core/results.ts'
import { type NextAction, type Report, statusOf } from './envelope.ts'
import { afterFailure } from './next-action.ts'

export interface Wording {
  /** `copied`, `moved`, `deleted`. */
  readonly verb: string
  /** The same call once more. */
  readonly again: NextAction
  /** The account whose server did the work. */
  readonly account: string
  /** The fields that this tool's answer always has. */
  readonly fields: Readonly<Record<string, unknown>>
}

export function relocated({ attempted, succeeded, changed, created, issues }: Relocation, wording: Wording): Report {
  const { verb, account, again, fields } = wording
  const [first] = issues
  const status = statusOf(issues, changed)
  return {
    summary: status === 'ok' ? `1 of 1 messages ${verb}` : `${shortfall(status, verb, first)}: ${first?.message}`,
    data: {
      status,
      issues,
      next_action: first && afterFailure(first, account, again),
      ...fields,
      new_message_id: created && formatMessageId(created),
      steps_attempted: attempted,
      steps_succeeded: succeeded,
    },
  }
}

export function notRelocated(issue: Issue, { verb, account, again, fields }: Wording): Report {
  return {
    summary: `${shortfall('failed', verb, issue)}: ${issue.message}`,
    data: {
      status: 'failed',
      issues: [issue],
      next_action: afterFailure(issue, account, again),
      ...fields,
      steps_attempted: 0,
      steps_succeeded: 0,
    },
  }
}

function shortfall(status: 'partial' | 'failed', verb: string, issue: Issue | undefined): string {
  if (issue?.code === 'outcome_unknown') return `It is not known whether the message was ${verb}`
  return status === 'partial' ? `The message was ${verb} only in part` : `0 of 1 messages ${verb}`
}
