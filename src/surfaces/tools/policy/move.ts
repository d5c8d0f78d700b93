/** Moves messages to another folder, also of another account. */
import { answerSchema } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { relocating, relocationAnswer, relocationInput } from './relocation.ts'

export const move = definePolicyTool('write', {
  name: 'move',
  title: 'Move messages',
  description: 'Move one message, or up to 500 of a folder, to another folder, also of another account.',
  effect: 'change',
  requires: { capabilities: ['move_out', 'accept_incoming'] },
  input: relocationInput,
  output: answerSchema,
  action: (asked) => relocating('move', asked),
  render: (outcome, _action, asked) => relocationAnswer(outcome, asked),
})
