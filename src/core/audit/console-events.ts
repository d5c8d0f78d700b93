/** Who came to the console and left it, as the record keeps it. */
import type { AuditEntry } from './record.ts'

export function consoleEvent(
  ts: string,
  event:
    | 'console_sign_in'
    | 'console_sign_out'
    | 'console_reconnect'
    | 'console_transfer_retry'
    | 'console_transfer_abandon',
  user: string,
  address: string,
  about: { readonly account?: string; readonly txId?: string } = {},
): AuditEntry {
  const { account, txId } = about
  return {
    ts,
    caller_id: user,
    caller_addr: address,
    tool: event,
    args_summary: account === undefined ? {} : { account },
    decision: 'ALLOW',
    reason: 'console',
    visibility_granted: null,
    redacted_fields: [],
    tx_id: txId ?? null,
    result: 'OK',
    error_type: null,
    latency_ms: 0,
  }
}
