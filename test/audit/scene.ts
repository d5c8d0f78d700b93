/** What the tests of the audit log share: a directory of their own, records, a clock that is set by hand. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type AuditFiles, type AuditLogParts, createAuditLog } from '../../src/adapters/audit/audit-log.ts'
import { type Disk, systemDisk } from '../../src/adapters/audit/disk.ts'
import type { ChainedRecord } from '../../src/core/audit/chain.ts'
import type { AuditEntry } from '../../src/core/audit/record.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Log } from '../../src/ports/log.ts'

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

export class HandClock implements Clock {
  #now: number

  constructor(iso: string) {
    this.#now = Date.parse(iso)
  }

  set(iso: string): void {
    this.#now = Date.parse(iso)
  }

  now(): number {
    return this.#now
  }

  elapsed(): number {
    return performance.now()
  }
}

export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'audit-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

type MoreParts = Omit<AuditLogParts, 'directory' | 'clock' | 'disk'>

export function openLog(
  directory: string,
  clock: Clock,
  disk: Disk = systemDisk,
  more: Partial<MoreParts> = {},
): AuditFiles {
  const log = createAuditLog({ directory, clock, log: silent, disk, ...more })
  onTestFinished(() => log.close())
  return log
}

export function entry(tool: string): AuditEntry {
  return {
    ts: '2026-05-06T10:00:00.000Z',
    caller_id: 'local',
    caller_addr: 'stdio',
    tool,
    args_summary: { account: 'work', folder: 'Entwürfe', uid: 7 },
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

export function fileNames(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => !name.startsWith('.'))
    .sort()
}

/** Fails if any line does not parse. */
export function recordsOf(directory: string, day: string): ChainedRecord[] {
  const lines = readFileSync(join(directory, `${day}.jsonl`), 'utf8').split('\n')
  if (lines.pop() !== '') throw new Error('the last line has no newline')
  return lines.map((line) => JSON.parse(line))
}

export function toolsOf(directory: string, day: string): string[] {
  return recordsOf(directory, day).map(({ tool }) => tool)
}
