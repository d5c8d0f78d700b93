/** The mailboxes of one account. */
import { z } from 'zod'
import type { Mailbox } from '../../../core/message.ts'
import type { Issue } from '../../../core/results.ts'
import { defineTool } from '../tool.ts'
import { envelopeSchema, type NextAction, respond } from './envelope.ts'
import { accountId } from './fields.ts'
import { afterFailure, listMailboxes } from './next-action.ts'

const MOST_MAILBOXES = 200
/** It holds the name of a mailbox. */
const MOST_CURSOR = 8192
const REMEMBERED: Issue = {
  code: 'unavailable',
  stage: 'mirror',
  message: 'the mail server cannot be reached; these are the mailboxes that were known last',
  retryable: true,
}

export const imapListMailboxes = defineTool({
  name: 'imap_list_mailboxes',
  title: 'List mailboxes',
  description: 'List the mailboxes (folders) of an account, 200 a page: pass next_cursor as cursor for the next.',
  effect: 'read',
  input: z.strictObject({ account_id: accountId, cursor: z.string().min(1).max(MOST_CURSOR).optional() }),
  output: envelopeSchema,
  action: ({ account_id, cursor }) => ({ kind: 'list_mailboxes', account: account_id, cursor, limit: MOST_MAILBOXES }),
  render: (outcome, { account }) =>
    respond(outcome, {
      done: ({ mailboxes, total, nextCursor }) => {
        const issues = mailboxes.some(({ remembered }) => remembered) ? [REMEMBERED] : []
        const told = issues.map(({ message }) => `; ${message}`).join('')
        return {
          summary: `${countOf(mailboxes.length, total)}${told}`,
          data: {
            status: issues.length === 0 ? 'ok' : 'partial',
            issues,
            next_action: nextCursor === undefined ? searchIn(account, mailboxes[0]) : nextPage(account, nextCursor),
            account_id: account,
            mailboxes: mailboxes.map(({ name, delimiter }) =>
              delimiter === undefined ? { name } : { name, delimiter },
            ),
            total,
            next_cursor: nextCursor,
            has_more: nextCursor !== undefined,
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

function searchIn(account: string, first: Mailbox | undefined): NextAction {
  const where = { account_id: account, mailbox: first?.name ?? 'INBOX' }
  return { instruction: 'Search a mailbox', tool: 'imap_search_messages', arguments: where }
}

function nextPage(account: string, cursor: string): NextAction {
  const where = { account_id: account, cursor }
  return { instruction: 'Get the next page', tool: 'imap_list_mailboxes', arguments: where }
}
