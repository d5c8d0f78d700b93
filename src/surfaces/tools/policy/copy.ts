/** Copies a message to another folder. */
import { answerSchema, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { messageFrom } from './fields.ts'
import { relocationEcho, relocationInput, relocationOf } from './relocation.ts'

export const copy = definePolicyTool('write', {
  name: 'copy',
  title: 'Copy a message',
  description: 'Copy one message to another folder of its account.',
  effect: 'change',
  requires: { capabilities: ['accept_incoming'] },
  input: relocationInput,
  output: answerSchema,
  action: ({ source, target }) => ({
    kind: 'copy_message',
    message: messageFrom(source),
    to: { account: target.account, mailbox: target.folder },
    blind: true,
  }),
  render: (outcome, _action, asked) => respond(outcome, relocationEcho(asked), ({ result }) => relocationOf(result)),
})
