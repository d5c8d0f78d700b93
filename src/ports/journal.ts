/**
 * Where transfers are written down before anything is done about them.
 *
 * Promises: when `begin` or `record` resolves, all of it is on disk, in one transaction, and survives any crash; when it
 * rejects, nothing of it is there. Calls at the same time may share one sync. Several processes may share one journal:
 * a message is moved by one of them at a time, and an arrival belongs to one transfer: a second one is `conflict`. A
 * transfer is worked on only by whoever has claimed it, and what a dead process had claimed is free at once.
 */
import type { Destination } from '../core/action.ts'
import type { TransferEvent } from '../core/transfer/machine.ts'
import type { Transfer } from '../core/transfer/transfer.ts'

export interface Recorded {
  readonly event: TransferEvent
  /** The transfer as the event left it. */
  readonly after: Transfer
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface Journal {
  /** Writes them down, claimed by this process. */
  begin(transfers: readonly Transfer[]): Promise<void>
  record(steps: readonly Recorded[]): Promise<void>
  get(txId: string): Promise<Transfer | undefined>
  /** Those that are not final, oldest first. */
  unfinished(): Promise<readonly Transfer[]>
  /** Those that need a person, oldest first. */
  stuck(): Promise<readonly Transfer[]>
  /** The uids that transfers, finished or not, have put into a mailbox under that uidvalidity. */
  arrivedIn(destination: Destination, uidvalidity: number): Promise<ReadonlySet<number>>
  /** All of them, newest first. */
  list(most: number): Promise<readonly Transfer[]>
  /** Takes those that nobody alive has; returns the ids that are ours now. */
  claim(txIds: readonly string[]): Promise<readonly string[]>
  release(txIds: readonly string[]): Promise<void>
  close(): Promise<void>
}
