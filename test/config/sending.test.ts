/** What a tree says about letters that leave: who is asked, whom anything may be written to, and from where. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadTree } from '../../src/config/tree/load.ts'
import { TreeProblems } from '../../src/config/tree/problems.ts'
import type { Tree } from '../../src/config/tree/tree.ts'
import { policyFrom } from '../../src/core/policy/policy.ts'
import type { SendDefinition } from '../../src/core/policy/sending.ts'
import { SMALL, writeTree } from './trees.ts'

const DEFAULT: SendDefinition = {
  ...{ approval: 'always', trusted: [], requireDigest: true, elicitation: 'notify' },
  pendingLimit: { messages: 50, bytes: 20 * 1024 * 1024 },
}

/** `lines` stand from line 2 on. */
function load(lines: string, env: Readonly<Record<string, string>> = {}): Tree {
  const policy = SMALL['policies/reading.yaml'].replace('name: reading\n', () => `name: reading\n${lines}\n`)
  return loadTree(writeTree({ ...SMALL, 'policies/reading.yaml': policy }), env, '/data')
}

const sending = (lines: string): SendDefinition | undefined => load(lines).policies.get('reading')?.send

describe('what a policy says', () => {
  test.each<[string, Partial<SendDefinition>]>([
    ['', {}],
    ['send: true', {}],
    ['send: {}', {}],
    ['send: { approval: always }', {}],
    ['send: false', { approval: 'forbidden' }],
    ['send: { approval: flow }', { approval: 'flow' }],
    ['send: { approval: never }', { approval: 'never' }],
    ['approvals: {}', {}],
    ['approvals: { require_digest: true }', {}],
    ['approvals: { require_digest: false }', { requireDigest: false }],
    ['send: false\napprovals: {}', { approval: 'forbidden' }],
    ['approvals: { elicitation: notify }', {}],
    [
      'approvals: { elicitation: sufficient, require_digest: false }',
      { elicitation: 'sufficient', requireDigest: false },
    ],
    ['send: { pending_limit: 7 }', { pendingLimit: { messages: 7, bytes: 20 * 1024 * 1024 } }],
    ['send: { pending_limit: { messages: 1 } }', { pendingLimit: { messages: 1, bytes: 20 * 1024 * 1024 } }],
    ['send: { pending_limit: { bytes: 5 MB } }', { pendingLimit: { messages: 50, bytes: 5 * 1024 * 1024 } }],
    ['send: { pending_limit: { messages: 3, bytes: 1000 } }', { pendingLimit: { messages: 3, bytes: 1000 } }],
    [
      'send: { approval: flow, trusted: [ Ann@Example.COM., "@Bücher.example", "@example.org." ] }',
      { approval: 'flow', trusted: ['ann@example.com', '@xn--bcher-kva.example', '@example.org'] },
    ],
    [
      'send:\n  approval: flow\n  trusted:\n    - \'"ann"@example.com\'\n    - ann@example.com',
      { approval: 'flow', trusted: ['ann@example.com'] },
    ],
  ])('%s', (lines, expected) => {
    expect(sending(lines)).toEqual({ ...DEFAULT, ...expected })
  })

  test('is what the rules then do', () => {
    const rules = policyFrom({
      name: 'p',
      concealHidden: false,
      accounts: new Map(),
      send: sending('send: { approval: flow, trusted: [ann@example.com, "@example.org"] }') ?? DEFAULT,
    }).send
    expect(rules).toMatchObject({ allowed: true, approval: 'flow' })
    expect(['ANN@example.com', 'x@EXAMPLE.org.'].map((address) => rules.trusts(address))).toEqual([true, true])
    expect(
      ['ann+x@example.com', 'bob@example.com', 'x@sub.example.org', 'x@example.org.evil.example'].filter((address) =>
        rules.trusts(address),
      ),
    ).toEqual([])
  })
})

