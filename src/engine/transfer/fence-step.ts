/** Looks at the destination right before anything is sent there: what arrives from now on can be told apart. */
import type { TransferStep } from './passage.ts'

export const fenceStep: TransferStep = async ({ destination, batch, signal }) => {
  const [first] = batch
  if (first === undefined) return new Map()
  const { uidvalidity, uid: uidNext } = await destination.source.fence(first.destination.mailbox, signal)
  return new Map(batch.map(({ txId }) => [txId, { kind: 'fenced', fence: { uidvalidity, uidNext } }]))
}
