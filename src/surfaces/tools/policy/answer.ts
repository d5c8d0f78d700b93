/**
 * How the `policy` set answers: one JSON object that says what was decided and why, whatever the outcome.
 *
 * INVARIANT: a refusal is an answer, not an error; what was allowed and failed is an answer marked `isError`. Only what the
 * caller wrote wrongly, and bugs of ours, are JSON-RPC errors. Fields above the level are absent or null and named in `redacted_fields`.
 */
import { z } from 'zod'
import type { ActionKind, ResultOf } from '../../../core/action.ts'
import type { Outcome, Timing } from '../../../core/call/outcome.ts'
import type { Allowance, Denial } from '../../../core/decision/decide.ts'
import type { Failure } from '../../../core/failure.ts'
import type { Answer, Refusal } from '../tool.ts'
import { errorType } from './error-types.ts'

type Fields = Readonly<Record<string, unknown>>

/** Kept short: every tool's listing carries it. */
export const answerSchema = z.looseObject({ decision: z.string(), reason: z.string() })

export interface Done<K extends ActionKind> {
  readonly result: ResultOf<K>
  readonly redacted: readonly string[]
  readonly allowance: Allowance
}

/** `echo` repeats what was asked; `payload` is what there is to say when it was done. */
export function respond<K extends ActionKind>(
  outcome: Outcome<K>,
  echo: Fields,
  payload: (done: Done<K>) => Fields,
): Answer {
  if (outcome.kind === 'denied') return json({ ...denied(outcome.denial), ...echo })
  if (outcome.kind === 'done') return json({ ...allowed(outcome.allowance, echo), ...echo, ...payload(outcome) })
  const { failure, allowance, timing } = outcome
  if (failure.code === 'internal' || isBadInput(failure)) return refuse(failure, timing)
  return json({ ...allowed(allowance, echo), ...echo, ...failed(failure.code, failure.stage, failure.message) })
}

export function refuse({ code, message }: Failure, { nowUtc, durationMs }: Timing): Refusal {
  const meta = { now_utc: nowUtc, duration_ms: durationMs }
  const [rpc, name] = code === 'invalid_input' ? [-32602, 'invalid_input'] : [-32603, 'internal']
  return { kind: 'error', code: rpc, message, data: { code: name, meta } }
}

/** What went wrong although it was allowed. */
export function failed(code: Failure['code'], stage: string | undefined, message: string): Fields {
  return { result: 'ERROR', error_type: errorType(code, stage), message }
}

function isBadInput({ code, stage }: Failure): boolean {
  return code === 'invalid_input' && stage !== 'same_place'
}

/** Only what happens in a folder happens at a level. */
function allowed(allowance: Allowance | undefined, echo: Fields): Fields {
  const { reason = 'folder_default_applied', level = null } = allowance ?? {}
  return { decision: 'ALLOW', reason, visibility_applied: 'folder' in echo ? level : null }
}

function denied({ reason, missing, remedy }: Denial): Fields {
  return {
    decision: 'DENY',
    reason,
    ...(missing !== undefined && { missing_capability: missing }),
    ...(remedy !== undefined && { remedy }),
  }
}

function json(value: Fields): Answer {
  return { kind: 'json', value, isError: hasFailed(value) }
}

/** Of several messages: where some failed and none was done. */
function hasFailed({ result, results }: Fields): boolean {
  const endings = Array.isArray(results) ? results.map((ending: Fields) => ending['result']) : [result]
  return endings.includes('ERROR') && !endings.includes('OK')
}

/** Absent and null mean different things to a reader: here a field that is not shown is null. */
export function orNull<T>(value: T | undefined): T | null {
  return value ?? null
}
