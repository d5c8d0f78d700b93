/** Moves a message to another folder. */
import { answerSchema, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { messageFrom } from './fields.ts'
import { relocationEcho, relocationInput, relocationOf } from './relocation.ts'

export const move = definePolicyTool('write', {
  name: 'move',
  title: 'Move a message',
  description: 'Move one message to another folder of its account.',
  effect: 'change',
  requires: { capabilities: ['move_out', 'accept_incoming'] },
  input: relocationInput,
  output: answerSchema,
  action: ({ source, target }) => ({
    kind: 'move_message',
    message: messageFrom(source),
    to: { account: target.account, mailbox: target.folder },
    blind: true,
  }),
  render: (outcome, _action, asked) => respond(outcome, relocationEcho(asked), ({ result }) => relocationOf(result)),
})
