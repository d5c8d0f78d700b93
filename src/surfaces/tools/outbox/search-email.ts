/** Emails that a query means, in all folders of an account. */
import { z } from 'zod'
import { formatMessageId } from '../../../core/message-id.ts'
import type { FoundMail, FoundMessage } from '../../../core/results.ts'
import { coverageData, coverageLine, lines } from '../inbox/texts.ts'
import { line } from '../line.ts'
import { defineTool, type TextAnswer } from '../tool.ts'
import { dropUndefined, respond, said } from './answer.ts'
import { account } from './fields.ts'
import { oneLine } from './texts.ts'

const SNIPPET_CHARS = 100
const MOST_FOUND = 50
const USUALLY_FOUND = 5

export const searchEmail = defineTool({
  name: 'search_email',
  title: 'Search email',
  description: 'Search the email of an account in the query language of Gmail, newest first.',
  effect: 'read',
  requires: { visibility: 'METADATA' },
  input: z.strictObject({
    query: line(2000).describe("Gmail search query (e.g., 'from:user@example.com subject:invoice after:2026/01/01')"),
    max_results: z.int().min(1).max(MOST_FOUND).default(USUALLY_FOUND).describe('Maximum number of results to return'),
    account,
  }),
  output: z.looseObject({ status: z.string(), emails: z.array(z.looseObject({ message_id: z.string() })).optional() }),
  action: ({ query, max_results: limit, account: chosen = '' }) => ({
    kind: 'find_mail',
    account: chosen,
    mailbox: undefined,
    query,
    limit,
    snippetChars: SNIPPET_CHARS,
  }),
  render: (outcome, _action, { query }) =>
    respond(outcome, { tool: 'search_email', done: (found, redacted) => listing(found, redacted, query) }),
})

function listing(
  { messages, total, more, coverage }: FoundMail,
  redacted: readonly string[],
  query: string,
): TextAnswer {
  const shown = oneLine(query)
  const count = messages.length === 1 ? '1 email' : `${messages.length} emails`
  const heading = messages.length === 0 ? `No emails found matching: ${shown}` : `Found ${count} matching "${shown}":`
  const entries = messages.flatMap((email, at) => ['', entry(email, at + 1, redacted)])
  const remarks = [
    more ? `Showing the newest ${messages.length} of ${total}` : undefined,
    redacted.length > 0 ? `Not shown to you, of some at least: ${redacted.join(', ')}` : undefined,
    coverageLine(coverage),
  ].filter((remark) => remark !== undefined)
  const text = lines(heading, ...entries, ...(remarks.length > 0 ? ['', ...remarks] : []))
  return said('found', text, {
    found: messages.length,
    total,
    more,
    emails: messages.map(data),
    redacted_fields: redacted.length > 0 ? redacted : undefined,
    coverage: coverageData(coverage),
  })
}

function entry(email: FoundMessage, number: number, redacted: readonly string[]): string {
  const { from, subject, date, snippet, threadId } = email
  const missing = (field: string, none: string): string => (redacted.includes(field) ? '(not shown)' : none)
  const sender = from === undefined ? missing('from', '(unknown)') : oneLine(from)
  const about = subject === undefined ? missing('subject', '(no subject)') : oneLine(subject)
  const day = date === undefined ? missing('date', '(no date)') : date.slice(0, 10)
  return lines(
    `${number}. From: ${sender} | Subject: ${about} | Date: ${day}`,
    snippet === undefined || snippet === '' ? undefined : `   Snippet: ${oneLine(snippet)}...`,
    `   Message ID: ${idOf(email)}${threadId === undefined ? '' : ` | Thread ID: ${oneLine(threadId)}`}`,
  )
}

/** Never cut: it has to be found again. */
function idOf({ nativeId, ref }: FoundMessage): string {
  return nativeId ?? formatMessageId(ref)
}

function data(email: FoundMessage): Record<string, unknown> {
  const { from, subject, date, snippet, threadId } = email
  return dropUndefined({ message_id: idOf(email), thread_id: threadId, from, subject, date, snippet })
}
