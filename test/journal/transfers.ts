/** Transfers to write down, for the tests and for the processes they start. */
import { randomUUID } from 'node:crypto'
import { next, stepOf, type TransferEvent } from '../../src/core/transfer/machine.ts'
import { begun, type Intent, type Transfer } from '../../src/core/transfer/transfer.ts'
import type { Recorded } from '../../src/ports/journal.ts'

export const LIMIT = 3

export function newTransfer(more: Partial<Intent> = {}): Transfer {
  const { txId = randomUUID() } = more
  return begun({
    txId,
    callerId: 'anna',
    operation: 'move',
    source: { account: 'work', mailbox: 'INBOX', uidvalidity: 3, uid: uidOf(txId) },
    destination: { account: 'home', mailbox: 'Kept/Ä "x"' },
    createdAt: 1_700_000_000_000,
    ...more,
  })
}

/** Another one for each: a message is moved by one transfer at a time. */
function uidOf(txId: string): number {
  return Number.parseInt(txId.slice(0, 8), 16)
}

export function stepBy(transfer: Transfer, event: TransferEvent, at = 1_700_000_000_500): Recorded {
  return { event, after: next(transfer, event, LIMIT), at }
}

/** The step that comes next when all goes well. */
export function onward(transfer: Transfer): Recorded | undefined {
  switch (stepOf(transfer)) {
    case 'fetch': {
      const content = { hash: 'ab'.repeat(32), size: 10, flags: ['\\Seen', '$x'], received: 9, messageId: '<a@b>' }
      return stepBy(transfer, { kind: 'fetched', content })
    }
    case 'fence':
      return stepBy(transfer, { kind: 'fenced', fence: { uidvalidity: 7, uidNext: 40 } })
    case 'send':
      return stepBy(transfer, { kind: 'staged', targetUid: uidOf(transfer.txId), uidvalidity: 7 })
    case 'remove':
      return stepBy(transfer, { kind: 'deleted', how: 'yes' })
    case 'commit':
      return stepBy(transfer, { kind: 'committed', at: 1_700_000_000_400 })
    case 'none':
      return undefined
  }
}
