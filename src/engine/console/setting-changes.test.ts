import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CAPABILITIES, type FolderDefinition } from '../../core/policy/folder.ts'
import { LEVELS } from '../../core/policy/level.ts'
import { type PolicyDefinition, policyFrom } from '../../core/policy/policy.ts'
import { SEND_DEFAULTS, type SendDefinition } from '../../core/policy/sending.ts'
import type { CallerSettings, KnownCaller } from './access.ts'
import { settingChanges } from './setting-changes.ts'

const SEND = SEND_DEFAULTS
const INBOX: FolderDefinition = { path: 'INBOX', mode: 'blacklist', default: 'BODY', rules: [], capabilities: [] }

function definition(more: Partial<PolicyDefinition> = {}): PolicyDefinition {
  return { name: 'agent', concealHidden: true, accounts: new Map([['work', [INBOX]]]), send: SEND, ...more }
}

function caller(policy: PolicyDefinition = definition(), more: Partial<KnownCaller> = {}): KnownCaller {
  return {
    ...{ id: 'claude', toolsets: ['policy'], definition: policy, policy: policyFrom(policy), send: SEND },
    ...more,
  }
}

const folders = (...some: readonly Partial<FolderDefinition>[]): PolicyDefinition =>
  definition({ accounts: new Map([['work', some.map((one) => ({ ...INBOX, ...one }))]]) })

const told = (before: KnownCaller | undefined, after: KnownCaller | undefined): readonly string[] =>
  settingChanges(before, after).map(
    ({ setting, before: was, after: is, effect }) => `${setting}: ${was} → ${is} (${effect})`,
  )

test('the same policy changes nothing', () => {
  expect(settingChanges(caller(), caller(definition()))).toEqual([])
})

test('sending without approval is the first change, and dangerous', () => {
  const open = { ...SEND, approval: 'never', requireDigest: false } as const
  const wide = definition({
    ...folders({ default: 'FULL', capabilities: ['delete'] }),
    send: open,
    concealHidden: false,
  })
  const [first, ...rest] = settingChanges(caller(), caller(wide))
  expect(first).toMatchObject({
    setting: 'Sending',
    before: 'every message needs approval',
    after: 'messages are sent without approval',
    danger: expect.stringContaining('without anyone approving them'),
  })
  expect(rest.map(({ setting, danger }) => [setting, danger])).toEqual([
    ['Approvals', undefined],
    ['Hidden mail', undefined],
    ['Visibility', undefined],
    ['Changes allowed', undefined],
  ])
})

test('each setting says what it was and what it would be', () => {
  const before = definition({ ...folders({ capabilities: ['delete', 'mark_seen'] }), concealHidden: false })
  const after = definition({
    ...folders({ capabilities: ['move_out', 'mark_seen'], mayRaise: true }),
    send: { ...SEND, approval: 'forbidden', elicitation: 'sufficient', trusted: ['@example.org'] },
  })
  expect(told(caller(before), caller(after))).toEqual([
    "Approval in the agent's program: only notifies → sufficient (more)",
    'Trusted recipients: none → @example.org (more)',
    'Mail put in may become more visible: no → yes (more)',
    'Changes allowed: mark as read, delete mail → mark as read, move mail out (other)',
    'Sending: every message needs approval → nothing may be sent (less)',
    'Hidden mail: counted, never shown → concealed, not even counted (less)',
  ])
})

test('folders are judged as the policy would judge them, by name or by pattern', () => {
  const all = folders({ path: '**', default: 'ENVELOPE' })
  expect(told(caller(), caller(all))).toEqual([
    'Visibility: nothing → sender, recipients, subject and date (more)',
    'Visibility: everything but attachments → sender, recipients, subject and date (less)',
  ])
  const same = folders({}, { path: 'Archive', mode: 'whitelist', default: 'NONE' })
  expect(told(caller(), caller(same))).toEqual(['Folder: hidden → listed (more)'])
})

