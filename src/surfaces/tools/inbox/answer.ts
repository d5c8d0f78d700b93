/**
 * How the `inbox` set answers: a text for people, the same as structured content, or a JSON-RPC error of its own code.
 *
 * INVARIANT: what a caller may not know of is refused in the same words as what does not exist. An error says what to do.
 */
import type { ActionKind, ResultOf } from '../../../core/action.ts'
import type { Outcome, Timing } from '../../../core/call/outcome.ts'
import type { Denial } from '../../../core/decision/decide.ts'
import type { Failure } from '../../../core/failure.ts'
import type { Answer, Block, Refusal } from '../tool.ts'

export interface Report {
  readonly text: string
  readonly value: Readonly<Record<string, unknown>>
  readonly blocks?: readonly Block[]
}

export interface Rendering<K extends ActionKind> {
  /** What is not there when nothing else is known to be missing. */
  readonly about: 'email' | 'folder'
  done(result: ResultOf<K>, redacted: readonly string[]): Report
}

const NOT_FOUND = -32001
const SIGN_IN = -32002
const SCHEMA = -32003
const TOO_LARGE = -32004
const RATE_LIMIT = -32029
const INVALID = -32602
const INTERNAL = -32603

const ABSENT = {
  email: 'there is no such email in the account; list_emails and search_emails give the IDs of those that there are',
  folder: 'there is no such folder in the account',
} as const

export function respond<K extends ActionKind>(outcome: Outcome<K>, { about, done }: Rendering<K>): Answer {
  if (outcome.kind === 'denied') return refuseDenied(outcome.denial, about, outcome.timing)
  if (outcome.kind === 'failed') return refused(outcome.failure, about, outcome.timing)
  return { kind: 'text', ...done(outcome.result, outcome.redacted) }
}

/** Bad input, before anything was looked for. */
export function refuse(failure: Failure, timing: Timing): Refusal {
  return refused(failure, 'folder', timing)
}

function refused(failure: Failure, about: Rendering<ActionKind>['about'], timing: Timing): Refusal {
  const { code, message, details } = failure
  switch (code) {
    case 'not_found':
      return notFound(failure, about, timing)
    case 'conflict':
      return error(NOT_FOUND, 'not_found', `${message}; list_emails and search_emails give new IDs`, timing)
    case 'auth_failed':
      return error(SIGN_IN, 'auth_failed', `Authentication required: ${message}. ${HOW_TO_SIGN_IN}`, timing)
    case 'too_large':
      return error(TOO_LARGE, 'too_large', message, timing)
    case 'invalid_input':
      return error(INVALID, 'invalid_input', message, timing)
    case 'unsupported':
      if (details?.['reason'] === 'schema') return error(SCHEMA, 'schema', message, timing)
      return error(INVALID, 'unsupported', message, timing)
    default:
      return error(INTERNAL, code, message, timing)
  }
}

const HOW_TO_SIGN_IN =
  'Please run "postern oauth --account ID" to sign in, or, where it has a password, set the right one and start Postern again'

/** Of a message or its folder it is not told which of the two is missing. */
function notFound({ stage, message }: Failure, about: 'email' | 'folder', timing: Timing): Refusal {
  if (stage === 'account') return error(SIGN_IN, 'account_required', message, timing)
  const ofMessage = stage === 'fetch' || stage === 'message' || (stage === 'select' && about === 'email')
  return error(NOT_FOUND, 'not_found', ofMessage ? ABSENT.email : message, timing)
}

function refuseDenied(denial: Denial, about: 'email' | 'folder', timing: Timing): Refusal {
  const { reason, missing, remedy, waitMs = 60_000 } = denial
  switch (reason) {
    case 'account_hidden':
      return error(SIGN_IN, 'account_required', 'there is no such account', timing)
    case 'folder_hidden':
      return error(NOT_FOUND, 'not_found', ABSENT[about], timing)
    case 'sender_not_whitelisted':
    case 'sender_blacklisted':
      return error(NOT_FOUND, 'not_found', ABSENT.email, timing)
    case 'rate_limited': {
      const seconds = Math.max(1, Math.ceil(waitMs / 1000))
      return error(RATE_LIMIT, 'rate_limited', `Rate limit exceeded. Try again in ${seconds} seconds.`, timing)
    }
    case 'needs_rebootstrap':
      return error(SIGN_IN, 'auth_failed', `Authentication required: ${remedy ?? HOW_TO_SIGN_IN}`, timing)
    default: {
      const details = { reason, ...(missing && { missing_capability: missing }) }
      const message = `this is not allowed (${reason})${remedy ? `: ${remedy}` : ''}`
      return error(INVALID, 'invalid_input', message, timing, details)
    }
  }
}

function error(
  rpc: number,
  code: string,
  message: string,
  { nowUtc, durationMs }: Timing,
  details?: Readonly<Record<string, unknown>>,
): Refusal {
  const meta = { now_utc: nowUtc, duration_ms: durationMs }
  return { kind: 'error', code: rpc, message, data: { code, ...(details && { details }), meta } }
}

/** Absent, not undefined: structured content is JSON. */
export function dropUndefined(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined))
}
