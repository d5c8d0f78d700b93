import { expect, test } from 'vitest'
import type { Intact, Verification } from '../../core/audit/verify.ts'
import { Failure } from '../../core/failure.ts'
import { verifyAudit } from './audit-verify.ts'

const intact: Intact = {
  kind: 'intact',
  records: 12,
  files: 1,
  firstDay: '2026-05-06',
  lastDay: '2026-05-08',
  fromTheBeginning: true,
  tornTails: 0,
  missingFiles: 0,
}

async function said(verify: () => Promise<Verification>): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = []
  const err: string[] = []
  const terminal = { print: (text: string) => void out.push(text), complain: (text: string) => void err.push(text) }
  const code = await verifyAudit({}, { verify, terminal, ownDirectory: '/own' })
  return { code, out: out.join(''), err: err.join('') }
}

test('a whole chain is ok', async () => {
  const { code, out, err } = await said(async () => intact)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^ok: 12 records in 1 file, chain intact from 2026-05-06 to 2026-05-08\n/)
  expect(out).toContain('nothing follows the newest record')
})

test('what a whole chain tells of itself is passed on', async () => {
  const { code, out } = await said(async () => ({ ...intact, fromTheBeginning: false, tornTails: 1, missingFiles: 2 }))
  expect(code).toBe(0)
  expect(out.split('\n').filter((line) => line.startsWith('note: '))).toHaveLength(4)
})

test('the first bad record is named, and the exit code is 1', async () => {
  const broken = { kind: 'broken', file: '2026-05-07.jsonl', line: 4, seq: 3, problem: 'altered' } as const
  const { code, out } = await said(async () => broken)
  expect(code).toBe(1)
  expect(out).toMatch(/^bad record: 2026-05-07\.jsonl, line 4, seq 3: .+ \(altered\)\n$/)
})

test('a directory that cannot be read is said so, and the exit code is 1', async () => {
  const failed = await said(() => Promise.reject(new Failure('not_found', 'there is no such audit directory')))
  expect(failed).toEqual({ code: 1, out: '', err: 'postern: there is no such audit directory: /own\n' })
})
