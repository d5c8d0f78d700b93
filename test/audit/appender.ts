/** A process that appends records and says on stdout which were acknowledged: `node appender.ts DIRECTORY NAME COUNT`. */
import { createAuditLog } from '../../src/adapters/audit/audit-log.ts'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import type { AuditEntry } from '../../src/core/audit/record.ts'

const [directory = '', name = '', count = '0'] = process.argv.slice(2)
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const log = createAuditLog({ directory, clock: systemClock, log: quiet })
let next = 0

async function appendSome(): Promise<void> {
  while (next < Number(count)) {
    const tool = `${name}-${next++}`
    const { seq } = await log.append(record(tool))
    process.stdout.write(`${tool} ${seq}\n`)
  }
}

function record(tool: string): AuditEntry {
  return {
    ts: new Date(systemClock.now()).toISOString(),
    caller_id: name,
    caller_addr: 'stdio',
    tool,
    args_summary: {},
    decision: 'ALLOW',
    reason: 'rule_matched',
    visibility_granted: null,
    redacted_fields: [],
    tx_id: null,
    result: 'OK',
    error_type: null,
    latency_ms: 0,
  }
}

await Promise.all([appendSome(), appendSome(), appendSome()])
await log.close()
