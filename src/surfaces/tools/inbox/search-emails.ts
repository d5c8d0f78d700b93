/** Emails that a query means, in all folders of an account. */
import { z } from 'zod'
import { parseAddresses } from '../../../core/mime/addresses.ts'
import type { FoundMessage } from '../../../core/results.ts'
import { line } from '../line.ts'
import { nameOf } from '../message-name.ts'
import { defineTool } from '../tool.ts'
import { respond } from './answer.ts'
import { limit, withAccount } from './fields.ts'
import { listing } from './found.ts'
import { lines, named } from './texts.ts'

const SNIPPET_CHARS = 100

const fields = withAccount({
  query: line(2000).describe(
    'Words of header, body or attachments, "phrases", from: to: subject: body: filename: has:attachment has:uncertain is:unread is:starred in: label: after:2024/01/31 before: newer_than:7d larger:5M -not OR ( )',
  ),
  limit: limit(20, 50),
})

export const searchEmails = defineTool({
  name: 'search_emails',
  title: 'Search emails',
  description: 'Search all folders of an account in the query language of Gmail, newest first.',
  effect: 'read',
  requires: { visibility: 'METADATA' },
  ...fields,
  output: z.looseObject({ found: z.int(), emails: z.array(z.looseObject({ id: z.string() })) }),
  action: ({ account, query, limit: most }) => ({
    kind: 'find_mail',
    account,
    mailbox: undefined,
    query,
    limit: most,
    snippetChars: SNIPPET_CHARS,
  }),
  render: (outcome, _action, { query }) =>
    respond(outcome, {
      about: 'folder',
      done: (found, redacted) =>
        listing(found, redacted, {
          heading: `Search results for "${query}": ${found.messages.length} emails`,
          entry: (email) =>
            lines(
              named('ID', nameOf(email)),
              named('From', senderOf(email)),
              named('Subject', email.subject),
              named('Date', email.date),
              named('Snippet', snippetOf(email)),
            ),
        }),
    }),
})

/** By name, where there is one. */
function senderOf({ from }: FoundMessage): string | undefined {
  if (from === undefined) return undefined
  const [first] = parseAddresses(from)
  return first?.name || first?.address || from
}

function snippetOf({ snippet }: FoundMessage): string | undefined {
  return snippet === undefined || snippet === '' ? undefined : `${snippet.replace(/\s+/gu, ' ')}...`
}
