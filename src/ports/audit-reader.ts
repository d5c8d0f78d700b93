/**
 * Reads the record back, for people.
 *
 * Promises: changes nothing, and may run while others write. Throws `Failure('unavailable')` where the record cannot be read.
 */
import type { ChainedRecord } from '../core/audit/chain.ts'
import type { Selection } from '../core/audit/selection.ts'
import type { Verification } from '../core/audit/verify.ts'

export interface AuditReader {
  /** Newest first. */
  latest(asked: RecordsWanted, most: number): Promise<readonly PlacedRecord[]>
  /** Checks the whole chain. */
  verify(): Promise<Verification>
}

export interface RecordsWanted extends Selection {
  readonly result?: string
  /** Only those that were written before this one. */
  readonly before?: RecordPlace
}

/** Numbers begin anew every day. */
export interface RecordPlace {
  /** `YYYY-MM-DD`: of the file that holds it. */
  readonly day: string
  readonly seq: number
}

export interface PlacedRecord {
  readonly day: string
  readonly record: ChainedRecord
}
