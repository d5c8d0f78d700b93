import { expect, test } from 'vitest'
import { tokenRefresh } from '../../core/audit/events.ts'
import type { AuditEntry } from '../../core/audit/record.ts'
import type { Selection } from '../../core/audit/selection.ts'
import { Failure } from '../../core/failure.ts'
import { type AuditShowChoice, type AuditShowParts, recordLine, showAudit } from './audit-show.ts'
import { momentOf } from './moment.ts'

const NOW = Date.parse('2026-05-06T12:00:00.000Z')
const record: AuditEntry = { ...tokenRefresh('2026-05-06T10:00:00.000Z', 'work'), caller_id: 'ann', latency_ms: 12 }

interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly asked: readonly unknown[]
}

type Read = AuditShowParts['read']

async function said(
  choice: AuditShowChoice,
  read: Read = () => shown(record),
  readers = Infinity,
  hasOwn = true,
): Promise<Said> {
  let out = ''
  const errors: string[] = []
  let asked: readonly unknown[] = []
  let prints = 0
  const code = await showAudit(choice, {
    read(...words) {
      asked = words
      return read(...words)
    },
    ownDirectory: '/own',
    hasOwn: () => hasOwn,
    terminal: { print() {}, complain: (text) => void errors.push(text) },
    async print(text) {
      out += text
      prints += 1
      return prints < readers
    },
    now: () => NOW,
  })
  return { code, out, err: errors.join(''), asked }
}

async function* shown(
  ...records: AuditEntry[]
): ReturnType<Read> extends AsyncIterable<infer T> ? AsyncGenerator<T> : never {
  for (const one of records) yield { kind: 'record', record: one, line: `raw ${one.tool}` }
}

test('a record is one readable line', async () => {
  const { code, out, asked } = await said({})
  expect({ code, out }).toEqual({
    code: 0,
    out: '2026-05-06T10:00:00.000Z ALLOW OK      ann@internal token_refresh token_refreshed account=work 12ms\n',
  })
  expect(asked).toEqual(['/own', {}, undefined])
})

test('raw lines where they are asked for', async () => {
  expect((await said({ json: true })).out).toBe('raw token_refresh\n')
})

test('every choice is handed on', async () => {
  const words = { caller: 'ann', tool: 'search', reason: 'r' }
  const { asked } = await said({
    ...words,
    decision: 'deny',
    since: '2h',
    until: '2026-05-06',
    limit: 7,
    directory: '/d',
  })
  const selection: Selection = { ...words, decision: 'DENY', since: NOW - 7_200_000, until: NOW + 43_200_000 }
  expect(asked).toEqual(['/d', selection, 7])
})

test('nothing in a record can take hold of the terminal or end its line', () => {
  const evil = 'a\u001b[2J\u009b\r\n\u202e\u2028\u200b\u007f'
  const line = recordLine({
    ...record,
    caller_id: evil,
    reason: evil,
    args_summary: { folder: evil, tags: [evil], source: { account: evil, folder: evil, uid: 1 } },
  })
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(line).toContain('a\\u{1b}[2J\\u{9b}\\u{d}\\u{a}\\u{202e}\\u{2028}\\u{200b}\\u{7f}')
})

test.each<[string, AuditShowChoice]>([
  ['a decision', { decision: 'maybe' }],
  ['a time', { since: 'yesterday' }],
  ['a number', { limit: 0 }],
])('%s that is none is said, and the exit code is 1', async (_name, choice) => {
  const { code, out, err } = await said(choice)
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/^postern: [^/]+\n$/)
})

test('lines that are no records are left out, counted, and the exit code is 1', async () => {
  const { code, out, err } = await said({}, async function* () {
    yield { kind: 'unreadable', file: '2026-05-06.jsonl', line: 3 }
    yield* shown(record)
  })
  expect(code).toBe(1)
  expect(out).toMatch(/^2026.*\n$/)
  expect(err).toContain('left out: 1')
})

test('where nothing matches, that is said', async () => {
  expect(await said({ caller: 'bob' }, () => shown())).toMatchObject({
    code: 0,
    out: '',
    err: 'postern: no record matches in /own\n',
  })
})

test('when nobody reads any more, it stops', async () => {
  let read = 0
  const endless: Read = async function* () {
    for (; ; read += 1) yield* shown(record)
  }
  expect((await said({}, endless, 1)).code).toBe(0)
  expect(read).toBeLessThan(1000)
})

test('before anything happened there are no records, which is no failure', async () => {
  const missing: Read = () => {
    throw new Failure('not_found', 'there is no such directory')
  }
  expect(await said({}, missing, Infinity, false)).toMatchObject({
    code: 0,
    out: '',
    err: 'postern: there are no records yet; they will be in /own\n',
  })
  expect(await said({ directory: '/d' }, missing, Infinity, false)).toMatchObject({
    code: 1,
    err: 'postern: there is no such directory: /d\n',
  })
  expect((await said({ limit: 0 }, missing, Infinity, false)).code).toBe(1)
})

test('a directory that cannot be read is said so', async () => {
  const { code, err } = await said({}, () => {
    throw new Failure('not_found', 'there is no such directory')
  })
  expect({ code, err }).toEqual({ code: 1, err: 'postern: there is no such directory: /own\n' })
})

test.each([
  ['2026-05-06', 'start', '2026-05-06T00:00:00.000Z'],
  ['2026-05-06', 'end', '2026-05-07T00:00:00.000Z'],
  ['2026-05-06T10:00', 'start', '2026-05-06T10:00:00.000Z'],
  ['2026-05-06T10:00:01.5Z', 'end', '2026-05-06T10:00:01.500Z'],
  ['2026-05-06T10:00:00+02:00', 'start', '2026-05-06T08:00:00.000Z'],
  ['90s', 'start', '2026-05-06T11:58:30.000Z'],
  ['1w', 'end', '2026-04-29T12:00:00.000Z'],
] as const)('%s (%s) is %s', (text, edge, iso) => {
  expect(new Date(momentOf(text, NOW, edge)).toISOString()).toBe(iso)
})

test.each(['', '2026-13-01', '2026-05-06 10:00', '5y', '-1h', 'now'])('%j is no time', (text) => {
  expect(() => momentOf(text, NOW, 'start')).toThrow('a time is written as')
})
