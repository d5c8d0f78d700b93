import { expect, test } from 'vitest'
import type { AuditEntry } from '../../core/audit/record.ts'
import { recordTurnedAway } from './turned-away.ts'

test('each is on record, and of a flood so many a minute, the rest counted', async () => {
  const entries: AuditEntry[] = []
  let now = 0
  const audit = { append: async (entry: AuditEntry) => ({ seq: entries.push(entry) - 1 }) }
  const turnedAway = recordTurnedAway(audit, { now: () => now, elapsed: () => now })
  for (let i = 0; i < 100; i++) await turnedAway('wrong_token', '127.0.0.1')
  expect(entries).toHaveLength(30)
  expect(entries[0]).toMatchObject({
    tool: 'auth_failed',
    decision: 'DENY',
    reason: 'wrong_token',
    caller_addr: '127.0.0.1',
  })
  expect(entries[0]).not.toHaveProperty('left_out')
  now = 60_000
  await turnedAway('no_bearer_token', '127.0.0.2')
  expect(entries[30]).toMatchObject({ reason: 'no_bearer_token', left_out: 70 })
})
