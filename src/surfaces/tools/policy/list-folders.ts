/** The folders of an account that the policy names, with what the caller may count in them. */
import { z } from 'zod'
import { answerSchema, orNull, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { account } from './fields.ts'

export const listFolders = definePolicyTool('read', {
  name: 'list_folders',
  title: 'List folders',
  description: 'The folders of an account that you may use, with message counts.',
  effect: 'read',
  requires: { visibility: 'COUNT' },
  input: z.strictObject({ account }),
  output: answerSchema,
  action: (asked) => ({ kind: 'list_folders', account: asked.account }),
  render: (outcome, _action, asked) =>
    respond(outcome, { account: asked.account }, ({ result }) => ({
      folders: result.folders.map(({ path, count }) => ({ path, message_count: orNull(count) })),
      hidden_folders_count: orNull(result.hidden),
    })),
})
