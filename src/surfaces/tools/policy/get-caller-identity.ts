/** Who the server takes the caller for. */
import { z } from 'zod'
import { answerSchema, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'

export const getCallerIdentity = definePolicyTool('meta', {
  name: 'get_caller_identity',
  title: 'Who am I',
  description: 'The caller id this server knows you by.',
  effect: 'read',
  input: z.strictObject({}),
  output: answerSchema,
  action: () => ({ kind: 'identify_caller' }),
  render: (outcome) => respond(outcome, {}, ({ result }) => ({ caller_id: result.callerId })),
})
