/** How a letter that was to be sent ended, in words. `send_email` and `reply_email` differ only in what they call it. */

import { sizeWords } from '../../../core/policy/size.ts'
import type { SendEnding } from '../../../core/send-ending.ts'
import { count } from '../../../core/text/count.ts'
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
    case 'already_sent':
      return alreadySent(ending)
    case 'waiting':
      return waiting(ending, wording)
    case 'similar':
      return similar(ending, wording)
    case 'pending_limit':
      return tooManyPending(ending)
    case 'limited': {
      const { most, waitMs } = ending
      const text = `Rate limit exceeded (${most} emails/hour). Next send available in ${minutes(waitMs)}.`
      return rejected(text, 'rate_limited', { retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1000)) })
    }
    case 'rejected': {
      const why = ending.reason === undefined ? '' : ` Reason: ${oneLine(ending.reason)}`
      return rejected(`A person has decided that this email is not to be sent.${why}`, 'rejected_by_person', {
        id: ending.id,
      })
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

function alreadySent({ id, at, messageId, threadId }: Extract<SendEnding, { kind: 'already_sent' }>): TextAnswer {
  const sentAt = time(at)
  const text = [
    `already sent (${id}, ${sentAt}).`,
    `Its Message ID is ${oneLine(messageId)}. Nothing was sent by this call:`,
    'the same content is not sent again within a day.',
  ]
  const names = { message_id: messageId, thread_id: threadId }
  return rejected(text.join(' '), 'already_sent', { id, sent_at: sentAt, ...names })
}

function waiting(
  { id, file, notes, byHand, earlier }: Extract<SendEnding, { kind: 'waiting' }>,
  { unapproved, type }: Wording,
): TextAnswer {
  const sentences = [
    notApproved(unapproved),
    ...(byHand ? [`Create an approval file with type: ${type} and move it to vault/Approved/.`] : []),
    `${byHand ? 'That is for a person to do, not for you' : 'A person must approve it, not you'}:`,
    'do not create, edit or move approval files, and do not run the approval command.',
    `Ask the user to approve it in the Postern console, with "postern approve ${id}", or by moving the file below to`,
    'vault/Approved/. Then call again with the same arguments.',
    ...(earlier === undefined ? [] : [OVER[earlier.state](earlier.id, time(earlier.at))]),
    ...notes.slice(0, MOST_NOTES).map((note) => `Note: ${oneLine(note)}.`),
    ...(notes.length > MOST_NOTES ? [`Note: ${notes.length - MOST_NOTES} other files count for nothing either.`] : []),
    `Waiting: ${oneLine(file)}.`,
  ]
  const before = earlier && { earlier_id: earlier.id, earlier_state: earlier.state }
  return rejected(sentences.join(' '), 'approval_required', { id, file, ...before })
}

const OVER = {
  expired: (id: string, at: string) => `An earlier request for it (${id}) expired on ${at}; this is a new one.`,
  failed: (id: string, at: string) => `An earlier request for it (${id}) failed on ${at}; this is a new one.`,
} as const

/** The first sentence that the specification of this set prescribes. */
function notApproved(unapproved: string): string {
  return `No matching approval file found in vault/Approved/ for ${unapproved}.`
}

const AS_IT_STANDS = {
  pending: (id: string) =>
    `To have that one sent, change nothing and wait until a person has approved ${id}; then call again with exactly its text.`,
  approved: (id: string) => `To send that one, call again with exactly the text of ${id}.`,
} as const

const AS_VERSION = {
  pending: (id: string) =>
    `A person made ${id} from an earlier request. Postern sends it once a person has approved it; no call is needed.`,
  approved: (id: string) => `A person made ${id} from an earlier request. Postern sends it; no call is needed.`,
} as const

function similar(
  { id, standing, file, isVersion = false }: Extract<SendEnding, { kind: 'similar' }>,
  { unapproved }: Wording,
): TextAnswer {
  const sentences = [
    notApproved(unapproved),
    `A message that differs from this one only in small edits is ${standing} and was not sent yet (${id}); this one was not queued.`,
    (isVersion ? AS_VERSION : AS_IT_STANDS)[standing](id),
    `To send this text instead, ask the user to reject ${id} in the Postern console or with "postern reject ${id}", then call`,
    'again. A separate message says something else: other words, another number, recipient, attachment or subject.',
    ...(file === undefined ? [] : [`Waiting: ${oneLine(file)}.`]),
  ]
  return rejected(sentences.join(' '), 'similar_message', { id, state: standing, file })
}

function tooManyPending({ held, limit }: Extract<SendEnding, { kind: 'pending_limit' }>): TextAnswer {
  const sentences = [
    `${count(held.messages, 'message')} of yours (${sizeWords(held.bytes)}) wait in the outbox, pending or approved;`,
    `at most ${limit.messages} with together ${sizeWords(limit.bytes)} may. This one was not queued, and calling again does not help.`,
    'Ask the user to approve or reject what is pending, in the Postern console or with "postern outbox";',
    'send what is approved by repeating its call.',
  ]
  return rejected(sentences.join(' '), 'pending_limit', {
    ...{ pending_messages: held.messages, pending_bytes: held.bytes },
    ...{ limit_messages: limit.messages, limit_bytes: limit.bytes },
  })
}

function time(at: number): string {
  return new Date(at).toISOString()
}
