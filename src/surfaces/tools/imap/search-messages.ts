/** Searches one mailbox and returns a page of summaries, newest first. */
import { z } from 'zod'
import type { SearchAction } from '../../../core/action.ts'
import type { AskedCriteria } from '../../../core/criteria.ts'
import { Failure } from '../../../core/failure.ts'
import { formatMessageId } from '../../../core/message-id.ts'
import type { ListedMessage, SearchPage } from '../../../core/results.ts'
import { line } from '../line.ts'
import { defineTool } from '../tool.ts'
import { dropUndefined, envelopeSchema, type NextAction, type Report, respond, statusOf } from './envelope.ts'
import { accountId, mailbox, names } from './fields.ts'
import { afterFailure } from './next-action.ts'

const DEFAULT_SNIPPET = 200

const input = z.strictObject({
  account_id: accountId,
  mailbox,
  cursor: z.string().min(1).max(1024).optional().describe('next_cursor of the page before'),
  query: line(256).optional().describe('Word or phrase in headers or body'),
  from: line(256).optional(),
  to: line(256).optional(),
  subject: line(256).optional(),
  unread_only: z.boolean().optional(),
  last_days: z.int().min(1).max(365).optional(),
  start_date: z.string().optional().describe('YYYY-MM-DD, inclusive'),
  end_date: z.string().optional().describe('YYYY-MM-DD, inclusive'),
  limit: z.int().min(1).max(50).default(10),
  include_snippet: z.boolean().default(false),
  snippet_max_chars: z.int().min(50).max(500).optional(),
})

export const imapSearchMessages = defineTool({
  name: 'imap_search_messages',
  title: 'Search messages',
  description:
    'Search one mailbox; all criteria given must match. Newest first, in pages: pass next_cursor as cursor for the next.',
  effect: 'read',
  requires: { visibility: 'METADATA' },
  input,
  output: envelopeSchema,
  action: (asked) => ({
    kind: 'search',
    account: asked.account_id,
    mailbox: asked.mailbox,
    criteria: criteriaFrom(asked),
    cursor: asked.cursor,
    limit: asked.limit,
    snippetChars: snippetChars(asked),
  }),
  render: (outcome, action) =>
    respond(outcome, {
      done: (page, redacted) => report(page, action, redacted),
      failed: (issue) => ({
        summary: `Search failed: ${issue.message}`,
        data: {
          status: 'failed',
          issues: [issue],
          next_action: afterFailure(issue, action.account, again(action, 'Try again in a moment', action.cursor)),
          account_id: action.account,
          mailbox: action.mailbox,
          total: 0,
          attempted: 0,
          returned: 0,
          failed: 0,
          messages: [],
          has_more: false,
        },
      }),
    }),
})

function criteriaFrom(asked: z.output<typeof input>): AskedCriteria {
  const { query, from, to, subject, unread_only, last_days, start_date, end_date } = asked
  if (last_days !== undefined && (start_date !== undefined || end_date !== undefined)) {
    throw new Failure('invalid_input', 'last_days cannot be combined with start_date or end_date')
  }
  checkDay('start_date', start_date)
  checkDay('end_date', end_date)
  if (start_date !== undefined && end_date !== undefined && start_date > end_date) {
    throw new Failure('invalid_input', 'start_date must not be after end_date')
  }
  return dropUndefined({
    text: query,
    from,
    to,
    subject,
    unread: unread_only || undefined,
    lastDays: last_days,
    since: start_date,
    until: end_date,
  })
}

/** A day of the calendar: the pattern alone would take 30 February. */
function checkDay(name: string, day: string | undefined): void {
  if (day === undefined) return
  const time = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(day)) return
  throw new Failure('invalid_input', `${name} must be a calendar date written YYYY-MM-DD`)
}

function snippetChars({ include_snippet, snippet_max_chars }: z.output<typeof input>): number | undefined {
  if (include_snippet) return snippet_max_chars ?? DEFAULT_SNIPPET
  if (snippet_max_chars === undefined) return undefined
  throw new Failure('invalid_input', 'snippet_max_chars needs include_snippet: true')
}

function report(page: SearchPage, action: SearchAction, redacted: readonly string[]): Report {
  const ids = page.issues.map(({ uid, ...issue }) =>
    uid === undefined ? issue : { ...issue, uid, message_id: formatMessageId({ ...place(page, action), uid }) },
  )
  return {
    summary: summaryOf(page),
    data: {
      status: statusOf(page.issues, page.messages.length > 0 || page.attempted === 0),
      issues: ids,
      next_action: nextAction(page, action),
      account_id: action.account,
      mailbox: action.mailbox,
      total: page.total,
      filtered_out: page.filteredOut || undefined,
      redacted_fields: redacted.length > 0 ? redacted : undefined,
      attempted: page.attempted,
      returned: page.messages.length,
      failed: page.attempted - page.messages.length,
      messages: page.messages.map((message) => shown(message, page, action)),
      next_cursor: page.nextCursor,
      has_more: page.nextCursor !== undefined,
    },
  }
}

function summaryOf({ messages, attempted, total, issues }: SearchPage): string {
  const old = issues.find(({ stage }) => stage === 'mirror')
  const rest = old === undefined ? '' : `; ${old.message}`
  if (total === 0 && attempted === 0) return `No messages match${rest}`
  const missing = attempted - messages.length
  const gone = missing > 0 ? `; ${missing} no longer there` : ''
  return `${messages.length} message(s) returned of ${total} that match${gone}${rest}`
}

function shown(message: ListedMessage, page: SearchPage, action: SearchAction): Record<string, unknown> {
  const { date, from, subject, flags, snippet, uid } = message
  return dropUndefined({ ...names({ ...place(page, action), uid }), date, from, subject, flags, snippet })
}

function nextAction(page: SearchPage, action: SearchAction): NextAction {
  if (page.nextCursor !== undefined) {
    return again(action, 'Get the next page', page.nextCursor, page.resendCriteria)
  }
  const [first] = page.messages
  if (first === undefined) {
    return again({ ...action, criteria: {} }, 'Widen the search, or list the newest messages of the mailbox', undefined)
  }
  return {
    instruction: 'Read a message',
    tool: 'imap_get_message',
    arguments: { account_id: action.account, message_id: formatMessageId({ ...place(page, action), uid: first.uid }) },
  }
}

/** The same search once more, as arguments of this tool. */
function again(
  action: SearchAction,
  instruction: string,
  cursor: string | undefined,
  resend = cursor === undefined,
): NextAction {
  const { text, from, to, subject, unread, lastDays, since, until } = resend ? action.criteria : {}
  return {
    instruction,
    tool: 'imap_search_messages',
    arguments: dropUndefined({
      account_id: action.account,
      mailbox: action.mailbox,
      cursor,
      query: text,
      from,
      to,
      subject,
      unread_only: unread,
      last_days: lastDays,
      start_date: since,
      end_date: until,
      limit: action.limit,
      ...(action.snippetChars !== undefined && { include_snippet: true, snippet_max_chars: action.snippetChars }),
    }),
  }
}

function place({ uidvalidity }: SearchPage, { account, mailbox: name }: SearchAction) {
  return { account, mailbox: name, uidvalidity }
}
