/** The newest emails of a folder, or those that are starred. */
import { z } from 'zod'
import { line } from '../line.ts'
import { nameOf } from '../message-name.ts'
import { defineTool } from '../tool.ts'
import { respond } from './answer.ts'
import { limit, withAccount } from './fields.ts'
import { isStarred, isUnread, listing } from './found.ts'
import { lines, named } from './texts.ts'

/** No folder of its own: a flag, wherever the email is. */
const STARRED = 'starred'

const fields = withAccount({
  folder: line(1024)
    .default('inbox')
    .describe('inbox, sent, drafts, trash, spam, starred, archive or the path of a folder'),
  unread_only: z.boolean().default(false),
  limit: limit(20, 100),
  sender: line(256).optional().describe('Only from this address'),
})

export const listEmails = defineTool({
  name: 'list_emails',
  title: 'List emails',
  description: 'List emails of an account, newest first.',
  effect: 'read',
  requires: { visibility: 'METADATA' },
  ...fields,
  output: z.looseObject({ found: z.int(), emails: z.array(z.looseObject({ id: z.string() })) }),
  action: ({ account, folder, unread_only, limit: most, sender }) => {
    const isStar = folder.trim().toLowerCase() === STARRED
    const query = [
      ...(isStar ? ['is:starred'] : []),
      ...(unread_only ? ['is:unread'] : []),
      // Within quotes nothing but a quote has a meaning, and two of them are one.
      ...(sender === undefined ? [] : [`from:"${sender.replaceAll('"', '""')}"`]),
    ]
    return {
      kind: 'find_mail',
      account,
      mailbox: isStar ? undefined : folder,
      query: query.join(' '),
      limit: most,
      snippetChars: undefined,
    }
  },
  render: (outcome) =>
    respond(outcome, {
      about: 'folder',
      done: (found, redacted) =>
        listing(
          found,
          redacted.filter((field) => field !== 'snippet'),
          {
            heading: `Found ${found.messages.length} emails:`,
            entry: (email) =>
              lines(
                named('ID', nameOf(email)),
                named('From', email.from),
                named('Subject', email.subject),
                named('Date', email.date),
                named('Unread', isUnread(email)),
                named('Starred', isStarred(email)),
              ),
          },
        ),
    }),
})
