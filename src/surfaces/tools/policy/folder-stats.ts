/** How much of a folder the caller sees, by level. */
import { z } from 'zod'
import { answerSchema, orNull, respond } from './answer.ts'
import { coverageOf } from './browsing.ts'
import { definePolicyTool } from './define.ts'
import { account, folder } from './fields.ts'

export const folderStats = definePolicyTool('read', {
  name: 'folder_stats',
  title: 'Folder statistics',
  description: 'How many messages of a folder you may see, at which levels, and how many are hidden from you.',
  effect: 'read',
  requires: { visibility: 'COUNT' },
  input: z.strictObject({ account, folder }),
  output: answerSchema,
  action: (asked) => ({ kind: 'folder_stats', account: asked.account, mailbox: asked.folder }),
  render: (outcome, _action, asked) =>
    respond(outcome, { account: asked.account, folder: asked.folder }, ({ result }) => ({
      visible_count: result.visible,
      hidden_count: orNull(result.hidden),
      visibility_level: result.defaultLevel,
      counts_by_level: result.byLevel,
      ...coverageOf(result),
    })),
})
