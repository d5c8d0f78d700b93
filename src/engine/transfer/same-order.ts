/** Whether a transfer is what an order asks for: the same caller, the same messages, the same way. */
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { Order } from './order.ts'

export function isAskedAgain(transfer: Transfer, { callerId, operation, from, to }: Order): boolean {
  const { source, destination } = transfer
  return (
    transfer.operation === operation &&
    transfer.callerId === callerId &&
    source.account === from.account &&
    source.mailbox === from.mailbox &&
    source.uidvalidity === from.uidvalidity &&
    destination.account === to.account &&
    destination.mailbox === to.mailbox
  )
}
