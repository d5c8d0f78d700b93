import { expect, test } from 'vitest'
import type { Action } from '../action.ts'
import { changesMail, decide } from './decide.ts'
import type { Level } from './level.ts'
import { type Capability, ownerPolicy, type Policy } from './policy.ts'

const message = { account: 'work', mailbox: 'INBOX', uidvalidity: 1, uid: 1 }
const to = { account: 'home', mailbox: 'Archive' }

const READS: Action[] = [
  { kind: 'list_accounts' },
  { kind: 'verify_account', account: 'work' },
  { kind: 'list_mailboxes', account: 'work' },
  {
    kind: 'search',
    account: 'work',
    mailbox: 'INBOX',
    criteria: {},
    cursor: undefined,
    limit: 1,
    snippetChars: undefined,
  },
  { kind: 'read_message', message, bodyChars: 100, html: false, attachmentChars: undefined },
  { kind: 'read_raw', message, maxBytes: 1024 },
  { kind: 'read_attachment', message, part: '2' },
]
const WRITES: Action[] = [
  { kind: 'update_flags', message, add: ['\\Seen'], remove: [] },
  { kind: 'copy_message', message, to },
  { kind: 'move_message', message, to },
  { kind: 'delete_message', message },
]

function policy(level: Level, capabilities: Capability[] = [], accounts = ['work', 'home']): Policy {
  const folder = { ceiling: level, capabilities: new Set(capabilities) }
  return { name: 'test', howToAllow: 'ask', sees: (account) => accounts.includes(account), folder: () => folder }
}

test.each(READS)('an owner may $kind', (action) => {
  expect(decide(ownerPolicy(false), action)).toEqual({ kind: 'allow', reason: 'folder_default_applied', level: 'FULL' })
  expect(changesMail(action)).toBe(false)
})

test.each(WRITES)('an owner may $kind only with the write gate open', (action) => {
  expect(decide(ownerPolicy(false), action)).toMatchObject({ kind: 'deny', reason: 'capability_missing' })
  expect(decide(ownerPolicy(true), action)).toMatchObject({ kind: 'allow' })
  expect(changesMail(action)).toBe(true)
})

test.each([...READS.slice(1), ...WRITES])('$kind on an account that is not seen is refused as hidden', (action) => {
  expect(decide(policy('FULL', ['move_out', 'accept_incoming', 'delete', 'mark_seen'], []), action)).toEqual({
    kind: 'deny',
    reason: 'account_hidden',
    account: 'work',
  })
})

test.each<[Level, string]>([
  ['NONE', 'folder_hidden'],
  ['COUNT', 'visibility_below_METADATA'],
])('a search where the most is %s is refused as %s', (level, reason) => {
  expect(decide(policy(level), READS[3] as Action)).toEqual({ kind: 'deny', reason })
})

test('what is allowed is shown at the folder ceiling, not above', () => {
  expect(decide(policy('HEADERS'), READS[4] as Action)).toMatchObject({ kind: 'allow', level: 'HEADERS' })
  expect(decide(policy('BODY'), READS[5] as Action)).toMatchObject({ kind: 'deny', reason: 'visibility_below_FULL' })
})

test.each<[string[], Capability]>([
  [['\\seen'], 'mark_seen'],
  [['\\Deleted'], 'delete'],
  [['\\Flagged', 'work'], 'mark_tagged'],
])('flags %j need %s', (add, capability) => {
  const action: Action = { kind: 'update_flags', message, add, remove: [] }
  const others: Capability[] = ['mark_seen', 'mark_tagged', 'delete']
  expect(decide(policy('FULL', [capability]), action).kind).toBe('allow')
  expect(
    decide(
      policy(
        'FULL',
        others.filter((other) => other !== capability),
      ),
      action,
    ),
  ).toMatchObject({
    kind: 'deny',
    missing: capability,
  })
})

test('a policy that throws denies', () => {
  const broken: Policy = {
    ...policy('FULL'),
    folder: () => {
      throw new Error('boom')
    },
  }
  expect(decide(broken, READS[4] as Action).kind).toBe('deny')
})
