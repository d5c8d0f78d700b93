/**
 * What the audit log costs beyond the disk: records appended with sixteen in flight, beside the same lines appended in
 * groups of sixteen and synced, with nothing else done. Raw lines are written twice: on the main thread, which then stands
 * still while the disk works, and through the thread pool, as a server must that answers others meanwhile.
 */
import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { createAuditLog } from '../src/adapters/audit/audit-log.ts'
import { systemClock } from '../src/adapters/clock/system-clock.ts'
import type { AuditEntry } from '../src/core/audit/record.ts'
import type { AuditLog } from '../src/ports/audit-log.ts'
import { count, median, times } from './figures.ts'
import type { Goal, Section } from './report.ts'
import { inTemporaryFolder } from './servers.ts'

const IN_FLIGHT = 16
const ROUNDS = 30
const WARM_UP = 5
const ROUND_MS = 100
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/** Each writes for a round and says how many lines a second that were. */
interface Side {
  readonly name: string
  run(): Promise<number>
  readonly rates: number[]
}

export function audit(): Promise<Section> {
  return inTemporaryFolder(async (home) => {
    const directory = join(home, 'audit')
    const log = createAuditLog({ directory, keyDirectory: home, clock: systemClock, log: quiet })
    await log.append(entry(0))
    const group = Buffer.from(firstLine(directory).repeat(IN_FLIGHT))
    const [file, pooled] = [openSync(join(home, 'raw'), 'a'), await open(join(home, 'pooled'), 'a')]
    const sides: Side[] = [
      { name: 'raw: append, fdatasync', run: () => rawRate(file, group), rates: [] },
      { name: 'raw, through the thread pool', run: () => pooledRate(pooled, group), rates: [] },
      { name: 'audit log: chained, locked, signed', run: () => auditRate(log), rates: [] },
    ]
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      for (const { run, rates } of sides) {
        const rate = await run()
        if (round >= 0) rates.push(rate)
      }
    }
    await log.close()
    closeSync(file)
    await pooled.close()
    return section(sides)
  })
}

async function rawRate(file: number, group: Buffer): Promise<number> {
  return rateOf(async (isOver) => {
    let lines = 0
    for (; !isOver(); lines += IN_FLIGHT) {
      writeSync(file, group)
      fdatasyncSync(file)
    }
    return lines
  })
}

function pooledRate(file: FileHandle, group: Buffer): Promise<number> {
  return rateOf(async (isOver) => {
    let lines = 0
    for (; !isOver(); lines += IN_FLIGHT) {
      await file.write(group)
      await file.datasync()
    }
    return lines
  })
}

function auditRate(log: AuditLog): Promise<number> {
  return rateOf(async (isOver) => {
    let records = 0
    const caller = async (): Promise<void> => {
      while (!isOver()) {
        records += 1
        await log.append(entry(records))
      }
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
    return records
  })
}

async function rateOf(work: (isOver: () => boolean) => Promise<number>): Promise<number> {
  const began = performance.now()
  const done = await work(() => performance.now() - began >= ROUND_MS)
  return done / ((performance.now() - began) / 1000)
}

function entry(uid: number): AuditEntry {
  return {
    ts: new Date().toISOString(),
    caller_id: 'bench',
    caller_addr: 'stdio',
    tool: 'fetch_headers',
    args_summary: { account: 'work', folder: 'INBOX', uid },
    decision: 'ALLOW',
    reason: 'folder_default_applied',
    visibility_granted: 'FULL',
    redacted_fields: [],
    tx_id: null,
    result: 'OK',
    error_type: null,
    latency_ms: 3,
  }
}

function firstLine(directory: string): string {
  const name = readdirSync(directory).find((one) => one.endsWith('.jsonl')) ?? ''
  return `${readFileSync(join(directory, name), 'utf8').split('\n')[0]}\n`
}

function section(sides: readonly Side[]): Section {
  const [raw, pooled, ours] = sides.map(({ rates }) => median(rates))
  const share = (whole = Number.NaN): Goal => ({
    what: '',
    measured: whole / (ours ?? Number.NaN),
    atMost: 1 / 0.7,
    write: times,
  })
  return {
    title: 'Audit records per second',
    note: `Medians of ${ROUNDS} interleaved rounds of ${ROUND_MS} ms, ${IN_FLIGHT} records in flight beside groups of ${IN_FLIGHT} raw lines.`,
    head: ['', 'lines / s', 'cost / raw', 'cost / pooled'],
    rows: sides.map(({ name, rates }) => [
      name,
      count(median(rates)),
      times((raw ?? Number.NaN) / median(rates)),
      times((pooled ?? Number.NaN) / median(rates)),
    ]),
    goals: [
      { ...share(pooled), what: "a record's cost / a raw synced line's, through the thread pool" },
      { ...share(raw), what: "a record's cost / a raw synced line's, main thread standing still" },
    ],
  }
}
