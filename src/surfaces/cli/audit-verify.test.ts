import { expect, test } from 'vitest'
import type { KeyUsed } from '../../core/audit/attestation.ts'
import type { Intact, Verification } from '../../core/audit/verify.ts'
import { Failure } from '../../core/failure.ts'
import { type VerifyChoice, verifyAudit } from './audit-verify.ts'

const intact: Intact = {
  kind: 'intact',
  records: 12,
  files: 1,
  firstDay: '2026-05-06',
  lastDay: '2026-05-08',
  fromTheBeginning: true,
  tornTails: 0,
  missingFiles: 0,
  deletedFiles: 0,
  attestation: { trusted: 0, unknown: 0, bareFiles: 0, unproved: 12 },
}
const NO_KEY = { kind: 'none' } as const
const KEY = { kind: 'found', id: '0a1b2c3d' } as const

async function said(
  verify: () => Promise<Verification>,
  key: KeyUsed = NO_KEY,
  choice: VerifyChoice = {},
  hasKey = false,
): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = []
  const err: string[] = []
  const terminal = { print: (text: string) => void out.push(text), complain: (text: string) => void err.push(text) }
  const code = await verifyAudit(choice, {
    verify: async () => ({ ...(await verify()), key }),
    terminal,
    ownDirectory: '/own',
    hasKey: () => hasKey,
  })
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
  expect(out.split('\n').filter((line) => line.startsWith('note: '))).toHaveLength(5)
})

const signed = { trusted: 3, unknown: 0, bareFiles: 0, unproved: 2 }

test.each<[string, Partial<Intact['attestation']>, KeyUsed, RegExp]>([
  [
    'how far the checkpoints reach',
    signed,
    KEY,
    /^signed: 3 checkpoints, covering 10 of 12 records, with key 0a1b2c3d$/m,
  ],
  ['what follows the last of them', signed, KEY, /^note: not proved: 2 records after the last checkpoint/m],
  ['that nothing does', { ...signed, unproved: 0 }, KEY, /^note: not proved: whether newer files/m],
  ['that the key found here could be replaced', signed, KEY, /^note: .*--key$/m],
  ['that there is no key', { unknown: 3 }, NO_KEY, /^note: there is no public key/m],
  ['that there are no checkpoints', {}, KEY, /^note: there are no checkpoints/m],
  ['that the key was replaced', { ...signed, unknown: 1 }, KEY, /^note: 1 checkpoint signed with another key/m],
  ['that the checkpoints of a file are gone', { ...signed, bareFiles: 1 }, KEY, /^note: 1 earlier file without/m],
])('it says %s', async (_name, attestation, key, line) => {
  const { code, out } = await said(
    async () => ({ ...intact, attestation: { ...intact.attestation, ...attestation } }),
    key,
  )
  expect(code).toBe(0)
  expect(out).toMatch(line)
})

test('a key that was given is handed on', async () => {
  const given: unknown[] = []
  const verify = async (directory: string, options: object) => {
    given.push(directory, options)
    return { ...intact, key: KEY }
  }
  const terminal = { print() {}, complain() {} }
  await verifyAudit(
    { directory: '/there', key: 'postern/audit+…' },
    { verify, terminal, ownDirectory: '/own', hasKey: () => true },
  )
  expect(given).toEqual(['/there', { key: 'postern/audit+…' }])
})

test('the first bad record is named, and the exit code is 1', async () => {
  const broken = { kind: 'broken', file: '2026-05-07.jsonl', line: 4, seq: 3, problem: 'altered' } as const
  const { code, out } = await said(async () => broken)
  expect(code).toBe(1)
  expect(out).toMatch(/^bad record: 2026-05-07\.jsonl, line 4, seq 3: .+ \(altered\)\n$/)
})

const absent = (): Promise<never> => Promise.reject(new Failure('not_found', 'there is no such audit directory'))
const empty = async (): Promise<Intact> => ({ ...intact, records: 0, files: 0 })

test.each([
  ['no directory', absent],
  ['no record in it', empty],
])('before the first record there is nothing wrong: %s', async (_name, verify) => {
  expect(await said(verify)).toEqual({ code: 0, out: 'no records yet in /own\n', err: '' })
})

test.each<[string, VerifyChoice, boolean]>([
  ['whoever names the directory', { directory: '/own' }, false],
  ['whoever brings a key', { key: 'k' }, false],
  ['whoever has written before', {}, true],
])('%s is told that the records are not there, and the exit code is 1', async (_name, choice, hasKey) => {
  expect(await said(absent, NO_KEY, choice, hasKey)).toEqual({
    code: 1,
    out: '',
    err: 'postern: there is no such audit directory: /own\n',
  })
  const { code, err } = await said(empty, NO_KEY, choice, hasKey)
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('there is no record in /own') })
})
