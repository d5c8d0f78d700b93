/** How a move between accounts stands. Only the caller who started it is told. */
import { z } from 'zod'
import { line } from '../line.ts'
import { answerSchema, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'

export const getTransactionStatus = definePolicyTool('meta', {
  name: 'get_transaction_status',
  title: 'Transaction status',
  description: 'State of a move between accounts that you started.',
  effect: 'read',
  input: z.strictObject({ tx_id: line(128) }),
  output: answerSchema,
  action: ({ tx_id }) => ({ kind: 'transaction_status', transaction: tx_id }),
  render: (outcome, _action, { tx_id }) => respond(outcome, { tx_id }, ({ result }) => ({ state: result.state })),
})
