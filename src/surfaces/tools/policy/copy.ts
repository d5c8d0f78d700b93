/** Copies messages to another folder, also of another account. */
import { answerSchema } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { relocating, relocationAnswer, relocationInput } from './relocation.ts'

export const copy = definePolicyTool('write', {
  name: 'copy',
  title: 'Copy messages',
  description: 'Copy one message, or up to 500 of a folder, to another folder, also of another account.',
  effect: 'change',
  requires: { capabilities: ['accept_incoming'] },
  input: relocationInput,
  output: answerSchema,
  action: (asked) => relocating('copy', asked),
  render: (outcome, _action, asked) => relocationAnswer(outcome, asked),
})
