/** Tells whoever runs this server that transfers wait for a person, once for all that came to it together. */
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { Log } from '../../ports/log.ts'

export function stuckNotice(log: Log): (transfers: readonly Transfer[]) => void {
  return (transfers) => {
    const [first] = transfers
    if (first === undefined) return
    const errors = [...new Set(transfers.map(({ lastError }) => lastError))]
    const [from, to] = [first.source.account, first.destination.account]
    log.warn(
      { from, to, transfers: transfers.length, errors },
      `moves or copies from account ${from} to account ${to} need an operator; "postern transfers list" shows them`,
    )
  }
}
