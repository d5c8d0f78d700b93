import { expect, test } from 'vitest'
import { explain } from './explain.ts'
import type { Facts } from './facts.ts'
import type { FolderDefinition } from './folder.ts'

const whitelist: FolderDefinition = {
  path: 'INBOX',
  mode: 'whitelist',
  default: 'NONE',
  rules: [
    { match: { from_domain: 'a.example' }, level: 'ENVELOPE' },
    { match: { from_domain: 'b.example' }, level: 'FULL' },
    { match: { size_gt: 5 }, level: 'BODY' },
  ],
  capabilities: [],
}
const facts: Facts = { from: ['x@a.example'], flagged: false, size: 10, received: 0 }

test('says which rules match and what comes of them', () => {
  const { verdict, rules } = explain(whitelist, facts, 0)
  expect(verdict).toEqual({ level: 'BODY', reason: 'rule_matched' })
  expect(rules.map(({ matched, level }) => [matched, level])).toEqual([
    [true, 'ENVELOPE'],
    [false, 'FULL'],
    [true, 'BODY'],
  ])
  expect(rules[0]?.words).toBe("sender, recipients, subject and date of mail whose sender's domain is a.example")
})

test('with several senders a grant needs all, a cap any', () => {
  const several = { ...facts, from: ['x@a.example', 'y@b.example'] }
  expect(explain(whitelist, several, 0).rules.map(({ matched }) => matched)).toEqual([false, false, true])
  const blacklist: FolderDefinition = { ...whitelist, mode: 'blacklist', default: 'FULL' }
  const { verdict, rules } = explain(blacklist, several, 0)
  expect(rules.map(({ matched }) => matched)).toEqual([true, true, true])
  expect(verdict).toEqual({ level: 'ENVELOPE', reason: 'rule_matched' })
})

test('a rule that cannot be evaluated is named, and hides the message', () => {
  const { verdict, rules } = explain(whitelist, { flagged: false, size: 10, received: 0 }, 0)
  expect(verdict).toEqual({ level: 'NONE', reason: 'sender_not_whitelisted' })
  expect(rules.map(({ matched }) => matched)).toEqual(['cannot be evaluated', 'cannot be evaluated', true])
  const odd = { ...whitelist, rules: [{ match: { sender: 'x' } as never, level: 'FULL' as const }] }
  expect(explain(odd, facts, 0)).toEqual({
    verdict: { level: 'NONE', reason: 'sender_not_whitelisted' },
    rules: [
      {
        words: 'a rule that makes no sense, so that all mail is hidden',
        matched: 'cannot be evaluated',
        level: 'FULL',
      },
    ],
  })
})

test('without rules there is only the default', () => {
  expect(explain({ ...whitelist, rules: [] }, facts, 0)).toEqual({
    verdict: { level: 'NONE', reason: 'sender_not_whitelisted' },
    rules: [],
  })
})
