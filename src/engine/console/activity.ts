/** The record, for a person who looks at it live. */
import type { ChainedRecord } from '../../core/audit/chain.ts'
import { Failure } from '../../core/failure.ts'
import { writeLineOut } from '../../core/outbox/written-out.ts'
import type { AuditReader, RecordPlace } from '../../ports/audit-reader.ts'
import type { ChainState, ChainWatch } from './chain-watch.ts'

export interface ActivityAsked {
  readonly caller?: string
  readonly tool?: string
  readonly decision?: string
  readonly result?: string
  /** The id of the last record that is there already. */
  readonly before?: string
  readonly limit: number
}

export interface ActivityPage {
  readonly records: readonly (ChainedRecord & { readonly id: string })[]
  readonly chain: ChainState
  readonly more: boolean
}

export interface Activity {
  page(asked: ActivityAsked): Promise<ActivityPage>
}

export function createActivity(reader: AuditReader, chain: ChainWatch): Activity {
  return {
    async page({ before, limit, ...selection }) {
      const place = before === undefined ? {} : { before: placeFrom(before) }
      const [found, state] = await Promise.all([reader.latest({ ...selection, ...place }, limit + 1), chain.state()])
      const records = found.slice(0, limit).map(({ day, record }) => ({ ...shown(record), id: `${day}:${record.seq}` }))
      return { records, chain: state, more: found.length > limit }
    },
  }
}

/** A caller may have asked for a folder of any name. */
function shown<T>(value: T): T {
  if (typeof value === 'string') return writeLineOut(value) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(shown) as T
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shown(field)])) as T
}

function placeFrom(id: string): RecordPlace {
  const [, day, seq] = /^(\d{4}-\d{2}-\d{2}):(\d{1,15})$/.exec(id) ?? []
  if (day === undefined || seq === undefined) {
    throw new Failure('invalid_input', 'before must be the id of a record, such as 2026-05-06:17')
  }
  return { day, seq: Number(seq) }
}
