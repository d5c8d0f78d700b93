/** Transfers that can be carried together: from one folder to one folder, so many at a time. */
import type { Transfer } from '../../core/transfer/transfer.ts'

const MOST = 50
/** Held in memory at once, as far as sizes are known. */
const MOST_BYTES = 32 * 1024 * 1024

export function batchesOf(transfers: readonly Transfer[]): readonly (readonly Transfer[])[] {
  const ways = Map.groupBy(transfers, ({ source, destination, operation }) =>
    JSON.stringify([
      operation,
      source.account,
      source.mailbox,
      source.uidvalidity,
      destination.account,
      destination.mailbox,
    ]),
  )
  return [...ways.values()].flatMap(inTurns)
}

function inTurns(transfers: readonly Transfer[]): readonly (readonly Transfer[])[] {
  const turns: Transfer[][] = []
  let bytes = 0
  for (const transfer of transfers) {
    const size = transfer.content?.size ?? 0
    const current = turns.at(-1)
    if (current === undefined || current.length >= MOST || bytes + size > MOST_BYTES) {
      turns.push([transfer])
      bytes = size
      continue
    }
    current.push(transfer)
    bytes += size
  }
  return turns
}
