/**
 * The states of a transfer and what leads from one to the next.
 *
 * INVARIANT: the original is touched only in `staged`, and `staged` is reached only by a copy that was read back and is
 * the same. What was fetched, where the fence stands and that the server acknowledged the message never change. A final state is never left but by an operator, and
 * only `needs_operator`. An event that does not fit is a bug, not a failure.
 */
import type { Content, Fence, Transfer, UnprovenCopy } from './transfer.ts'

/** Why a step failed, and what it left at the destination, where it left something that is not proven. */
export interface Trouble {
  readonly error: string
  readonly responseCode?: string
  readonly unproven?: UnprovenCopy
}

export type TransferEvent =
  | { readonly kind: 'fetched'; readonly content: Content }
  /** The destination was looked at, right before the message is sent there. */
  | { readonly kind: 'fenced'; readonly fence: Fence }
  /** The copy was read back from the destination, and its bytes are the same. */
  | { readonly kind: 'staged'; readonly targetUid: number; readonly uidvalidity: number }
  | { readonly kind: 'deleted'; readonly how: 'yes' | 'flagged' }
  | { readonly kind: 'committed'; readonly at: number }
  /** It may work the next time. */
  | ({ readonly kind: 'failed' } & Trouble)
  /** It never will, and nothing has changed. */
  | ({ readonly kind: 'refused' } & Omit<Trouble, 'unproven'>)
  /** Nobody but a person can tell what happened. */
  | ({ readonly kind: 'escalated' } & Trouble)
  /** An operator wants it tried again, or given up. */
  | { readonly kind: 'retried' }
  | { readonly kind: 'abandoned' }

export type Step = 'fetch' | 'fence' | 'send' | 'remove' | 'commit' | 'none'

/** The words of the journal. */
export const STEP_NAMES = {
  fetched: 'fetched',
  fenced: 'fenced',
  staged: 'staged',
  deleted: 'deleted',
  committed: 'commit',
  failed: 'retry',
  refused: 'aborted',
  escalated: 'escalated',
  retried: 'retry',
  abandoned: 'aborted',
} as const satisfies Record<TransferEvent['kind'], string>

/** What has to happen next. */
export function stepOf(transfer: Transfer): Step {
  if (isFinal(transfer)) return 'none'
  if (transfer.status === 'staged')
    return transfer.operation === 'move' && transfer.sourceGone === 'no' ? 'remove' : 'commit'
  if (transfer.content === undefined) return 'fetch'
  return transfer.fence === undefined ? 'fence' : 'send'
}

export function isFinal({ status }: Transfer): boolean {
  return status === 'committed' || status === 'aborted' || status === 'needs_operator'
}

const NO_ERROR = { lastError: undefined, responseCode: undefined }

/** `retryLimit` is how many failures are tried again before a person has to look. */
export function next(transfer: Transfer, event: TransferEvent, retryLimit: number): Transfer {
  switch (event.kind) {
    case 'fetched':
      return { ...due(transfer, event, 'fetch'), content: event.content }
    case 'fenced':
      return { ...due(transfer, event, 'fence'), fence: event.fence }
    case 'staged':
      return {
        ...due(transfer, event, 'send'),
        status: 'staged',
        targetUid: event.targetUid,
        targetUidvalidity: event.uidvalidity,
        unproven: undefined,
      }
    case 'deleted':
      return { ...due(transfer, event, 'remove'), sourceGone: event.how }
    case 'committed':
      return { ...due(transfer, event, 'commit'), status: 'committed', committedAt: event.at, ...NO_ERROR }
    case 'failed':
      return failed(troubled(open(transfer, event), event), retryLimit)
    case 'refused':
      return { ...troubled(expect(transfer, event, 'pending'), event), status: 'aborted' }
    case 'escalated':
      return { ...troubled(open(transfer, event), event), status: 'needs_operator' }
    case 'retried':
      return { ...expect(transfer, event, 'needs_operator'), ...reopened(transfer), retryCount: 0 }
    case 'abandoned':
      // Where the original is gone already, it did arrive.
      return {
        ...expect(transfer, event, 'needs_operator'),
        status: transfer.sourceGone === 'no' ? 'aborted' : 'committed',
      }
  }
}

/** Counts the tries that follow a failure: where none does, the count stays. */
function failed(transfer: Transfer, retryLimit: number): Transfer {
  if (transfer.retryCount >= retryLimit) return { ...transfer, status: 'needs_operator' }
  return { ...transfer, retryCount: transfer.retryCount + 1 }
}

/** What the server acknowledged stays acknowledged, whatever goes wrong later. */
function troubled(transfer: Transfer, { error, responseCode, unproven }: Trouble): Transfer {
  const known = transfer.unproven?.kind === 'acknowledged' ? transfer.unproven : undefined
  return { ...transfer, lastError: error, responseCode, unproven: known ?? unproven }
}

/** Where it stood: what was read back stays so. */
function reopened({ targetUid }: Transfer): Pick<Transfer, 'status'> {
  return { status: targetUid === undefined ? 'pending' : 'staged' }
}

/**
 * A step is taken when it is its turn, and once. A fence that moved would hide what was sent behind the first one, and
 * bytes that changed would not be found there.
 */
function due(transfer: Transfer, event: TransferEvent, step: Step): Transfer {
  if (stepOf(transfer) !== step) throw misfit(transfer, event)
  return transfer
}

function open(transfer: Transfer, event: TransferEvent): Transfer {
  if (isFinal(transfer)) throw misfit(transfer, event)
  return transfer
}

function expect(transfer: Transfer, event: TransferEvent, status: Transfer['status']): Transfer {
  if (transfer.status !== status) throw misfit(transfer, event)
  return transfer
}

function misfit({ status }: Transfer, { kind }: TransferEvent): Error {
  return new Error(`a transfer that is ${status} cannot be ${kind}`)
}
