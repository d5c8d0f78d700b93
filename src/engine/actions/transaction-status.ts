/** How a move between accounts stands. No transaction is known that this caller did not start. */
import type { Perform } from './workshop.ts'

export const transactionStatus: Perform<'transaction_status'> = async () => ({ state: 'unknown' })
