/**
 * One line of the audit log, before the log adds `seq` and `prev_hash`.
 *
 * INVARIANT: holds no subject, body, file name, token, query or whole address at any depth.
 */
export interface AuditEntry {
  /** ISO 8601, UTC, milliseconds. */
  readonly ts: string
  readonly caller_id: string
  readonly caller_addr: string
  readonly tool: string
  readonly args_summary: ArgsSummary
  readonly decision: 'ALLOW' | 'DENY'
  readonly reason: string
  readonly visibility_granted: string | null
  readonly redacted_fields: readonly string[]
  readonly tx_id: string | null
  readonly result: 'OK' | 'PARTIAL' | 'ERROR' | 'INTENT' | 'DENIED'
  readonly error_type: string | null
  readonly latency_ms: number
  /** On the record that ends a write: the `seq` of its intent. */
  readonly intent_seq?: number
  /** On `auth_failed`: how many before it were not recorded one by one. */
  readonly left_out?: number
  /** On `audit_tail_torn`: how many bytes were cut off. */
  readonly bytes?: number
  /** On `audit_file_missing` and `retention_delete`: the day whose file is not there, or goes, `YYYY-MM-DD`. */
  readonly day?: string
  /** On `eof_day`: the hash of the last line before it. */
  readonly final_hash?: string
}

export interface ArgsSummary {
  readonly account?: string
  readonly folder?: string
  /** Several of one folder: all that were named. */
  readonly uid?: number | readonly number[]
  readonly seen?: boolean
  readonly part_id?: string
  readonly tags?: readonly string[]
  readonly mode?: string
  readonly source?: { readonly account: string; readonly folder: string; readonly uid: number }
  readonly target?: { readonly account: string; readonly folder: string }
  readonly search_query_digest?: string
  /** Everybody who would get a letter, each as `j***@example.com`. */
  readonly to?: readonly string[]
  readonly thread_id?: string
  /** Of a letter in the outbox: which one, and the SHA-256 of what a person approves. */
  readonly outbox_id?: string
  readonly digest?: string
}
