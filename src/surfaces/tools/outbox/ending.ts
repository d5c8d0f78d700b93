/** How a letter that was to be sent ended, in words. `send_email` and `reply_email` differ only in what they call it. */
import type { SendEnding } from '../../../core/results.ts'
import type { TextAnswer } from '../tool.ts'
import { rejected, said, type ToolName, wrong } from './answer.ts'
import { minutes, oneLine, redacted } from './texts.ts'

export interface Wording {
  readonly tool: ToolName
  /** What was sent: `Email`, `Reply`. */
  readonly what: string
  /** What nobody has approved: `sending to j***@example.com`. */
  readonly unapproved: string
  /** The type of a file that would approve it. */
  readonly type: 'email_send' | 'email_reply'
  /** What is said where nothing may leave. */
  readonly heldBack: string
}

/** Whoever looks after the folder finds all of them in the log. */
const MOST_NOTES = 5

const DO_NOT_REPEAT = 'Do not send it again; a person has to look ("postern outbox").'

export function endingText(ending: SendEnding, wording: Wording): TextAnswer {
  const { tool } = wording
  switch (ending.kind) {
    case 'sent':
      return sent(ending, wording)
    case 'held_back':
      return said('dev_mode', wording.heldBack)
    case 'waiting':
      return waiting(ending, wording)
    case 'limited': {
      const { most, waitMs } = ending
      const text = `Rate limit exceeded (${most} emails/hour). Next send available in ${minutes(waitMs)}.`
      return rejected(text, 'rate_limited', { retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1000)) })
    }
    case 'rejected': {
      const why = ending.reason === undefined ? '' : ` Reason: ${oneLine(ending.reason)}`
      return rejected(`A person has decided that this email is not to be sent.${why}`, 'rejected_by_person')
    }
    case 'under_way':
      return wrong(tool, 'under_way', 'another call is sending this very email. Do not send it again.')
    case 'sending': {
      const text = `it takes longer than a call may, goes on, and may have been sent. ${DO_NOT_REPEAT} Its ID there is ${ending.id}.`
      return wrong(tool, 'outcome_unknown', text)
    }
    case 'needs_operator':
      return wrong(
        tool,
        'needs_operator',
        `nobody knows whether it was sent: the answer was lost. ${DO_NOT_REPEAT} Its ID there is ${ending.id}.`,
      )
  }
}

function sent(
  { messageId, threadId, refused, issues }: Extract<SendEnding, { kind: 'sent' }>,
  { what }: Wording,
): TextAnswer {
  const thread = threadId === undefined ? '' : ` Thread ID: ${oneLine(threadId)}`
  const remarks = [
    ...(refused.length > 0 ? [`Not sent to ${redacted(refused)}: the server did not take that address.`] : []),
    ...issues.map(({ message }) => `Note: ${oneLine(message)}`),
  ]
  const text = [`${what} sent successfully. Message ID: ${oneLine(messageId)}${thread}`, ...remarks].join('\n')
  return said('sent', text, {
    message_id: messageId,
    thread_id: threadId,
    refused: refused.length > 0 ? refused : undefined,
    issues: issues.length > 0 ? issues.map(({ code, message }) => ({ code, message })) : undefined,
  })
}

function waiting(
  { id, file, notes }: Extract<SendEnding, { kind: 'waiting' }>,
  { unapproved, type }: Wording,
): TextAnswer {
  const sentences = [
    `No matching approval file found in vault/Approved/ for ${unapproved}.`,
    `Create an approval file with type: ${type} and move it to vault/Approved/.`,
    ...notes.slice(0, MOST_NOTES).map((note) => `Note: ${oneLine(note)}.`),
    ...(notes.length > MOST_NOTES ? [`Note: ${notes.length - MOST_NOTES} other files count for nothing either.`] : []),
    `Waiting: ${oneLine(file)}.`,
  ]
  return rejected(sentences.join(' '), 'approval_required', { id, file })
}
