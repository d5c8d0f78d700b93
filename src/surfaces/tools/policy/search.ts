/** Finds messages in a folder; names them by uid. */
import { z } from 'zod'
import { answerSchema, respond } from './answer.ts'
import { browsing, browsingFields, countsOf, coverageOf, identitiesOf } from './browsing.ts'
import { definePolicyTool } from './define.ts'

export const search = definePolicyTool('read', {
  name: 'search',
  title: 'Search a folder',
  description: 'Uids of the matching messages you may see, newest first, and how many more match but are hidden.',
  effect: 'read',
  requires: { visibility: 'METADATA' },
  input: z.strictObject(browsingFields(50, 500)),
  output: answerSchema,
  action: (asked) => browsing(asked, 'uids'),
  render: (outcome, action, asked) =>
    respond(outcome, { account: asked.account, folder: asked.folder }, ({ result }) => ({
      uids: result.messages.map(({ uid }) => uid),
      ...countsOf(result, action),
      ...coverageOf(result),
      ...identitiesOf(result),
    })),
})
