/** Reads one line of the log back. What passes here has the place of a record and is written exactly as we write. */
import { type ChainedRecord, canonicalJson } from './chain.ts'

export type LineReading = { readonly kind: 'record'; readonly record: ChainedRecord } | LineProblem

export interface LineProblem {
  readonly kind: 'missing_newline' | 'bad_json' | 'not_a_record' | 'not_canonical'
}

const NEWLINE = 0x0a
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const HASH_SHAPE = /^sha256:[0-9a-f]{64}$/

/** `line` is the exact bytes, newline included. */
export function readLine(line: Uint8Array): LineReading {
  if (line.at(-1) !== NEWLINE) return { kind: 'missing_newline' }
  const text = decode(line.subarray(0, -1))
  const value = text === undefined ? undefined : parse(text)
  if (value === undefined) return { kind: 'bad_json' }
  if (!isRecord(value)) return { kind: 'not_a_record' }
  // Otherwise one record could be written in many ways, with a key twice for instance.
  return canonicalJson(value) === text ? { kind: 'record', record: value } : { kind: 'not_canonical' }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return STRICT_UTF8.decode(bytes)
  } catch {
    return undefined
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is ChainedRecord {
  if (typeof value !== 'object' || value === null) return false
  const fields: Partial<Record<keyof ChainedRecord, unknown>> = value
  return (
    Number.isSafeInteger(fields.seq) &&
    typeof fields.ts === 'string' &&
    typeof fields.tool === 'string' &&
    isHash(fields.prev_hash) &&
    (fields.prev_eof_hash === undefined || isHash(fields.prev_eof_hash)) &&
    (fields.final_hash === undefined || isHash(fields.final_hash))
  )
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && HASH_SHAPE.test(value)
}
