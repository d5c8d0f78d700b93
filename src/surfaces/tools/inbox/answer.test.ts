import { expect, test } from 'vitest'
import type { Outcome } from '../../../core/call/outcome.ts'
import type { Denial } from '../../../core/decision/decide.ts'
import { Failure, type FailureCode, type FailureOptions } from '../../../core/failure.ts'
import { type Rendering, respond } from './answer.ts'
import { coverageLine, displaySize, fenced } from './texts.ts'

const TIMING = { nowUtc: '2024-01-01T00:00:00.000Z', durationMs: 5 }
const META = { now_utc: TIMING.nowUtc, duration_ms: 5 }

function answered(outcome: object, about: Rendering<'read_message'>['about'] = 'email') {
  const whole = { ...outcome, timing: TIMING } as Outcome<'read_message'>
  return respond(whole, { about, done: () => ({ text: 'done', value: {} }) })
}

const failed = (code: FailureCode, options?: FailureOptions, about?: 'email' | 'folder') =>
  answered({ kind: 'failed', failure: new Failure(code, 'it went wrong', options), allowance: undefined }, about)
const denied = (denial: Omit<Denial, 'kind'>, about?: 'email' | 'folder') =>
  answered({ kind: 'denied', denial: { kind: 'deny', ...denial } }, about)

test.each<[FailureCode, FailureOptions | undefined, number, string]>([
  ['invalid_input', undefined, -32602, 'invalid_input'],
  ['not_found', { stage: 'attachment' }, -32001, 'not_found'],
  ['not_found', { stage: 'account' }, -32002, 'account_required'],
  ['conflict', undefined, -32001, 'not_found'],
  ['auth_failed', undefined, -32002, 'auth_failed'],
  ['unsupported', undefined, -32602, 'unsupported'],
  ['unsupported', { details: { reason: 'schema' } }, -32003, 'schema'],
  ['too_large', undefined, -32004, 'too_large'],
  ['timeout', undefined, -32603, 'timeout'],
  ['unavailable', undefined, -32603, 'unavailable'],
  ['outcome_unknown', undefined, -32603, 'outcome_unknown'],
  ['internal', undefined, -32603, 'internal'],
])('%s %j is %i', (code, options, rpc, ours) => {
  const answer = failed(code, options)
  expect(answer).toEqual({ kind: 'error', code: rpc, message: expect.any(String), data: { code: ours, meta: META } })
  expect(answer).toMatchObject({ message: expect.stringContaining('it went wrong') })
})

test('of an email it is not told what of it is missing, hidden or not', () => {
  const absent = failed('not_found', { stage: 'fetch', details: { uid: 3 } })
  expect(failed('not_found', { stage: 'select' })).toEqual(absent)
  expect(failed('not_found', { stage: 'message' })).toEqual(absent)
  for (const reason of ['folder_hidden', 'sender_blacklisted', 'sender_not_whitelisted'] as const) {
    expect(denied({ reason, uid: 3 })).toEqual(absent)
  }
  expect(failed('not_found', { stage: 'select' }, 'folder')).toMatchObject({ message: 'it went wrong' })
})

test.each<[number | undefined, number]>([
  [1, 1],
  [44_001, 45],
  [undefined, 60],
])('too many calls: %s ms are %i seconds', (waitMs, seconds) => {
  expect(denied({ reason: 'rate_limited', ...(waitMs !== undefined && { waitMs }) })).toMatchObject({
    code: -32029,
    message: `Rate limit exceeded. Try again in ${seconds} seconds.`,
  })
})

test('what would allow it is said', () => {
  const missing = 'draft_append' as const
  expect(denied({ reason: 'capability_missing', missing, remedy: 'do this' })).toMatchObject({
    code: -32602,
    message: 'this is not allowed (capability_missing): do this',
    data: { code: 'invalid_input', details: { reason: 'capability_missing', missing_capability: missing } },
  })
  expect(denied({ reason: 'needs_rebootstrap', remedy: 'run this' })).toMatchObject({
    code: -32002,
    message: 'Authentication required: run this',
  })
})

test('coverage is told where it is less than everything', () => {
  const whole = { source: 'live', complete: true, notes: [] } as const
  expect(coverageLine(whole)).toBeUndefined()
  expect(coverageLine({ ...whole, complete: false })).toBe('Coverage: not everything was looked at')
  expect(coverageLine({ ...whole, notes: ['a', 'b'], asOf: '2024-01-01T00:00:00Z' })).toBe(
    'Coverage: a; b; as of 2024-01-01T00:00:00Z',
  )
})

test('no two fences are alike', () => {
  expect(new Set(Array.from({ length: 100 }, () => fenced('x'))).size).toBe(100)
})

test.each<[number, string]>([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1536, '1.5 KB'],
  [1_048_576, '1.0 MB'],
])('%i: %s', (bytes, shown) => {
  expect(displaySize(bytes)).toBe(shown)
})
