/** Which records somebody wants to see. */
import { DAY_MS } from './day.ts'
import type { AuditEntry } from './record.ts'

export interface Selection {
  readonly caller?: string
  readonly tool?: string
  readonly decision?: string
  readonly reason?: string
  /** Milliseconds since 1970: from there on, and up to before there. */
  readonly since?: number
  readonly until?: number
}

export function selects({ caller, tool, decision, reason, since, until }: Selection, record: AuditEntry): boolean {
  if (caller !== undefined && record.caller_id !== caller) return false
  if (tool !== undefined && record.tool !== tool) return false
  if (decision !== undefined && record.decision !== decision) return false
  if (reason !== undefined && record.reason !== reason) return false
  if (since === undefined && until === undefined) return true
  const time = Date.parse(record.ts)
  return time >= (since ?? Number.NEGATIVE_INFINITY) && time < (until ?? Number.POSITIVE_INFINITY)
}

/** Whether the file of `day` may hold such records. A day is ended in the next one, and clocks are set back a little. */
export function mayHold({ since, until }: Selection, day: string): boolean {
  const start = Date.parse(day)
  return (
    start + 2 * DAY_MS > (since ?? Number.NEGATIVE_INFINITY) && start - DAY_MS < (until ?? Number.POSITIVE_INFINITY)
  )
}
