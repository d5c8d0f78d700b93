/**
 * How the `outbox` set answers: always in words, the same for programs beside them; an answer that begins with `Error` or
 * `Rejected` is marked as an error.
 *
 * INVARIANT: what a caller may not know of is refused in the same words as what does not exist. An error says what to do.
 */
import type { ActionKind, ResultOf } from '../../../core/action.ts'
import type { Outcome, Timing } from '../../../core/call/outcome.ts'
import type { Denial } from '../../../core/decision/decide.ts'
import type { Failure } from '../../../core/failure.ts'
import type { TextAnswer } from '../tool.ts'
import { oneLine } from './texts.ts'

/** What each tool was about when it went wrong. */
const DOING = {
  search_email: 'searching emails',
  draft_email: 'creating draft',
  send_email: 'sending email',
  reply_email: 'replying to thread',
} as const

export type ToolName = keyof typeof DOING
type Value = Readonly<Record<string, unknown>>

export interface Rendering<K extends ActionKind> {
  readonly tool: ToolName
  /** The thread that is answered, as the caller wrote it. */
  readonly thread?: string
  done(result: ResultOf<K>, redacted: readonly string[]): TextAnswer
}

export function respond<K extends ActionKind>(outcome: Outcome<K>, rendering: Rendering<K>): TextAnswer {
  if (outcome.kind === 'denied') return denied(outcome.denial, rendering)
  if (outcome.kind === 'failed') return failed(outcome.failure, rendering)
  return rendering.done(outcome.result, outcome.redacted)
}

/** Bad input, before anything was looked for. */
export function refuse(failure: Failure, _timing: Timing, tool?: string): TextAnswer {
  return failed(failure, { tool: isOurs(tool) ? tool : 'search_email' })
}

export function said(status: string, text: string, value: Value = {}): TextAnswer {
  return { kind: 'text', text, value: dropUndefined({ status, ...value }) }
}

export function rejected(sentence: string, code: string, value: Value = {}): TextAnswer {
  return { ...said('rejected', `Rejected: ${sentence}`, { code, ...value }), isError: true }
}

/** `Error sending email: …` */
export function wrong(tool: ToolName, code: string, sentence: string): TextAnswer {
  return error(`Error ${DOING[tool]}: ${sentence}`, code)
}

type About = Pick<Rendering<ActionKind>, 'tool' | 'thread'>

const ABSENT_EMAIL = 'there is no such email in the account; search_email gives the IDs of those that there are'
const ABSENT_FOLDER = 'there is no such folder in the account'
const HOW_TO_SIGN_IN =
  'Please run "postern oauth --account ID" to sign in, or, where it has a password, set the right one and start Postern again'

function failed(failure: Failure, about: About): TextAnswer {
  const { code, message, details } = failure
  switch (code) {
    case 'invalid_input': {
      const address = details?.['address']
      if (typeof address !== 'string') return wrong(about.tool, code, message)
      return error(`Error: Invalid email address format: ${oneLine(address) || '(empty)'}`, code)
    }
    case 'not_found':
      return notFound(failure, about)
    case 'conflict':
      return about.thread === undefined ? wrong(about.tool, code, message) : threadGone(about.thread)
    case 'auth_failed':
      return wrong(about.tool, code, `Authentication required: ${message}. ${HOW_TO_SIGN_IN}`)
    default:
      return wrong(about.tool, code, message)
  }
}

/** Of a message or its folder it is not told which of the two is missing. */
function notFound({ stage, message }: Failure, { tool, thread }: About): TextAnswer {
  const ofMessage = stage === 'fetch' || stage === 'message' || stage === 'thread'
  if (thread !== undefined && (ofMessage || stage === 'select')) return threadGone(thread)
  return wrong(tool, 'not_found', ofMessage ? ABSENT_EMAIL : message)
}

function threadGone(thread: string): TextAnswer {
  return error(`Error: Thread ID ${oneLine(thread)} not found or no longer accessible.`, 'not_found')
}

function denied({ reason, remedy, missing, waitMs = 60_000 }: Denial, { tool, thread }: About): TextAnswer {
  switch (reason) {
    case 'account_hidden':
      return wrong(tool, 'not_found', 'there is no such account')
    case 'folder_hidden':
      return thread === undefined ? wrong(tool, 'not_found', ABSENT_FOLDER) : threadGone(thread)
    case 'sender_not_whitelisted':
    case 'sender_blacklisted':
      return thread === undefined ? wrong(tool, 'not_found', ABSENT_EMAIL) : threadGone(thread)
    case 'needs_rebootstrap':
      return wrong(tool, 'auth_failed', `Authentication required: ${remedy ?? HOW_TO_SIGN_IN}`)
    case 'rate_limited': {
      const seconds = Math.max(1, Math.ceil(waitMs / 1000))
      return rejected(`Rate limit exceeded. Try again in ${seconds} seconds.`, reason)
    }
    default: {
      const what = WORDS[reason] ?? 'this is not allowed'
      const more = missing === undefined ? {} : { missing_capability: missing }
      return rejected(`${what} (${reason})${remedy === undefined ? '.' : `: ${remedy}`}`, reason, more)
    }
  }
}

const WORDS: { readonly [R in Denial['reason']]?: string } = {
  sending_forbidden: 'you may not send email',
  account_cannot_send: 'this account has no way to send email',
}

function error(text: string, code: string): TextAnswer {
  return { ...said('error', text, { code }), isError: true }
}

function isOurs(tool: string | undefined): tool is ToolName {
  return tool !== undefined && Object.hasOwn(DOING, tool)
}

/** Absent, not undefined: structured content is JSON. */
export function dropUndefined(data: Value): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined))
}
