/** A letter as rows, and back. */
import { APPROVAL_MS, type EntryKind, type EntryState, type OutboxEntry } from '../../core/outbox/entry.ts'
import { OUTBOX_WORDS, unreadableRow } from './failures.ts'

/** What a step changes. */
export interface StateColumns {
  readonly kind: EntryKind
  readonly state: string
  readonly over_at: number | null
  readonly ended_at: number | null
}

/** What never changes is one JSON text, so that no character of it can be lost on the way. */
export interface EntryRow {
  readonly number: number
  readonly fields: string
  readonly state: string
  readonly owner: string | null
}

export const ENTRY_COLUMNS = 'entry.number, fields, state, owner'

export function toFields({ state: _, ...fields }: OutboxEntry): string {
  return JSON.stringify(fields)
}

export function toState(state: EntryState, expires: number): StateColumns {
  return { kind: state.kind, state: JSON.stringify(state), over_at: overAt(state, expires), ended_at: endedAt(state) }
}

export function toEntry(row: Pick<EntryRow, 'fields' | 'state'>): OutboxEntry {
  try {
    return { ...JSON.parse(row.fields), state: JSON.parse(row.state) }
  } catch (error) {
    throw unreadableRow(OUTBOX_WORDS, error)
  }
}

/** Only for finding them: whether a letter's time is over is the core's to say. */
function overAt(state: EntryState, expires: number): number | null {
  if (state.kind === 'waiting' || state.kind === 'rejected') return expires
  return state.kind === 'approved' ? state.approval.at + APPROVAL_MS : null
}

function endedAt(state: EntryState): number | null {
  switch (state.kind) {
    case 'sent':
    case 'failed':
    case 'expired':
      return state.at
    default:
      return null
  }
}
