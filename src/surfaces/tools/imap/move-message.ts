/** Moves one message to another mailbox of its account. */
import { z } from 'zod'
import { formatMessageId } from '../../../core/message-id.ts'
import { defineTool } from '../tool.ts'
import { envelopeSchema, respond } from './envelope.ts'
import { mailbox, messageFields, messageFrom } from './fields.ts'
import { retry } from './next-action.ts'
import { notRelocated, relocated } from './relocation.ts'

export const imapMoveMessage = defineTool({
  name: 'imap_move_message',
  title: 'Move a message',
  description: 'Move one message to another mailbox of the same account.',
  effect: 'change',
  requires: { capabilities: ['move_out', 'accept_incoming'] },
  input: z.strictObject({ ...messageFields, destination_mailbox: mailbox }),
  output: envelopeSchema,
  action: (asked) => {
    const message = messageFrom(asked)
    const to = { account: message.account, mailbox: asked.destination_mailbox }
    return { kind: 'move_message', message, to, blind: false }
  },
  render: (outcome, { message, to }, asked) => {
    const wording = {
      verb: 'moved',
      account: message.account,
      again: retry('imap_move_message', asked),
      fields: {
        account_id: message.account,
        source_mailbox: message.mailbox,
        destination_mailbox: to.mailbox,
        message_id: formatMessageId(message),
      },
    }
    return respond(outcome, {
      done: (result) => relocated(result, wording),
      failed: (issue) => notRelocated(issue, wording),
    })
  },
})
