/** What happens to letters beside the calls that asked for them, as the record keeps it. */

import type { AuditEntry } from '../audit/record.ts'
import { redactedAddress } from '../text/redacted-address.ts'
import type { OutboxEntry } from './entry.ts'
import { recipientsOf } from './sending.ts'

export type LetterEvent =
  | 'outbox_approve'
  | 'outbox_reject'
  | 'outbox_revise'
  | 'outbox_settle_sent'
  | 'outbox_settle_not_sent'
  | 'outbox_lost'
  | 'outbox_found_sent'

export interface By {
  readonly name: string
  /** `terminal`, an address, `vault`, `agent` for the agent's own program, or `postern` itself. */
  readonly address: string
  readonly via: string
}

export function letterEvent(ts: string, event: LetterEvent, { id, digest, sending }: OutboxEntry, by: By): AuditEntry {
  return {
    ts,
    caller_id: by.name,
    caller_addr: by.address,
    tool: event,
    args_summary: {
      account: sending.account,
      to: recipientsOf(sending).map(redactedAddress),
      outbox_id: id,
      digest,
    },
    decision: 'ALLOW',
    reason: by.via,
    visibility_granted: null,
    redacted_fields: [],
    tx_id: null,
    result: 'OK',
    error_type: null,
    latency_ms: 0,
  }
}
