import { expect, test } from 'vitest'
import { authFailed, policyReload, poolDrain, retentionDelete, sagaTransition, tokenRefresh } from './events.ts'
import type { AuditEntry } from './record.ts'

const TS = '2026-05-06T10:00:00.000Z'
const source = { account: 'work', folder: 'INBOX', uid: 7 }
const target = { account: 'home', folder: 'Archive' }
const fine = {
  ts: TS,
  caller_id: 'system',
  caller_addr: 'internal',
  decision: 'ALLOW',
  result: 'OK',
  error_type: null,
} as const

test.each<[string, AuditEntry, Partial<AuditEntry>]>([
  ['a reload', policyReload(TS, 'reload_applied'), { ...fine, tool: 'policy_reload', reason: 'reload_applied' }],
  [
    'a reload that was refused',
    policyReload(TS, 'parse_error'),
    { tool: 'policy_reload', decision: 'DENY', result: 'ERROR', reason: 'parse_error' },
  ],
  ['a new token', tokenRefresh(TS, 'work'), { ...fine, tool: 'token_refresh', args_summary: { account: 'work' } }],
  [
    'a token that was not renewed',
    tokenRefresh(TS, 'work', 'auth_failed'),
    { tool: 'token_refresh', result: 'ERROR', error_type: 'auth_failed', reason: 'token_refresh_failed' },
  ],
  [
    'closed connections',
    poolDrain(TS, 'work', 'account_removed'),
    { ...fine, tool: 'pool_drain', reason: 'account_removed', args_summary: { account: 'work' } },
  ],
  [
    'a step of a transfer',
    sagaTransition(TS, { txId: 't1', step: 'staged', source, target }),
    { ...fine, tool: 'saga_transition', tx_id: 't1', reason: 'staged', args_summary: { source, target } },
  ],
  [
    'a transfer that needs help',
    sagaTransition(TS, { txId: 't1', step: 'needs_operator', failed: 'timeout' }),
    { tool: 'saga_transition', result: 'ERROR', error_type: 'timeout', args_summary: {} },
  ],
  ['a deletion', retentionDelete(TS, '2025-05-06'), { ...fine, tool: 'retention_delete', day: '2025-05-06' }],
  [
    'someone at the door',
    authFailed(TS, 'wrong_token', '10.0.0.7', 3),
    { caller_id: 'unknown', caller_addr: '10.0.0.7', decision: 'DENY', result: 'DENIED', left_out: 3 },
  ],
])('%s', (_name, entry, expected) => {
  expect(entry).toMatchObject(expected)
})
