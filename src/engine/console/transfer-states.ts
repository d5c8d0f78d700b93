/** Moves and copies between accounts, for a person who has to decide about some of them. */
import { consoleEvent } from '../../core/audit/console-events.ts'
import { writeLineOut } from '../../core/outbox/written-out.ts'
import type { Transfer, TransferStatus, UnprovenCopy } from '../../core/transfer/transfer.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Transfers } from '../transfer/transfers.ts'
import type { Who } from './letters.ts'

export interface TransferState {
  readonly id: string
  readonly caller: string
  readonly operation: Transfer['operation']
  readonly status: TransferStatus
  readonly source: { readonly account: string; readonly mailbox: string; readonly uid: number }
  readonly destination: { readonly account: string; readonly mailbox: string }
  readonly created: string
  readonly committed?: string
  readonly retries: number
  readonly error?: string
  /** The IMAP response code with which a server explained it. */
  readonly responseCode?: string
  /** What may be its copy at the destination. */
  readonly unproven?: UnprovenCopy['kind']
}

export interface TransferStates {
  list(all: boolean): Promise<readonly TransferState[]>
  retry(id: string, who: Who): Promise<TransferState>
  abandon(id: string, who: Who): Promise<TransferState>
}

export interface TransferStatesParts {
  readonly transfers: Pick<Transfers, 'list' | 'find' | 'retry' | 'abandon'>
  readonly audit: Pick<AuditLog, 'append'>
  readonly clock: Clock
  /** Whether there ever was one: nothing is made where there was none. */
  isKept(): boolean
}

export function createTransferStates({ transfers, audit, clock, isKept }: TransferStatesParts): TransferStates {
  type Event = 'console_transfer_retry' | 'console_transfer_abandon'
  /** Only what can happen to it at all. */
  const onRecord = async (event: Event, txId: string, { name, address }: Who): Promise<void> => {
    if ((await transfers.find(txId))?.status !== 'needs_operator') return
    await audit.append(consoleEvent(new Date(clock.now()).toISOString(), event, name, address, { txId }))
  }
  return {
    list: async (all) => (isKept() ? (await transfers.list(all)).toSorted(newestFirst).map(stateOf) : []),
    async retry(id, who) {
      await onRecord('console_transfer_retry', id, who)
      return stateOf(await transfers.retry(id))
    },
    async abandon(id, who) {
      await onRecord('console_transfer_abandon', id, who)
      return stateOf(await transfers.abandon(id))
    },
  }
}

function newestFirst(a: Transfer, b: Transfer): number {
  return b.createdAt - a.createdAt
}

function stateOf(transfer: Transfer): TransferState {
  const { txId, callerId, operation, status, source, destination, createdAt, committedAt } = transfer
  const { retryCount, lastError, responseCode, unproven } = transfer
  return {
    id: txId,
    caller: callerId,
    operation,
    status,
    source: { account: source.account, mailbox: writeLineOut(source.mailbox), uid: source.uid },
    destination: { account: destination.account, mailbox: writeLineOut(destination.mailbox) },
    created: new Date(createdAt).toISOString(),
    ...(committedAt !== undefined && { committed: new Date(committedAt).toISOString() }),
    retries: retryCount,
    ...(lastError !== undefined && { error: lastError }),
    ...(responseCode !== undefined && { responseCode }),
    ...(unproven !== undefined && { unproven: unproven.kind }),
  }
}
