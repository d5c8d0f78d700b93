/**
 * The folders in which a person sees what waits, and approves it by moving a file.
 *
 * Promises: nothing but regular files that lie directly in the folders is ever looked at; no link is followed. A file is taken
 * by an atomic rename: of many that try, in any process, one has it. What is posted is there whole or not at all. Folders are
 * made when they are needed, for their owner alone.
 */
import type { ApprovalFile, Approvals } from '../core/outbox/approval-file.ts'
import type { OutboxEntry } from '../core/outbox/entry.ts'

export type VaultFolder = 'Pending_Approval' | 'Approved' | 'Rejected' | 'Done' | 'Needs_Operator'

export interface Vault {
  /** Writes the request with all of the message; returns its path as the answer shows it: `vault/Pending_Approval/<id>.md`. */
  post(entry: OutboxEntry, now: number): Promise<string>
  /** The ids of the requests that lie where they wait for a person, or are approved; not more than anybody reads. */
  requests(): Promise<readonly string[]>
  /** What lies in `Approved/`, oldest first, and what lies there and counts for nothing. */
  approvals(): Promise<Approvals>
  /** Whether a person has put the request of this id among the rejected, or marked it so. */
  isRejected(id: string): Promise<boolean>
  /**
   * Takes an approval out of `Approved/`, into `Done/`, for the letter of that id; false where it is not there any more, or does
   * not allow it as it is by then: it stays there. Until it is moved or put back its name in `Done/` says for which letter it was
   * taken, so that another process can do so.
   */
  take(file: string, letter: string, allows: (as: ApprovalFile) => boolean): Promise<boolean>
  /** Those that were taken, and neither moved nor put back since. */
  taken(): Promise<readonly TakenApproval[]>
  /** Puts one back that was taken for that letter: what it allowed did not happen. */
  putBack(file: string, letter: string): Promise<void>
  /**
   * Moves whatever lies in the vault of this letter, or this file that was taken for it, to where it belongs now, with its state
   * written in it. Another process may do the same at the same moment.
   */
  move(entry: OutboxEntry, to: VaultFolder, file?: string): Promise<void>
  /** Removes the requests of these ids, wherever they lie. What a person has written stays. */
  forget(ids: readonly string[]): Promise<void>
}

export interface TakenApproval {
  /** Its name in `Approved/`. */
  readonly file: string
  /** The id of the letter. */
  readonly letter: string
  /** Milliseconds since it was taken. */
  readonly age: number
}
