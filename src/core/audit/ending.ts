/**
 * What the record says of how a call ended that could be carried out, wholly, in part or not at all.
 *
 * INVARIANT: `OK` only where all of it was done; `ERROR` only where nothing was changed.
 */
import type { MarkEnding, RelocationEnding } from '../many.ts'
import type { SendEnding } from '../send-ending.ts'
import type { AuditEntry } from './record.ts'

export type RecordedEnding = Pick<AuditEntry, 'result' | 'error_type' | 'tx_id'>

export function endingOf(result: object): RecordedEnding {
  if ('endings' in result) return endingOfMany(result.endings as readonly ManyEnding[])
  const issues = 'issues' in result ? (result.issues as readonly { readonly code: string }[]) : []
  const first = issues[0]?.code ?? null
  return {
    result: first === null ? 'OK' : wholeFailure(result) ? 'ERROR' : 'PARTIAL',
    error_type: first,
    tx_id: 'txId' in result && typeof result.txId === 'string' ? result.txId : null,
  }
}

/** Of several messages, those that were refused one by one, and how many others there were. */
export function refusedOf(result: object): { readonly refused: readonly ManyEnding[]; readonly others: number } {
  const endings = 'endings' in result ? (result.endings as readonly ManyEnding[]) : []
  const refused = endings.filter(({ denied }) => denied !== undefined)
  return { refused, others: endings.length - refused.length }
}

type ManyEnding = RelocationEnding | MarkEnding

function endingOfMany(endings: readonly ManyEnding[]): RecordedEnding {
  const ended = endings.map((one) => ('relocation' in one ? one.relocation : 'change' in one ? one.change : undefined))
  const failed = ended.flatMap((one) => one?.issues[0]?.code ?? [])
  const txIds = ended.flatMap((one) => (one !== undefined && 'txId' in one ? (one.txId ?? []) : []))
  const isDone = ended.every((one) => one?.issues.length === 0)
  const isChanged = ended.some((one) => one !== undefined && !wholeFailure(one))
  return {
    result: isDone ? 'OK' : isChanged ? 'PARTIAL' : 'ERROR',
    error_type: failed[0] ?? null,
    tx_id: txIds.length === 1 ? (txIds[0] ?? null) : null,
  }
}

/** A change that came to nothing is none in part. */
function wholeFailure(result: object): boolean {
  if ('changed' in result) return result.changed === false
  return 'added' in result && 'removed' in result && result.added === false && result.removed === false
}

/** A letter that is not sent is on record as such, whatever the policy allows. */
const LETTERS: { readonly [K in SendEnding['kind']]: Partial<AuditEntry> } = {
  sent: {},
  already_sent: { decision: 'DENY', reason: 'already_sent', result: 'DENIED', visibility_granted: null },
  held_back: { reason: 'dev_mode' },
  waiting: { decision: 'DENY', reason: 'approval_missing', result: 'DENIED', visibility_granted: null },
  similar: { decision: 'DENY', reason: 'similar_message_waits', result: 'DENIED', visibility_granted: null },
  pending_limit: { decision: 'DENY', reason: 'pending_limit', result: 'DENIED', visibility_granted: null },
  limited: { decision: 'DENY', reason: 'rate_limited', result: 'DENIED', visibility_granted: null },
  rejected: { decision: 'DENY', reason: 'approval_refused', result: 'DENIED', visibility_granted: null },
  under_way: { decision: 'DENY', reason: 'sending_under_way', result: 'DENIED', visibility_granted: null },
  sending: { result: 'ERROR', error_type: 'outcome_unknown' },
  needs_operator: { result: 'ERROR', error_type: 'outcome_unknown' },
}

export function endingOfLetter(ending: SendEnding, asked: AuditEntry['args_summary']): Partial<AuditEntry> {
  const { kind, letter } = ending
  // Nothing left by this call: the record of the one that sent it is another.
  const said = kind === 'sent' && ending.sentBefore === true ? { reason: 'already_sent' } : LETTERS[kind]
  if (letter === undefined) return said
  return { ...said, args_summary: { ...asked, outbox_id: letter.id, digest: letter.digest } }
}
