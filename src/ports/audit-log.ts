/**
 * The record of what was asked, decided and done.
 *
 * Promises: when `append` resolves, the record is on disk (fsync) as one whole line of the hash chain and survives any
 * crash; concurrent appends may share one fsync. Several processes may append to one directory at the same time and
 * the chain stays one. When it rejects, nothing may be assumed: the caller must not do what it wanted recorded.
 */
import type { AuditEntry } from '../core/audit/record.ts'

export interface AuditLog {
  /** Returns the record's number in its day file. */
  append(entry: AuditEntry): Promise<{ readonly seq: number }>
  close(): Promise<void>
}

/** One that can say whether it could be written, without a record. */
export interface CheckedAuditLog extends AuditLog {
  /** Rejects, as `append` would, where the next record could not be written. */
  checkWritable(): Promise<void>
}