describe('what is legal and probably not meant', () => {
  test.each<[string, RegExp[]]>([
    [
      'send: { trusted: [a@example.com] }',
      [/^policies\/reading\.yaml:2:18: trusted has no effect without approval: flow/],
    ],
    ['send: { approval: always, trusted: [] }', [/:2:36: trusted has no effect/]],
    ['send: { approval: never }', [/:2:19: DANGER: approval: never .* nobody is asked/]],
    [
      'approvals: { elicitation: sufficient }',
      [/:2:27: elicitation: sufficient takes the word of the agent's own program/],
    ],
    ['send: false\napprovals: { require_digest: true }', [/:3:12: approvals has no effect/]],
    ['send: { approval: flow, trusted: [a@example.com, A@example.com] }', [/:2:50: this entry is listed already/]],
    [
      'send: { approval: flow, trusted: [a@example.com, "@example.com"] }',
      [/:2:35: this entry has no effect beside the one for its domain/],
    ],
    [
      'send: { approval: flow, trusted: ["@Gmail.com", me@gmail.com] }',
      [/anybody can have an address/, /no effect beside/],
    ],
    ['send: { approval: flow, trusted: [me@gmail.com] }', []],
    ['send: { approval: flow }\napprovals: { require_digest: true, elicitation: notify }', []],
  ])('%s', (lines, expected) => {
    expect(load(lines).warnings).toEqual(expected.map((words) => expect.stringMatching(words)))
  })
})

describe('whatever stands there, it is read or told with its place', () => {
  const problemsOf = (lines: string): readonly { file: string; line: number; column: number }[] => {
    try {
      load(lines)
      return []
    } catch (error) {
      if (error instanceof TreeProblems) return error.problems
      throw error
    }
  }

  test('values of every kind', () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.record({ approval: fc.jsonValue({ maxDepth: 1 }), trusted: fc.jsonValue({ maxDepth: 2 }) }),
      fc.record({
        approval: fc.constantFrom('always', 'flow', 'never'),
        trusted: fc.array(fc.string({ unit: 'binary' })),
      }),
      fc.record({
        pending_limit: fc.oneof(fc.jsonValue(), fc.record({ messages: fc.jsonValue(), bytes: fc.jsonValue() })),
      }),
      fc.record({ require_digest: fc.jsonValue(), elicitation: fc.constantFrom('notify', 'sufficient', 'both', 1) }),
    )
    fc.assert(
      fc.property(fc.constantFrom('send', 'approvals'), value, (key, written) => {
        for (const { file, line, column } of problemsOf(`${key}: ${JSON.stringify(written)}`)) {
          expect(file).toBe('policies/reading.yaml')
          expect([line >= 1, column >= 1]).toEqual([true, true])
        }
      }),
      { numRuns: 60 },
    )
  })

  test('an entry of trusted never trusts more than it says', () => {
    const part = fc.stringMatching(/^[a-z@*., <>"\\%!]{1,12}$/)
    fc.assert(
      fc.property(part, (entry) => {
        if (problemsOf(`send: { approval: flow, trusted: [${JSON.stringify(entry)}] }`).length > 0) return
        const [only = ''] = sending(`send: { approval: flow, trusted: [${JSON.stringify(entry)}] }`)?.trusted ?? []
        expect(only.slice(only.lastIndexOf('@') + 1)).not.toMatch(/[*@\s,<>]/)
        expect(only.startsWith('@')).toBe(entry.trim().startsWith('@'))
      }),
      { numRuns: 100 },
    )
  })
})

describe('the vault', () => {
  const vault = (line: string, env: Readonly<Record<string, string>> = {}): string | undefined => {
    const accounts = SMALL['accounts.yaml'].replace('secret_store:', () => `${line}\nsecret_store:`)
    const tree = loadTree(writeTree({ ...SMALL, 'accounts.yaml': accounts }), { HOME: '/home/emma', ...env }, '/data')
    return tree.vault?.replace(tree.directory, '<tree>')
  }

  test.each<[string, Record<string, string>, string | undefined]>([
    ['', {}, undefined],
    ['vault: mail/vault', {}, '<tree>/mail/vault'],
    ['vault: ~/vault', {}, '/home/emma/vault'],
    ['vault: /srv/vault', {}, '/srv/vault'],
    ['vault: /srv/vault', { POSTERN_VAULT: '/mnt/vault' }, '/mnt/vault'],
    ['', { POSTERN_VAULT: ' /mnt/vault ' }, '/mnt/vault'],
    ['vault: /srv/vault', { POSTERN_VAULT: ' ' }, '/srv/vault'],
  ])('%s %j', (line, env, expected) => {
    expect(vault(line, env)).toBe(expected)
  })
})

test('a caller with the tools to send, and nothing to send from, is told', () => {
  const callers = SMALL['callers.yaml'].replace('policy: reading', 'policy: reading\n    toolsets: [imap, outbox]')
  const tree = (accounts: string): Tree =>
    loadTree(writeTree({ ...SMALL, 'accounts.yaml': accounts, 'callers.yaml': callers }), {}, '/data')
  const warning = expect.stringMatching(/^callers\.yaml:4:15: outbox cannot send from any account .* smtp/)
  expect(tree(SMALL['accounts.yaml'])).toMatchObject({
    callers: [{ toolsets: ['imap', 'outbox'] }],
    warnings: [warning],
  })
  const smtp = 'smtp: { host: smtp.example.com }\n    port: 993'
  const nameless = SMALL['accounts.yaml'].replace('port: 993', smtp)
  expect(tree(nameless).warnings).toEqual([
    expect.stringMatching(/^accounts\.yaml:4:11: nothing can be sent .* identity/),
    warning,
  ])
  expect(tree(nameless.replace('port: 993', 'port: 993\n    identity: me@example.com')).warnings).toEqual([])
})

test('the page names every key and variable', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8')
  for (const name of [
    'POSTERN_VAULT',
    'DEV_MODE',
    'POSTERN_GMAIL_ENDPOINT',
    'trusted',
    'require_digest',
    'POSTERN_REQUIRE_DIGEST',
    'pending_limit',
    'elicitation',
  ]) {
    expect(page).toContain(name)
  }
})
