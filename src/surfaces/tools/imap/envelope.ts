/**
 * How the `imap` set answers: `{ summary, data, meta }`, or a JSON-RPC error for what the caller got wrong.
 *
 * INVARIANT: bad input, unknown things, stale ids and closed gates are errors; what the mail server says or fails to
 * say is an answer with `status`, `issues` and, where there is one, a `next_action`. With `status: failed` it is marked as an
 * error, too.
 */
import { z } from 'zod'
import { ABSENT_MAILBOX, absentAccount, absentMessage } from '../../../core/absent.ts'
import type { ActionKind, ResultOf } from '../../../core/action.ts'
import type { Outcome, Timing } from '../../../core/call/outcome.ts'
import type { Denial } from '../../../core/decision/decide.ts'
import type { Failure, FailureCode } from '../../../core/failure.ts'
import type { Issue } from '../../../core/results.ts'
import type { Answer, Refusal } from '../tool.ts'

export interface NextAction {
  readonly instruction: string
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface Report {
  readonly summary: string
  readonly data: Readonly<Record<string, unknown>> & { readonly issues?: readonly Issue[] }
}

/** Kept short: every tool's listing carries it. */
export const envelopeSchema = z.object({
  summary: z.string(),
  data: z.looseObject({}),
  meta: z.object({ now_utc: z.string(), duration_ms: z.number() }),
})

const HARD: Partial<Record<FailureCode, { readonly rpc: number; readonly code: string }>> = {
  invalid_input: { rpc: -32602, code: 'invalid_input' },
  not_found: { rpc: -32002, code: 'not_found' },
  conflict: { rpc: -32600, code: 'conflict' },
  internal: { rpc: -32603, code: 'internal' },
}

/** Where there is no envelope to put a soft failure in, these are errors too. */
const HARD_WITHOUT_ENVELOPE: Partial<typeof HARD> = {
  ...HARD,
  auth_failed: { rpc: -32600, code: 'auth_failed' },
  timeout: { rpc: -32603, code: 'timeout' },
  too_large: { rpc: -32602, code: 'invalid_input' },
}

export interface Renderings<K extends ActionKind> {
  /** `redacted` names the fields that this caller does not see. */
  done(result: ResultOf<K>, redacted: readonly string[]): Report
  /** What the answer holds when the server was of no help; `issue` says why. */
  failed(issue: Issue, details: Failure['details']): Report
}

export function respond<K extends ActionKind>(outcome: Outcome<K>, { done, failed }: Renderings<K>): Answer {
  if (outcome.kind === 'denied') return refuseDenied(outcome.denial, outcome.timing)
  if (outcome.kind === 'done') return envelope(done(outcome.result, outcome.redacted), outcome.timing)
  const { failure, timing } = outcome
  return HARD[failure.code] ? refuse(failure, timing) : envelope(failed(issueFrom(failure), failure.details), timing)
}

export function refuse(failure: Failure, timing: Timing): Refusal {
  const { rpc, code } = HARD_WITHOUT_ENVELOPE[failure.code] ?? { rpc: -32603, code: 'internal' }
  const details = failure.details === undefined ? {} : { details: failure.details }
  return { kind: 'error', code: rpc, message: failure.message, data: { code, ...details, meta: meta(timing) } }
}

/** What a caller may not know of is not there; what it may not do says what would allow it. */
export function refuseDenied(denial: Denial, timing: Timing): Refusal {
  const { reason, missing, remedy } = denial
  const absent = absence(denial)
  if (absent !== undefined) {
    return { kind: 'error', code: -32002, ...absent, data: { code: 'not_found', ...absent.data, meta: meta(timing) } }
  }
  const details = { reason, ...(missing && { missing_capability: missing }) }
  const message = `this is not allowed (${reason})${remedy ? `: ${remedy}` : ''}`
  return { kind: 'error', code: -32602, message, data: { code: 'invalid_input', details, meta: meta(timing) } }
}

/** Word for word, and detail for detail, what the caller would hear if the thing did not exist. */
function absence({ reason, account = '', uid = 0 }: Denial): Pick<Refusal, 'message' | 'data'> | undefined {
  switch (reason) {
    case 'account_hidden':
      return { message: absentAccount(account) }
    case 'folder_hidden':
      return { message: ABSENT_MAILBOX }
    case 'sender_not_whitelisted':
    case 'sender_blacklisted':
      return { message: absentMessage(uid), data: { details: { uid } } }
    default:
      return undefined
  }
}

export function statusOf(issues: readonly Issue[], somethingDone: boolean): 'ok' | 'partial' | 'failed' {
  if (issues.length === 0) return 'ok'
  return somethingDone ? 'partial' : 'failed'
}

function envelope({ summary, data }: Report, timing: Timing): Answer {
  const told = { ...data, issues: data.issues?.map(inSnakeCase) }
  const value = { summary, data: dropUndefined(told), meta: meta(timing) }
  return { kind: 'json', value, isError: data['status'] === 'failed' }
}

function inSnakeCase({ responseCode, ...issue }: Issue): Record<string, unknown> {
  return { ...issue, ...(responseCode !== undefined && { response_code: responseCode }) }
}

function meta({ nowUtc, durationMs }: Timing): { now_utc: string; duration_ms: number } {
  return { now_utc: nowUtc, duration_ms: durationMs }
}

function issueFrom({ code, message, retryable, stage }: Failure): Issue {
  return { code, stage: stage ?? 'imap', message, retryable }
}

/** Optional fields are absent, not undefined: structured content and its text must be the same. */
export function dropUndefined(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined))
}
