import { expect, test } from 'vitest'
import { CAPABILITIES, type FolderDefinition } from './folder.ts'
import { describeFolder, describePolicy, describeRule } from './in-words.ts'
import { LEVELS, type Level } from './level.ts'
import type { Match } from './predicates.ts'
import { SEND_DEFAULTS } from './sending.ts'

const invoices: FolderDefinition = {
  path: 'INBOX/Invoices',
  mode: 'whitelist',
  default: 'NONE',
  rules: [{ match: { from_domain: 'hornbach.de' }, level: 'FULL' }],
  capabilities: ['move_out', 'mark_seen'],
}

test('one rule is one line', () => {
  expect(describeFolder(invoices)).toEqual([
    "INBOX/Invoices: sees nothing, except everything (attachments too) of mail whose sender's domain is hornbach.de; " +
      'may mark as read, may move mail out',
  ])
})

test('several rules are a line each', () => {
  const rules = [...invoices.rules, { match: { size_lt: 1, flagged: true }, level: 'ENVELOPE' as Level }]
  expect(describeFolder({ ...invoices, rules, capabilities: [] })).toEqual([
    'INBOX/Invoices: sees nothing, except',
    "  - everything (attachments too) of mail whose sender's domain is hornbach.de",
    '  - sender, recipients, subject and date of mail smaller than 1 byte and that is flagged',
    '  and may change nothing',
  ])
})

test('a blacklist says what is left', () => {
  const rules = [{ match: { from: 'boss@corp.example' }, level: 'NONE' as Level }]
  const folder: FolderDefinition = { ...invoices, mode: 'blacklist', default: 'BODY', rules, mayRaise: true }
  expect(describeFolder(folder)).toEqual([
    'INBOX/Invoices: sees everything but attachments, but nothing of mail whose sender is boss@corp.example; ' +
      'may mark as read, may move mail out, mail put in may become more visible than it was',
  ])
  expect(describeRule('blacklist', { match: {}, level: 'COUNT' })).toBe('at most how much there is of all mail')
})

test.each<[string, string]>([
  ['Archive/*', 'Archive/* (every folder directly in Archive)'],
  ['Archive/**', 'Archive/** (every folder below Archive)'],
  ['*', '* (every folder at the top)'],
  ['**', '** (every folder)'],
  ['Archive', 'Archive'],
])('the path %s reads %s', (path, name) => {
  expect(describeFolder({ ...invoices, path, rules: [], capabilities: [] })).toEqual([
    `${name}: sees nothing; may change nothing`,
  ])
})

test.each<[Match, string]>([
  [{}, 'all mail'],
  [{ from: 'a@b.example' }, 'mail whose sender is a@b.example'],
  [{ to: 'a@b.example' }, 'mail addressed to a@b.example'],
  [{ to_contains: 'TEAM' }, 'mail addressed to anyone with "team" in the address'],
  [{ subject_contains: 'RECHNUNG' }, 'mail with "rechnung" in the subject'],
  [{ has_attachment: true }, 'mail with an attachment'],
  [{ has_attachment: false }, 'mail without attachments'],
  [{ newer_than: 30 * 86_400 }, 'mail newer than 30 days'],
  [{ newer_than: 7 * 86_400 }, 'mail newer than 1 week'],
  [{ older_than: 31_536_000 }, 'mail older than 1 year'],
  [{ older_than: 43_200 }, 'mail older than 12 hours'],
  [{ older_than: 120 }, 'mail older than 2 minutes'],
  [{ older_than: 61 }, 'mail older than 61 seconds'],
  [{ older_than: 0 }, 'mail older than 0 seconds'],
  [{ size_gt: 10_000 }, 'mail larger than 10000 bytes'],
  [{ flagged: false }, 'mail that is not flagged'],
  [
    { authenticated: true, from_domain: 'b.example' },
    "mail whose sender's domain is b.example and whose sender the receiving server vouches for (DMARC)",
  ],
])('%j is %s', (match, words) => {
  expect(describeRule('whitelist', { match, level: 'NONE' })).toBe(`nothing of ${words}`)
})

test('every level and every capability has words of its own', () => {
  const levels = LEVELS.map((level) => describeRule('whitelist', { match: {}, level }))
  expect(new Set(levels).size).toBe(LEVELS.length)
  const rights = CAPABILITIES.map((capability) => describeFolder({ ...invoices, capabilities: [capability] })[0])
  expect(new Set(rights).size).toBe(CAPABILITIES.length)
  expect([...levels, ...rights].join()).not.toContain('undefined')
})

test.each([{ match: { fro: 'x' } }, { match: { size_gt: '1' } }, { match: undefined }, { match: {}, level: 'ALL' }])(
  '%j makes no sense, and is said so',
  (rule) => {
    expect(describeRule('whitelist', { level: 'FULL', ...rule } as never)).toMatch(/makes no sense/)
  },
)

test('a policy names its accounts and what is hidden', () => {
  const accounts = new Map([
    ['work', [invoices]],
    ['home', []],
  ])
  expect(describePolicy({ name: 'agent', concealHidden: false, accounts })).toEqual([
    'Policy agent: hidden mail is counted, never shown, but what may be changed may be changed in it too.',
    'work:',
    `  ${describeFolder(invoices)[0]}`,
    'home: no folder',
    'Every other account and folder is hidden.',
    'Sending, with the tool set outbox: a person is asked about every letter.',
  ])
  const still = new Map([['work', [{ ...invoices, capabilities: ['draft_append' as const] }]]])
  expect(describePolicy({ name: 'agent', concealHidden: false, accounts: still })[0]).toBe(
    'Policy agent: hidden mail is counted, never shown.',
  )
  expect(describePolicy({ name: 'agent', concealHidden: true, accounts })[0]).toBe(
    'Policy agent: hidden mail is as if it were not there.',
  )
})

test('what is unusual about sending is said', () => {
  const said = (send: object): string | undefined =>
    describePolicy({ name: 'p', concealHidden: false, accounts: new Map(), send: { ...SEND_DEFAULTS, ...send } }).at(-1)
  const start = 'Sending, with the tool set outbox: a person is asked about every letter'
  expect(said({})).toBe(`${start}.`)
  expect(said({ requireDigest: false })).toBe(
    `${start}; approval files written by hand count, whatever the message says.`,
  )
  expect(said({ pendingLimit: { messages: 1, bytes: 1024 } })).toBe(
    `${start}; at most 1 message with 1 kB may wait to be sent.`,
  )
})
