/** The audit record of a Postern under test. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROGRAM } from './postern.ts'

export interface AuditRecord {
  readonly seq: number
  readonly tool: string
  readonly result: string
  readonly error_type: string | null
  readonly intent_seq?: number
  readonly args_summary: object
}

export async function auditRecords(dataDir: string): Promise<AuditRecord[]> {
  const dir = join(dataDir, 'audit')
  const days = (await readdir(dir)).filter((name) => name.endsWith('.jsonl')).sort()
  const texts = await Promise.all(days.map((day) => readFile(join(dir, day), 'utf8')))
  return texts.flatMap((text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line): AuditRecord => JSON.parse(line)),
  )
}

/** What `postern audit verify` prints; rejects where it exits with anything but 0. */
export async function verifyRecord(dataDir: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'audit', 'verify', join(dataDir, 'audit')])
  return stdout
}
