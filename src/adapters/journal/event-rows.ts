/** What happened to a transfer, in the words of `transaction_events`. */
import { STEP_NAMES, type TransferEvent } from '../../core/transfer/machine.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { Recorded } from '../../ports/journal.ts'

export interface EventRow {
  readonly tx_id: string
  readonly step: string
  readonly timestamp: number
  /** `ok` for a step on its way; otherwise what kind of thing came between. */
  readonly outcome: string
  readonly detail: string | null
}

export function begunRow({ txId, createdAt, operation }: Transfer): EventRow {
  return { tx_id: txId, step: 'begin', timestamp: createdAt, outcome: 'ok', detail: operation }
}

export function eventRow({ event, after, at }: Recorded): EventRow {
  return { tx_id: after.txId, step: stepName(event, after), timestamp: at, ...told(event) }
}

/** One failure too many is not tried again. */
function stepName(event: TransferEvent, { status }: Transfer): string {
  return event.kind === 'failed' && status === 'needs_operator' ? STEP_NAMES.escalated : STEP_NAMES[event.kind]
}

function told(event: TransferEvent): Pick<EventRow, 'outcome' | 'detail'> {
  switch (event.kind) {
    case 'fetched':
      return { outcome: 'ok', detail: `${event.content.size} bytes` }
    case 'fenced':
      return { outcome: 'ok', detail: `uidvalidity ${event.fence.uidvalidity}, uidnext ${event.fence.uidNext}` }
    case 'staged':
      return { outcome: 'ok', detail: `uid ${event.targetUid}` }
    case 'deleted':
      return { outcome: 'ok', detail: event.how === 'yes' ? 'gone' : event.how }
    case 'committed':
      return { outcome: 'ok', detail: null }
    case 'failed':
    case 'refused':
      return { outcome: event.kind, detail: event.reason ? `${event.error}: ${event.reason}` : event.error }
    case 'escalated':
      return { outcome: event.kind, detail: event.error }
    case 'retried':
    case 'abandoned':
      return { outcome: event.kind, detail: 'by an operator' }
  }
}
