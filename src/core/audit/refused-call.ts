/**
 * The audit record of a call that was refused before the gate.
 *
 * INVARIANT: holds nothing of the arguments. The tool name is the caller's own text, so it is bounded, has no character that is not
 * part of tool names, and can never be taken for an event of the log itself.
 */
import { EVENT_NAMES } from './events.ts'
import type { AuditEntry } from './record.ts'

/** Why, and how a person is told. */
export const REFUSED_CALLS = {
  unknown_tool: 'the caller has no such tool',
  invalid_arguments: 'the arguments do not fit the tool',
} as const

export type RefusedReason = keyof typeof REFUSED_CALLS

/** MCP allows longer names; no tool of ours has one. */
const MOST_CHARACTERS = 64

export interface RefusedCall {
  readonly callerId: string
  readonly callerAddress: string
  /** As the caller wrote it. */
  readonly tool: string
  readonly reason: RefusedReason
  readonly latencyMs: number
}

export function refusedCall(ts: string, { callerId, callerAddress, tool, reason, latencyMs }: RefusedCall): AuditEntry {
  return {
    ts,
    caller_id: callerId,
    caller_addr: callerAddress,
    tool: recordedName(tool),
    args_summary: {},
    decision: 'DENY',
    reason,
    visibility_granted: null,
    redacted_fields: [],
    tx_id: null,
    result: 'DENIED',
    error_type: null,
    latency_ms: latencyMs,
  }
}

function recordedName(tool: string): string {
  const name = tool.slice(0, MOST_CHARACTERS).replaceAll(/[^A-Za-z0-9_./-]/g, '?')
  return name === '' || EVENT_NAMES.has(name) ? `?${name}` : name
}
