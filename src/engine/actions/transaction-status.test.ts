import { expect, test } from 'vitest'
import { begun } from '../../core/transfer/transfer.ts'
import { transactionStatus } from './transaction-status.ts'
import type { Workshop } from './workshop.ts'

const TX_ID = '00000000-0000-4000-8000-000000000001'
const CONTENT = { hash: 'ab'.repeat(32), size: 10, flags: [], received: 1_700_000_000, messageId: '<one@example.org>' }

function asked(callerId: string, readable: boolean): Promise<unknown> {
  const source = { account: 'work', mailbox: 'INBOX', uidvalidity: 3, uid: 12 }
  const destination = { account: 'home', mailbox: 'Kept' }
  const intent = { txId: TX_ID, callerId: 'anna', operation: 'move', source, destination, createdAt: 1000 } as const
  const transfer = { ...begun(intent), content: CONTENT, readable }
  const transfers = { find: async (txId: string) => (txId === TX_ID ? transfer : undefined) }
  const workshop = { transfers, callerId } as Workshop
  return transactionStatus({ kind: 'transaction_status', transaction: TX_ID }, workshop, 'FULL')
}

test('a transfer is known only to the caller that started it', async () => {
  expect(await asked('anna', true)).toMatchObject({
    state: 'pending',
    operation: 'move',
    messageId: '<one@example.org>',
  })
  expect(await asked('ben', true)).toEqual({ state: 'unknown' })
})

test('its Message-ID is not told to a caller that may not read the envelope', async () => {
  expect(await asked('anna', false)).toMatchObject({ state: 'pending', messageId: undefined })
})