test('callers: tool sets, limits, listing, authentication, policy, and those that come or go', () => {
  const before = caller(definition(), { settings: { auth: 'stdio_trusted', limits: { perMinute: 10 } } })
  const settings: CallerSettings = {
    auth: 'shared_token',
    limits: { perHour: 5 },
    hideDeniedTools: true,
    uncertain: 'omit',
  }
  const after = caller(definition({ name: 'other' }), { toolsets: ['policy', 'outbox'], settings })
  expect(told(before, after)).toEqual([
    'Calls per minute: 10 → no limit (more)',
    'Tool sets: policy → policy, outbox (more)',
    'Policy: agent → other (other)',
    'Authentication: local process → bearer token (other)',
    'Tools the policy never allows: listed → not listed (other)',
    'Calls per hour: no limit → 5 (less)',
    'Text a person may not see: shown apart from the body → only counted (less)',
  ])
  expect(told(undefined, caller())).toEqual(['Caller: does not exist → may connect, with policy agent (more)'])
  expect(told(caller(), undefined)).toEqual(['Caller: may connect, with policy agent → does not exist (less)'])
  const unasked = caller(definition({ send: { ...SEND, approval: 'never' } }))
  expect(settingChanges(undefined, unasked)[0]?.danger).toContain('without anyone approving them')
})

describe('complete', () => {
  const anySend = fc.record({
    approval: fc.constantFrom<SendDefinition['approval']>('always', 'flow', 'never', 'forbidden'),
    trusted: fc.subarray(['@a.example', 'b@b.example']),
    requireDigest: fc.boolean(),
    elicitation: fc.constantFrom<SendDefinition['elicitation']>('notify', 'sufficient'),
    pendingLimit: fc.record({ messages: fc.constantFrom(5, 50), bytes: fc.constantFrom(1000, 2000) }),
  })
  const anyFolder = fc.record({
    path: fc.constant('INBOX'),
    mode: fc.constant<FolderDefinition['mode']>('blacklist'),
    default: fc.constantFrom(...LEVELS),
    rules: fc.array(fc.record({ match: fc.constant({ from: 'a@b.example' }), level: fc.constantFrom(...LEVELS) })),
    capabilities: fc.subarray([...CAPABILITIES]),
    mayRaise: fc.boolean(),
  })
  const anyCaller = fc
    .record({
      concealHidden: fc.boolean(),
      send: anySend,
      folder: anyFolder,
      toolsets: fc.subarray(['imap', 'outbox']),
    })
    .map(({ folder, toolsets, ...more }) =>
      caller(definition({ ...more, accounts: new Map([['work', [folder]]]) }), { toolsets }),
    )
  /** All that the configuration says. */
  const said = ({ definition: policy, toolsets, settings }: KnownCaller): string =>
    JSON.stringify([policy, [...(policy?.accounts ?? [])], toolsets, settings])

  test('whatever differs is a change, and what does not is none', () => {
    fc.assert(
      fc.property(anyCaller, anyCaller, (before, after) => {
        expect(settingChanges(before, after).length === 0).toBe(said(before) === said(after))
      }),
    )
  })

  test('a field that is not known here yet is told under its own name', () => {
    const send = { ...SEND, quiet: { hours: 50 } }
    const tighter = { ...SEND, quiet: { hours: 5 }, holdSeconds: 30 }
    const changes = { approveAbove: 10 }
    const newer = { ...definition({ send: tighter }), changes } as PolicyDefinition
    expect(told(caller(definition({ send })), caller(newer))).toEqual([
      'Hours: 50 → 5 (other)',
      'Hold seconds: not set → 30 (other)',
      'Approve above: not set → 10 (other)',
    ])
    const folder = { ...INBOX, snooze: true } as FolderDefinition
    expect(told(caller(), caller(folders(folder)))).toEqual(['Snooze: not set → yes (other)'])
  })
})
