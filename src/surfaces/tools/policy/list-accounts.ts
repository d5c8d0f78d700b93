/** The accounts that the caller may know of, and how many it may not. */
import { z } from 'zod'
import { answerSchema, orNull, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'

export const listAccounts = definePolicyTool('read', {
  name: 'list_accounts',
  title: 'List accounts',
  description: 'The mail accounts you may use.',
  effect: 'read',
  input: z.strictObject({}),
  output: answerSchema,
  action: () => ({ kind: 'list_accounts' }),
  render: (outcome) =>
    respond(outcome, {}, ({ result }) => ({
      accounts: result.accounts.map(({ id, state }) => ({ id, state })),
      hidden_accounts_count: orNull(result.hidden),
    })),
})
