/** Copies one message to a mailbox of the same or another account. */
import { z } from 'zod'
import { formatMessageId } from '../../../core/message-id.ts'
import { defineTool } from '../tool.ts'
import { envelopeSchema, respond } from './envelope.ts'
import { mailbox, messageFields, messageFrom } from './fields.ts'
import { retry } from './next-action.ts'
import { notRelocated, relocated } from './relocation.ts'

export const imapCopyMessage = defineTool({
  name: 'imap_copy_message',
  title: 'Copy a message',
  description: 'Copy one message to another mailbox, also of another account.',
  effect: 'change',
  requires: { capabilities: ['accept_incoming'] },
  input: z.strictObject({
    ...messageFields,
    destination_mailbox: mailbox,
    destination_account_id: messageFields.account_id.describe('Default: the same account'),
  }),
  output: envelopeSchema,
  action: (asked) => {
    const message = messageFrom(asked)
    const account = asked.destination_account_id ?? message.account
    return { kind: 'copy_message', message, to: { account, mailbox: asked.destination_mailbox }, blind: false }
  },
  render: (outcome, { message, to }, asked) => {
    const wording = {
      verb: 'copied',
      account: to.account,
      again: retry('imap_copy_message', asked),
      fields: {
        source_account_id: message.account,
        destination_account_id: to.account,
        source_mailbox: message.mailbox,
        destination_mailbox: to.mailbox,
        message_id: formatMessageId(message),
      },
    }
    return respond(outcome, {
      done: (result) => relocated(result, wording),
      // Nothing was tried yet, so it was the source that could not be read.
      failed: (issue) => notRelocated(issue, { ...wording, account: message.account }),
    })
  },
})
