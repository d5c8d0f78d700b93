/**
 * The arithmetic of the hash chain. Pure: whoever calls brings the hash function.
 *
 * INVARIANT: a line is the record's JSON with sorted keys at every depth and one `\n`; `prev_hash` is the hash of the
 * line before it, newline included. A day's file ends with `eof_day`; the next day's first record follows the line
 * before that one (`prev_hash` = its `final_hash`) and names the `eof_day` line itself in `prev_eof_hash`.
 */
import { EOF_DAY } from './events.ts'
import type { AuditEntry } from './record.ts'

/** SHA-256 of these bytes (a string counts as its UTF-8), in hex. */
export type Hash = (bytes: Uint8Array | string) => string

/** What the next record of a file says about its own place. */
export interface Place {
  readonly seq: number
  readonly prev_hash: string
  /** Only on the first record of a file that follows another one. */
  readonly prev_eof_hash?: string
}

export type ChainedRecord = AuditEntry & Place

/** Where the first record ever goes. */
export const GENESIS: Place = { seq: 0, prev_hash: `sha256:${'0'.repeat(64)}` }

export function chain(entry: AuditEntry, place: Place, hash: Hash): { readonly line: string; readonly next: Place } {
  const line = canonicalLine(entry, place)
  return { line, next: { seq: place.seq + 1, prev_hash: lineHash(line, hash) } }
}

/** The place after a record whose line has the hash `own`: in its file, or after `eof_day` in the next one. */
export function placeAfter(record: ChainedRecord, own: string): Place {
  if (!closesDay(record)) return { seq: record.seq + 1, prev_hash: own }
  return { seq: 0, prev_hash: record.final_hash, prev_eof_hash: own }
}

export function closesDay(record: AuditEntry): record is AuditEntry & { readonly final_hash: string } {
  return record.tool === EOF_DAY && record.final_hash !== undefined
}

export function lineHash(line: Uint8Array | string, hash: Hash): string {
  return `sha256:${hash(line)}`
}

function canonicalLine(entry: AuditEntry, place: Place): string {
  const record = inKeyOrder(entry, place)
  // All but the summary stands in order already.
  return `${hasKeysInOrder(entry.args_summary) ? JSON.stringify(record) : canonicalJson(record)}\n`
}

export function canonicalJson(value: unknown): string {
  // Native, and several times as fast; it leaves out what is undefined just as we do.
  if (hasKeysInOrder(value)) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  let text = ''
  for (const key of Object.keys(Object(value)).sort()) {
    const field: unknown = Reflect.get(Object(value), key)
    if (field !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(field)}`
  }
  return `{${text}}`
}

function hasKeysInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(hasKeysInOrder)
  let before = ''
  for (const key of Object.keys(value)) {
    if (key < before || !hasKeysInOrder(Reflect.get(value, key))) return false
    before = key
  }
  return true
}

/** With a type that lets no field be forgotten: one that is not named here would not be recorded. */
function inKeyOrder(entry: AuditEntry, place: Place): { [Key in keyof Required<ChainedRecord>]: unknown } {
  return {
    args_summary: entry.args_summary,
    bytes: entry.bytes,
    caller_addr: entry.caller_addr,
    caller_id: entry.caller_id,
    day: entry.day,
    decision: entry.decision,
    error_type: entry.error_type,
    final_hash: entry.final_hash,
    intent_seq: entry.intent_seq,
    latency_ms: entry.latency_ms,
    left_out: entry.left_out,
    prev_eof_hash: place.prev_eof_hash,
    prev_hash: place.prev_hash,
    reason: entry.reason,
    redacted_fields: entry.redacted_fields,
    result: entry.result,
    seq: place.seq,
    tool: entry.tool,
    ts: entry.ts,
    tx_id: entry.tx_id,
    visibility_granted: entry.visibility_granted,
  }
}
