import { expect, test } from 'vitest'
import type { Facts } from './facts.ts'
import { compileFolder, type FolderDefinition, type Rule, type VerdictReason } from './folder.ts'
import type { Level } from './level.ts'

const facts: Facts = { from: ['ann@a.example'], flagged: false, size: 10, received: 0 }
const fromA = (level: Level): Rule => ({ match: { from_domain: 'a.example' }, level })
const fromB = (level: Level): Rule => ({ match: { from_domain: 'b.example' }, level })
const large = (level: Level): Rule => ({ match: { size_gt: 5 }, level })

function folder(mode: 'whitelist' | 'blacklist', base: Level, ...rules: Rule[]): FolderDefinition {
  return { path: 'INBOX', mode, default: base, rules, capabilities: [] }
}
const white = (...rules: Rule[]): FolderDefinition => folder('whitelist', 'NONE', ...rules)
const black = (base: Level, ...rules: Rule[]): FolderDefinition => folder('blacklist', base, ...rules)

test.each<[string, FolderDefinition, Level, VerdictReason]>([
  ['no rule', white(), 'NONE', 'sender_not_whitelisted'],
  ['no rule that matches', white(fromB('FULL')), 'NONE', 'sender_not_whitelisted'],
  ['a grant', white(fromA('BODY')), 'BODY', 'rule_matched'],
  ['the highest grant', white(fromA('COUNT'), large('BODY'), fromB('FULL')), 'BODY', 'rule_matched'],
  ['the highest grant first', white(large('BODY'), fromA('COUNT')), 'BODY', 'rule_matched'],
  ['a grant of nothing', white(fromA('NONE')), 'NONE', 'sender_not_whitelisted'],
  [
    'a default that a whitelist cannot have',
    folder('whitelist', 'FULL', fromB('FULL')),
    'NONE',
    'sender_not_whitelisted',
  ],
  ['a default and no rule', black('BODY'), 'BODY', 'folder_default_applied'],
  ['a default and no rule that matches', black('BODY', fromB('NONE')), 'BODY', 'folder_default_applied'],
  ['a cap', black('FULL', fromA('ENVELOPE')), 'ENVELOPE', 'rule_matched'],
  ['a cap above the default', black('BODY', fromA('FULL')), 'BODY', 'rule_matched'],
  ['the lowest cap', black('FULL', fromA('ENVELOPE'), large('COUNT'), fromB('NONE')), 'COUNT', 'rule_matched'],
  ['a cap that hides', black('FULL', fromA('NONE'), large('BODY')), 'NONE', 'sender_blacklisted'],
  ['a default that a blacklist cannot have', black('NONE'), 'NONE', 'sender_blacklisted'],
])('%s', (_what, definition, level, reason) => {
  expect(compileFolder(definition).verdict(facts, 0)).toEqual({ level, reason })
})

const NONSENSE: readonly unknown[] = [
  { match: { from_domain: 5 }, level: 'FULL' },
  { match: { sender: 'a.example' }, level: 'FULL' },
  { match: { from_domain: undefined }, level: 'FULL' },
  { match: null, level: 'FULL' },
  { level: 'FULL' },
  { match: {}, level: 'EVERYTHING' },
  { match: {}, level: 'toString' },
  { match: {} },
  null,
  undefined,
]

test.each(NONSENSE)('a rule such as %j hides all mail, whatever the other rules say', (rule) => {
  for (const definition of [white(fromA('FULL'), rule as Rule), black('FULL', rule as Rule, fromB('BODY'))]) {
    const policy = compileFolder(definition)
    expect(policy.verdict(facts, 0).level).toBe('NONE')
    expect(policy.uniform?.level).toBe('NONE')
    expect([policy.ceiling, policy.floor, policy.default]).toEqual(['NONE', 'NONE', 'NONE'])
  }
})

test.each([
  { mode: 'greylist' },
  { mode: undefined },
  { default: 'ALL' },
  { default: undefined },
  { rules: undefined },
])('a folder with %j shows nothing', (wrong) => {
  const policy = compileFolder({ ...black('FULL', fromB('NONE')), ...wrong } as FolderDefinition)
  expect(policy.verdict(facts, 0).level).toBe('NONE')
  expect(policy.ceiling).toBe('NONE')
})

test('a rule that cannot be evaluated hides the message', () => {
  const { from, ...incomplete } = facts
  expect(from).toHaveLength(1)
  expect(compileFolder(white(large('FULL'), fromA('COUNT'))).verdict(incomplete, 0)).toEqual({
    level: 'NONE',
    reason: 'sender_not_whitelisted',
  })
  expect(compileFolder(black('FULL', fromA('BODY'))).verdict(incomplete, 0)).toEqual({
    level: 'NONE',
    reason: 'sender_blacklisted',
  })
  expect(compileFolder(black('FULL', large('BODY'))).verdict(undefined as never, 0).level).toBe('NONE')
})

test.each<[FolderDefinition, Level, Level]>([
  [white(), 'NONE', 'NONE'],
  [white(fromA('COUNT'), fromB('BODY')), 'BODY', 'NONE'],
  [black('FULL'), 'FULL', 'FULL'],
  [black('BODY', large('COUNT'), large('FULL')), 'BODY', 'COUNT'],
  [black('BODY', large('FULL')), 'BODY', 'BODY'],
  [black('BODY', fromA('FULL')), 'BODY', 'NONE'],
  [black('BODY', { match: { has_attachment: true }, level: 'HEADERS' }), 'BODY', 'NONE'],
])('%j shows %s at most and %s at least', (definition, ceiling, floor) => {
  expect(compileFolder(definition)).toMatchObject({ ceiling, floor })
})

test('only without rules is every message the same', () => {
  expect(compileFolder(white()).uniform).toEqual({ level: 'NONE', reason: 'sender_not_whitelisted' })
  expect(compileFolder(black('BODY')).uniform).toEqual({ level: 'BODY', reason: 'folder_default_applied' })
  expect(compileFolder(black('BODY', fromA('NONE'))).uniform).toBeUndefined()
})

test('what else a folder says of itself', () => {
  const flagged: Rule = { match: { flagged: false }, level: 'BODY' }
  const policy = compileFolder({ ...white(flagged, fromA('COUNT')), capabilities: ['delete'], mayRaise: true })
  expect(policy).toMatchObject({
    path: 'INBOX',
    named: true,
    mode: 'whitelist',
    rules: 2,
    mayRaise: true,
    looksAtFlags: true,
  })
  expect([...policy.capabilities]).toEqual(['delete'])
  expect([...policy.needs]).toEqual(['senders'])
  expect(compileFolder(white(fromA('COUNT')))).toMatchObject({ mayRaise: false, looksAtFlags: false })
})

test.each<[Rule['match'], boolean]>([
  [{ from_domain: 'a.example', size_gt: 1, has_attachment: true, subject_contains: 'X' }, true],
  [{ newer_than: 5 }, false],
  [{ older_than: 5 }, false],
  [{ flagged: true }, false],
])('a verdict by %j lasts while the message does: %s', (match, lasting) => {
  expect(compileFolder(white(fromA('BODY'), { match, level: 'FULL' })).lasting).toBe(lasting)
})
