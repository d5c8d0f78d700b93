/** The mailboxes of one account. */
import { z } from 'zod'
import type { Mailbox } from '../../../core/message.ts'
import { defineTool } from '../tool.ts'
import { envelopeSchema, respond } from './envelope.ts'
import { accountId } from './fields.ts'
import { afterFailure, listMailboxes } from './next-action.ts'

const MOST_MAILBOXES = 200

export const imapListMailboxes = defineTool({
  name: 'imap_list_mailboxes',
  title: 'List mailboxes',
  description: 'List the mailboxes (folders) of an account.',
  effect: 'read',
  input: z.strictObject({ account_id: accountId }),
  output: envelopeSchema,
  action: ({ account_id }) => ({ kind: 'list_mailboxes', account: account_id }),
  render: (outcome, { account }) =>
    respond(outcome, {
      done: ({ mailboxes }) => {
        const shown = inboxFirst(mailboxes).slice(0, MOST_MAILBOXES)
        const [first] = shown
        return {
          summary:
            shown.length === mailboxes.length
              ? `${shown.length} mailbox(es)`
              : `${shown.length} of ${mailboxes.length} mailboxes`,
          data: {
            status: 'ok',
            issues: [],
            next_action: {
              instruction: 'Search a mailbox',
              tool: 'imap_search_messages',
              arguments: { account_id: account, mailbox: first?.name ?? 'INBOX' },
            },
            account_id: account,
            mailboxes: shown.map(({ name, delimiter }) => (delimiter === undefined ? { name } : { name, delimiter })),
          },
        }
      },
      failed: (issue) => ({
        summary: `Mailboxes of ${account} could not be listed: ${issue.message}`,
        data: {
          status: 'failed',
          issues: [issue],
          next_action: afterFailure(issue, account, listMailboxes(account, 'Try again in a moment')),
          account_id: account,
          mailboxes: [],
        },
      }),
    }),
})

/** The one mailbox that everybody has must not be among those left out. */
function inboxFirst(mailboxes: readonly Mailbox[]): readonly Mailbox[] {
  return mailboxes.toSorted((a, b) => Number(b.name === 'INBOX') - Number(a.name === 'INBOX'))
}
