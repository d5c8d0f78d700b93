/** Answers an email, once a person has approved the answer. The email says to whom it goes and what it is about. */
import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { respond } from './answer.ts'
import { endingText } from './ending.ts'
import { account, body, id, messageFrom } from './fields.ts'
import { oneLine } from './texts.ts'

export const replyEmail = defineTool({
  name: 'reply_email',
  title: 'Reply to an email',
  description:
    'Reply to an email in its thread. A person has to approve it first; call again with the same arguments once that is done.',
  effect: 'send',
  requires: { sends: true },
  input: z.strictObject({
    thread_id: id('Gmail thread ID to reply to'),
    message_id: id('Gmail message ID to reply to (for correct threading headers)'),
    body: body('Plain text reply body'),
    account,
  }),
  output: z.looseObject({ status: z.string() }),
  action: ({ thread_id: thread, message_id, body: text, account: chosen }) => {
    const message = messageFrom(message_id)
    return {
      kind: 'send_mail',
      account: chosen ?? message.account,
      letter: { to: [], cc: [], subject: '', body: text },
      answers: { thread, message },
    }
  },
  render: (outcome, _action, { thread_id, body: text }) => {
    const thread = oneLine(thread_id)
    return respond(outcome, {
      tool: 'reply_email',
      thread,
      done: (ending) =>
        endingText(ending, {
          tool: 'reply_email',
          what: 'Reply',
          unapproved: `replying to thread ${thread}`,
          type: 'email_reply',
          heldBack: `[DEV_MODE] Reply logged but not executed. Thread: ${thread}, Body length: ${[...text].length} chars`,
        }),
    })
  },
})
