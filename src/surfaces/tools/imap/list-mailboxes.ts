/** The mailboxes of one account. */
import { z } from 'zod'
import type { Mailbox } from '../../../core/message.ts'
import type { Issue } from '../../../core/results.ts'
import { defineTool } from '../tool.ts'
import { envelopeSchema, respond } from './envelope.ts'
import { accountId } from './fields.ts'
import { afterFailure, listMailboxes } from './next-action.ts'

const MOST_MAILBOXES = 200
const REMEMBERED: Issue = {
  code: 'unavailable',
  stage: 'mirror',
  message: 'the mail server cannot be reached; these are the mailboxes that were known last',
  retryable: true,
}

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
        const issues = mailboxes.some(({ remembered }) => remembered) ? [REMEMBERED] : []
        const told = issues.map(({ message }) => `; ${message}`).join('')
        return {
          summary: `${countOf(shown.length, mailboxes.length)}${told}`,
          data: {
            status: issues.length === 0 ? 'ok' : 'partial',
            issues,
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

function countOf(shown: number, all: number): string {
  return shown === all ? `${shown} mailbox(es)` : `${shown} of ${all} mailboxes`
}

/** The one mailbox that everybody has must not be among those left out. */
function inboxFirst(mailboxes: readonly Mailbox[]): readonly Mailbox[] {
  return mailboxes.toSorted((a, b) => Number(b.name === 'INBOX') - Number(a.name === 'INBOX'))
}
