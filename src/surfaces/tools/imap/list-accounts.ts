/** Which accounts are configured; never a secret. */
import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { envelopeSchema, respond } from './envelope.ts'
import { listMailboxes } from './next-action.ts'

const MOST_ACCOUNTS = 50

export const imapListAccounts = defineTool({
  name: 'imap_list_accounts',
  title: 'List mail accounts',
  description: 'List the configured mail accounts. Start here.',
  effect: 'read',
  input: z.strictObject({}),
  output: envelopeSchema,
  action: () => ({ kind: 'list_accounts' }),
  render: (outcome) =>
    respond(outcome, {
      done: ({ accounts }) => ({
        summary: `${accounts.length} account(s) configured`,
        data: {
          accounts: accounts
            .slice(0, MOST_ACCOUNTS)
            .map(({ id, host, port, secure }) => ({ account_id: id, host, port, secure })),
          next_action: listMailboxes(accounts[0]?.id ?? 'default'),
        },
      }),
      failed: (issue) => ({
        summary: `Accounts could not be listed: ${issue.message}`,
        data: { accounts: [], next_action: { instruction: 'Try again', tool: 'imap_list_accounts', arguments: {} } },
      }),
    }),
})
