/** What the audit log itself has to say: records that no caller asked for, in the same shape as all others. */
import type { AuditEntry } from './record.ts'

export const EOF_DAY = 'eof_day'
export const TAIL_TORN = 'audit_tail_torn'
export const FILE_MISSING = 'audit_file_missing'

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

/** Someone came to the HTTP door without the right key. The caller is not told which of these it was; the record is. */
export function authFailed(ts: string, reason: string, address: string, leftOut: number): AuditEntry {
  const denied = { caller_id: 'unknown', caller_addr: address, decision: 'DENY', result: 'DENIED' } as const
  return { ...event(ts, 'auth_failed', reason), ...denied, ...(leftOut > 0 && { left_out: leftOut }) }
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
