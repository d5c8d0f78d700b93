/**
 * A process that appends records and says on stdout which were acknowledged:
 * `node appender.ts DIRECTORY NAME COUNT [KEY_DIRECTORY [START SPEED]]`. Its clock was right at START (milliseconds since
 * 1970) and goes SPEED times as fast as ours.
 */
import { createAuditLog } from '../../src/adapters/audit/audit-log.ts'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import type { AuditEntry } from '../../src/core/audit/record.ts'
import type { Clock } from '../../src/ports/clock.ts'

const [directory = '', name = '', count = '0', keyDirectory, start, speed = '1'] = process.argv.slice(2)
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const clock: Clock = {
  now: () => (start === undefined ? Date.now() : Number(start) + (Date.now() - Number(start)) * Number(speed)),
  elapsed: () => systemClock.elapsed(),
}
const log = createAuditLog({ directory, keyDirectory, clock, log: quiet, checkpointEvery: { records: 8, ms: 50 } })
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
    ts: new Date(clock.now()).toISOString(),
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
