/** How a move between accounts stands. No transaction is known that this caller did not start. */
import type { Perform } from './workshop.ts'

export const transactionStatus: Perform<'transaction_status'> = async ({ transaction }, { transfers, callerId }) => {
  const transfer = await transfers.find(transaction)
  if (transfer === undefined || transfer.callerId !== callerId) return { state: 'unknown' }
  const { status, operation, source, destination, content, readable, retryCount, lastError, responseCode } = transfer
  return {
    state: status,
    operation,
    source,
    destination,
    messageId: readable === true ? content?.messageId : undefined,
    retryCount,
    lastError,
    responseCode,
  }
}
