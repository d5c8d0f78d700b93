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
  return [...ways.values()].flatMap((some) => inTurns(some, sizeOf))
}

export function sizeOf({ content }: Transfer): number {
  return content?.size ?? 0
}

/** So many of them at a time as may be held in memory. */
export function inTurns<T>(all: readonly T[], bytesOf: (one: T) => number): readonly (readonly T[])[] {
  const turns: T[][] = []
  let bytes = 0
  for (const one of all) {
    const size = bytesOf(one)
    const current = turns.at(-1)
    if (current === undefined || current.length >= MOST || bytes + size > MOST_BYTES) {
      turns.push([one])
      bytes = size
      continue
    }
    current.push(one)
    bytes += size
  }
  return turns
}
