/** How a move between accounts stands. Only the caller who started it is told. */
import { z } from 'zod'
import type { KnownTransaction } from '../../../core/results.ts'
import { line } from '../line.ts'
import { answerSchema, orNull, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'

export const getTransactionStatus = definePolicyTool('meta', {
  name: 'get_transaction_status',
  title: 'Transaction status',
  description:
    'State of a move or copy between accounts that you started; last_error and response_code (IMAP) say why it failed.',
  effect: 'read',
  input: z.strictObject({ tx_id: line(128) }),
  output: answerSchema,
  action: ({ tx_id }) => ({ kind: 'transaction_status', transaction: tx_id }),
  render: (outcome, _action, { tx_id }) =>
    respond(outcome, { tx_id }, ({ result }) => (result.state === 'unknown' ? { state: 'unknown' } : told(result))),
})

function told(transaction: KnownTransaction): Record<string, unknown> {
  const { state, operation, source, destination, messageId, retryCount, lastError, responseCode } = transaction
  return {
    state,
    operation,
    src_account: source.account,
    src_folder: source.mailbox,
    src_uid: source.uid,
    src_uidvalidity: source.uidvalidity,
    dst_account: destination.account,
    dst_folder: destination.mailbox,
    message_id: orNull(messageId),
    retry_count: retryCount,
    last_error: orNull(lastError),
    response_code: orNull(responseCode),
  }
}
