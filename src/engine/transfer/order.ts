/** What is asked for when messages are to be carried to another account. */
import type { Destination } from '../../core/action.ts'
import { begun, type Operation, type Transfer } from '../../core/transfer/transfer.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'

export interface Order {
  readonly callerId: string
  readonly operation: Operation
  readonly from: MailboxAt & { readonly account: string }
  readonly uids: readonly number[]
  readonly to: Destination
  /** Those of them whose envelope the caller may read. */
  readonly readable: ReadonlySet<number>
  /** Whether each had a star when it was judged, where that matters at the destination. */
  readonly starred?: ReadonlyMap<number, boolean>
  /** What the server said of their sizes: it need not be asked again. */
  readonly sizes?: ReadonlyMap<number, number>
}

export function ordered(order: Order, uid: number, txId: string, createdAt: number): Transfer {
  const { callerId, operation, from, to } = order
  const starred = order.starred?.get(uid)
  return begun({
    txId,
    callerId,
    operation,
    source: { account: from.account, mailbox: from.mailbox, uidvalidity: from.uidvalidity, uid },
    destination: to,
    createdAt,
    ...(order.readable.has(uid) && { readable: true }),
    ...(starred !== undefined && { starred }),
  })
}

/** By the ids of the transfers. */
export function sizesOf({ sizes }: Order, transfers: readonly Transfer[]): ReadonlyMap<string, number> {
  return new Map(
    transfers.flatMap(({ txId, source }) => {
      const size = sizes?.get(source.uid)
      return size === undefined ? [] : [[txId, size]]
    }),
  )
}
