/** Deletes one message for good. */
import { z } from 'zod'
import { formatMessageId } from '../../../core/message-id.ts'
import { defineTool } from '../tool.ts'
import { envelopeSchema, respond } from './envelope.ts'
import { messageFields, messageFrom } from './fields.ts'
import { retry } from './next-action.ts'
import { notRelocated, relocated } from './relocation.ts'

export const imapDeleteMessage = defineTool({
  name: 'imap_delete_message',
  title: 'Delete a message',
  description: 'Delete one message for good. Needs confirm: true.',
  effect: 'destroy',
  requires: { capabilities: ['delete'] },
  input: z.strictObject({ ...messageFields, confirm: z.literal(true) }),
  output: envelopeSchema,
  action: (asked) => ({ kind: 'delete_message', message: messageFrom(asked) }),
  render: (outcome, { message }, asked) => {
    const wording = {
      verb: 'deleted',
      account: message.account,
      again: retry('imap_delete_message', asked),
      fields: { account_id: message.account, mailbox: message.mailbox, message_id: formatMessageId(message) },
    }
    return respond(outcome, {
      done: (result) => relocated(result, wording),
      failed: (issue) => notRelocated(issue, wording),
    })
  },
})
