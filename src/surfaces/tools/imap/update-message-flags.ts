/** Adds and removes flags on one message. */
import { z } from 'zod'
import { systemFlagNamed } from '../../../core/decision/flags.ts'
import { Failure } from '../../../core/failure.ts'
import { formatMessageId } from '../../../core/message-id.ts'
import type { Issue } from '../../../core/results.ts'
import { defineTool } from '../tool.ts'
import { envelopeSchema, respond, statusOf } from './envelope.ts'
import { messageFields, messageFrom } from './fields.ts'
import { afterFailure, retry } from './next-action.ts'

/** RFC 3501 atom characters. */
const KEYWORD = /^[!#$&'+,./0-9:;<=>?@A-Z[^_`a-z|}~-]{1,100}$/

const flags = z.array(z.string()).min(1).max(20).optional()

export const imapUpdateMessageFlags = defineTool({
  name: 'imap_update_message_flags',
  title: 'Change message flags',
  description:
    'Add or remove flags (\\Seen, \\Answered, \\Flagged, \\Draft, \\Deleted; the backslash may be left out) and keywords on one message.',
  effect: 'change',
  input: z.strictObject({ ...messageFields, add_flags: flags, remove_flags: flags }),
  output: envelopeSchema,
  action: (asked) => {
    const add = asked.add_flags?.map(flagNamed) ?? []
    const remove = asked.remove_flags?.map(flagNamed) ?? []
    if (add.length + remove.length === 0) {
      throw new Failure('invalid_input', 'at least one of add_flags and remove_flags is required')
    }
    return { kind: 'update_flags', message: messageFrom(asked), add, remove }
  },
  render: (outcome, { message, add, remove }, asked) => {
    const next = (issue: Issue | undefined) =>
      issue && afterFailure(issue, message.account, retry('imap_update_message_flags', asked))
    const fields = {
      account_id: message.account,
      message_id: formatMessageId(message),
      requested_add_flags: add,
      requested_remove_flags: remove,
    }
    return respond(outcome, {
      done: ({ flags: now, added, removed, issues }) => ({
        summary: summaryOf(issues[0], added || removed),
        data: {
          status: statusOf(issues, added || removed),
          issues,
          next_action: next(issues[0]),
          ...fields,
          flags: now ?? null,
          applied_add_flags: added,
          applied_remove_flags: removed,
        },
      }),
      failed: (issue) => ({
        summary: summaryOf(issue, false),
        data: {
          status: 'failed',
          issues: [issue],
          next_action: next(issue),
          ...fields,
          flags: null,
          applied_add_flags: false,
          applied_remove_flags: false,
        },
      }),
    })
  },
})

function flagNamed(name: string): string {
  const flag = systemFlagNamed(name) ?? (KEYWORD.test(name) ? name : undefined)
  // `\Recent` is the server's own: RFC 3501 §2.3.2.
  if (flag !== undefined && flag !== '\\Recent') return flag
  throw new Failure(
    'invalid_input',
    'flags must be \\Seen, \\Answered, \\Flagged, \\Draft, \\Deleted or keywords of plain characters without spaces',
  )
}

function summaryOf(issue: Issue | undefined, something: boolean): string {
  if (issue === undefined) return 'Flags changed'
  if (issue.code === 'outcome_unknown') return `It is not known whether the flags were changed: ${issue.message}`
  return `${something ? 'Flags changed in part' : 'Flags not changed'}: ${issue.message}`
}
