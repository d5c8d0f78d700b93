/**
 * `postern audit show`: the records somebody wants to see, one line each.
 *
 * INVARIANT: nothing in a record can move the cursor, colour the terminal or end a line: such characters are written as
 * escapes.
 */

import type { AuditEntry } from '../../core/audit/record.ts'
import { REFUSED_CALLS } from '../../core/audit/refused-call.ts'
import type { Selection } from '../../core/audit/selection.ts'
import { Failure } from '../../core/failure.ts'
import { escaped } from './escaped.ts'
import { momentOf } from './moment.ts'
import type { Terminal } from './program.ts'

export interface AuditShowChoice {
  /** Absent for the configured audit directory. */
  readonly directory?: string
  readonly caller?: string
  readonly tool?: string
  /** `allow` or `deny`, in any case. */
  readonly decision?: string
  readonly reason?: string
  /** A day, a time, or an age such as `2h`. */
  readonly since?: string
  readonly until?: string
  /** Only the latest so many. */
  readonly limit?: number
  /** The lines as they stand in the files. */
  readonly json?: boolean
}

type Shown =
  | { readonly kind: 'record'; readonly record: AuditEntry; readonly line: string }
  | { readonly kind: 'unreadable'; readonly file: string; readonly line: number }

export interface AuditShowParts {
  read(directory: string, selection: Selection, latest?: number): AsyncIterable<Shown>
  /** Where this installation keeps its record. */
  readonly ownDirectory: string
  /** Whether that directory is there: the first call to a server makes it. */
  hasOwn(): boolean
  readonly terminal: Terminal
  /** Resolves when there is room for more: false once nobody reads any more. */
  print(text: string): Promise<boolean>
  now(): number
}

/** Enough to be quick, little enough to hold. */
const CHUNK = 32_768

export async function showAudit(choice: AuditShowChoice, parts: AuditShowParts): Promise<number> {
  const directory = choice.directory ?? parts.ownDirectory
  try {
    const [selection, limit] = [selectionOf(choice, parts.now()), limitOf(choice)]
    if (choice.directory === undefined && !parts.hasOwn()) {
      parts.terminal.complain(`postern: there are no records yet; they will be in ${directory}\n`)
      return 0
    }
    const { unreadable, shown } = await printAll(parts.read(directory, selection, limit), choice, parts)
    if (shown === 0 && unreadable === 0) parts.terminal.complain(`postern: no record matches in ${directory}\n`)
    if (unreadable === 0) return 0
    parts.terminal.complain(
      `postern: lines that are no records were left out: ${unreadable}; see "postern audit verify"\n`,
    )
    return 1
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    parts.terminal.complain(`postern: ${error.message}${error.code === 'invalid_input' ? '' : `: ${directory}`}\n`)
    return 1
  }
}

async function printAll(
  records: AsyncIterable<Shown>,
  { json = false }: AuditShowChoice,
  { print }: AuditShowParts,
): Promise<{ readonly unreadable: number; readonly shown: number }> {
  let text = ''
  let [unreadable, shown] = [0, 0]
  for await (const one of records) {
    if (one.kind === 'unreadable') unreadable += 1
    else {
      text += `${json ? one.line : recordLine(one.record)}\n`
      shown += 1
    }
    if (text.length < CHUNK) continue
    if (!(await print(text))) return { unreadable, shown }
    text = ''
  }
  if (text !== '') await print(text)
  return { unreadable, shown }
}

export function recordLine(record: AuditEntry): string {
  const { ts, decision, result, caller_id, caller_addr, tool, reason, error_type, tx_id, latency_ms } = record
  const facts = [
    ...Object.entries(record.args_summary).map(([name, value]) => `${name}=${valueText(value)}`),
    ...(record.visibility_granted === null ? [] : [`level=${record.visibility_granted}`]),
    ...(error_type === null ? [] : [`error=${error_type}`]),
    ...(tx_id === null ? [] : [`tx=${tx_id}`]),
    ...(record.day === undefined ? [] : [`day=${record.day}`]),
    ...(record.bytes === undefined ? [] : [`bytes=${record.bytes}`]),
    ...(record.left_out === undefined ? [] : [`left_out=${record.left_out}`]),
    `${latency_ms}ms`,
  ]
  return escaped(
    `${ts} ${decision.padEnd(5)} ${result.padEnd(7)} ${caller_id}@${caller_addr} ${tool} ${reasonText(reason)} ${facts.join(' ')}`,
  )
}

/** Most reasons are words of the policy; these are told in ours too. */
function reasonText(reason: string): string {
  const words = Object.entries(REFUSED_CALLS).find(([name]) => name === reason)?.[1]
  return words === undefined ? reason : `${reason} (${words})`
}

function valueText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function selectionOf({ caller, tool, decision, reason, since, until }: AuditShowChoice, now: number): Selection {
  return {
    ...(caller !== undefined && { caller }),
    ...(tool !== undefined && { tool }),
    ...(decision !== undefined && { decision: decisionOf(decision) }),
    ...(reason !== undefined && { reason }),
    ...(since !== undefined && { since: momentOf(since, now, 'start') }),
    ...(until !== undefined && { until: momentOf(until, now, 'end') }),
  }
}

function decisionOf(text: string): string {
  const decision = text.toUpperCase()
  if (decision === 'ALLOW' || decision === 'DENY') return decision
  throw new Failure('invalid_input', '--decision is allow or deny')
}

function limitOf({ limit }: AuditShowChoice): number | undefined {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit > 0)) return limit
  throw new Failure('invalid_input', '--limit is a whole number from 1')
}
