/** What the audit log itself has to say: records that no caller asked for, in the same shape as all others. */
import type { ArgsSummary, AuditEntry } from './record.ts'

export const EOF_DAY = 'eof_day'
export const TAIL_TORN = 'audit_tail_torn'
export const FILE_MISSING = 'audit_file_missing'
export const RETENTION_DELETE = 'retention_delete'

/** Records of these names are not calls. */
export const EVENT_NAMES: ReadonlySet<string> = new Set([
  EOF_DAY,
  TAIL_TORN,
  FILE_MISSING,
  RETENTION_DELETE,
  'auth_failed',
  'policy_reload',
  'token_refresh',
  'pool_drain',
  'saga_transition',
])

/** The last record of a day's file. The `finalHash` goes to whoever keeps the log's root elsewhere. */
export function endOfDay(ts: string, finalHash: string): AuditEntry {
  return { ...event(ts, EOF_DAY, 'day_ended'), final_hash: finalHash }
}

/** A writer died in the middle of a line: `bytes` that were never acknowledged now stand in `<day>.torn`. */
export function tailTorn(ts: string, bytes: number): AuditEntry {
  return { ...event(ts, TAIL_TORN, 'tail_cut_off'), bytes }
}

/** There is history, but no file for `day`: nothing was recorded then, or somebody took the file away. */
export function fileMissing(ts: string, day: string): AuditEntry {
  return { ...event(ts, FILE_MISSING, 'no_file_for_day'), day }
}

/** The file of `day` is about to be deleted because of its age. */
export function retentionDelete(ts: string, day: string): AuditEntry {
  return { ...event(ts, RETENTION_DELETE, 'retention_expired'), day }
}

/** Someone came to the HTTP door without the right key. The caller is not told which of these it was; the record is. */
export function authFailed(ts: string, reason: string, address: string, leftOut: number): AuditEntry {
  const denied = { caller_id: 'unknown', caller_addr: address, decision: 'DENY', result: 'DENIED' } as const
  return { ...event(ts, 'auth_failed', reason), ...denied, ...(leftOut > 0 && { left_out: leftOut }) }
}

export type ReloadOutcome = 'reload_applied' | 'parse_error' | 'validation_error'

/** The configuration was read again, and swapped or left as it was. */
export function policyReload(ts: string, outcome: ReloadOutcome): AuditEntry {
  const applied = event(ts, 'policy_reload', outcome)
  return outcome === 'reload_applied' ? applied : { ...applied, decision: 'DENY', result: 'ERROR', error_type: outcome }
}

/** An account's access token was renewed, or could not be: then `failed` is the code of the failure. */
export function tokenRefresh(ts: string, account: string, failed?: string): AuditEntry {
  const refreshed = { ...event(ts, 'token_refresh', 'token_refreshed'), args_summary: { account } }
  return failed === undefined
    ? refreshed
    : { ...refreshed, reason: 'token_refresh_failed', result: 'ERROR', error_type: failed }
}

/** An account's connections were closed, because of `reason`. */
export function poolDrain(ts: string, account: string, reason: string): AuditEntry {
  return { ...event(ts, 'pool_drain', reason), args_summary: { account } }
}

export interface SagaTransition {
  readonly txId: string
  /** The state it went into, or the step it took. */
  readonly step: string
  readonly source?: NonNullable<ArgsSummary['source']>
  readonly target?: NonNullable<ArgsSummary['target']>
  /** The code of the failure, where that was the reason. */
  readonly failed?: string
}

export function sagaTransition(ts: string, { txId, step, source, target, failed }: SagaTransition): AuditEntry {
  const args_summary = { ...(source !== undefined && { source }), ...(target !== undefined && { target }) }
  const moved = { ...event(ts, 'saga_transition', step), tx_id: txId, args_summary }
  return failed === undefined ? moved : { ...moved, result: 'ERROR', error_type: failed }
}

function event(ts: string, tool: string, reason: string): AuditEntry {
  return {
    ts,
    caller_id: 'system',
    caller_addr: 'internal',
    tool,
    args_summary: {},
    decision: 'ALLOW',
    reason,
    visibility_granted: null,
    redacted_fields: [],
    tx_id: null,
    result: 'OK',
    error_type: null,
    latency_ms: 0,
  }
}
