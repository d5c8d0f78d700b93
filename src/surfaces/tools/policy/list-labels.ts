/** The labels of a Google account. */
import { z } from 'zod'
import { answerSchema, orNull, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { account } from './fields.ts'

export const listLabels = definePolicyTool('read', {
  name: 'list_labels',
  title: 'List labels',
  description: 'The labels of a Google account that you may use.',
  effect: 'read',
  requires: { visibility: 'COUNT' },
  input: z.strictObject({ account }),
  output: answerSchema,
  action: (asked) => ({ kind: 'list_labels', account: asked.account }),
  render: (outcome, _action, asked) =>
    respond(outcome, { account: asked.account }, ({ result }) => ({
      labels: result.labels.map(({ name, flags, separator }) => ({ name, flags, separator })),
      hidden_labels_count: orNull(result.hidden),
    })),
})
