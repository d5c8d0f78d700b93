import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadTree } from '../../src/config/tree/load.ts'
import { type Problem, TreeProblems } from '../../src/config/tree/problems.ts'
import type { Tree } from '../../src/config/tree/tree.ts'
import { policyFrom } from '../../src/core/policy/policy.ts'
import { SEND_DEFAULTS } from '../../src/core/policy/sending.ts'
import { BAD_TREES } from './bad-trees.ts'
import { EXAMPLE, SMALL, type TreeFiles, writeTree } from './trees.ts'

const DATA = '/var/lib/postern'
const load = (files: TreeFiles): Tree => loadTree(writeTree(files), { HOME: '/home/emma' }, DATA)

function problemsOf(run: () => unknown): TreeProblems {
  try {
    run()
  } catch (error) {
    if (error instanceof TreeProblems) return error
    throw error
  }
  throw new Error('it loaded')
}

const at = ({ problems }: TreeProblems): Pick<Problem, 'file' | 'line'>[] =>
  problems.map(({ file, line }) => ({ file, line }))

test('the folders of an account may stand under a key folders', () => {
  const file = 'policies/reading.yaml'
  const [head = '', list = ''] = String(SMALL[file]).split('  work:\n')
  const nested = `${head}  work:\n    folders:\n${list.replace(/^(?=.)/gm, '  ')}`
  expect(load({ ...SMALL, [file]: nested }).policies).toEqual(load(SMALL).policies)
})

test('a small tree loads with its defaults', () => {
  const directory = writeTree(SMALL)
  expect(loadTree(directory, {}, DATA)).toEqual({
    directory,
    accounts: [
      {
        id: 'work',
        provider: 'imap-standard',
        host: 'imap.example.com',
        port: 993,
        tls: 'implicit',
        user: 'work',
        identity: undefined,
        ca: undefined,
        auth: { type: 'password', secretRef: 'secret://accounts/work/password' },
        tokenCache: 'memory_only',
        authservId: undefined,
        mirror: 'off',
        smtp: undefined,
        mock: false,
      },
    ],
    attachments: { directory: undefined, saveAbove: undefined },
    callers: [
      {
        id: 'agent',
        policy: 'reading',
        auth: { type: 'shared_token', secretRef: 'secret://callers/agent/token' },
        toolsets: undefined,
        uncertain: 'mark',
        limits: undefined,
        hideDeniedTools: false,
      },
    ],
    policies: new Map([
      [
        'reading',
        {
          name: 'reading',
          concealHidden: false,
          send: SEND_DEFAULTS,
          accounts: new Map([
            [
              'work',
              [
                {
                  path: 'INBOX',
                  mode: 'whitelist',
                  default: 'NONE',
                  rules: [{ match: { from_domain: 'example.com' }, level: 'FULL' }],
                  capabilities: [],
                },
              ],
            ],
          ]),
        },
      ],
    ]),
    secretStore: { backend: 'file_dir', path: join(directory, 'secrets') },
    audit: {
      directory: join(DATA, 'audit'),
      hotDays: 90,
      warmDays: 275,
      deleteAfterDays: 365,
      externalRootHook: undefined,
    },
    walPath: join(DATA, 'wal.db'),
    connections: undefined,
    vault: undefined,
    warnings: [],
  })
})

test('the example of the format loads as it is written', () => {
  const tree = load(EXAMPLE)
  expect(tree.accounts.map(({ id, provider, user, tls }) => ({ id, provider, user, tls }))).toEqual([
    { id: 'company-mail', provider: 'imap-standard', user: 'company', tls: 'implicit' },
    { id: 'gmail-invoices', provider: 'google', user: 'gmail', tls: 'implicit' },
  ])
  expect(tree.accounts[1]).toMatchObject({
    auth: { type: 'xoauth2', scope: 'https://mail.google.com/' },
    tokenCache: 'persist_all',
    authservId: 'mx.google.com',
  })
  expect(tree.secretStore).toEqual({ backend: 'file_dir', path: '/etc/imap-mcp/secrets' })
  expect(tree.audit).toEqual({
    directory: '/var/log/imap-mcp/audit',
    hotDays: 90,
    warmDays: 275,
    deleteAfterDays: 365,
    externalRootHook: '/usr/local/bin/audit-root-notify',
  })
  expect(tree.walPath).toBe('/var/lib/imap-mcp/wal.db')
  expect(tree.callers.map(({ id, policy, auth }) => [id, policy, auth.type])).toEqual([
    ['invoice-agent', 'invoice-policy', 'shared_token'],
    ['overview-bot', 'overview-policy', 'stdio_trusted'],
  ])
  const invoices = tree.policies.get('invoice-policy')
  expect(invoices?.accounts.get('company-mail')?.map(({ path, capabilities }) => [path, capabilities])).toEqual([
    ['INBOX/Invoices', ['mark_seen', 'move_out']],
    ['Archive/Invoices-2026', ['accept_incoming']],
  ])
  expect(invoices && policyFrom(invoices).folder('company-mail', 'INBOX/Invoices').ceiling).toBe('FULL')
})

test.each(['README.md', 'docs/configuration.md'])('the example in %s loads without a warning', (name) => {
  const page = readFileSync(join(import.meta.dirname, '../..', name), 'utf8')
  const files = [...page.matchAll(/```yaml\n# (\S+)\n([\s\S]*?)```/g)].map(([, file, text]) => [file, text])
  const tree = load(Object.fromEntries(files))
  expect(tree.warnings).toEqual([])
  expect([...tree.policies.keys()]).toEqual(['invoices'])
})

describe('what must not load is told with its place', () => {
  test('the table is long, and every row changes something', () => {
    expect(BAD_TREES.length).toBeGreaterThan(50)
    for (const { file, written, by } of BAD_TREES) expect(SMALL[file].replace(written, () => by)).not.toBe(SMALL[file])
  })

  test.each(BAD_TREES.map((tree) => [`${tree.file}: ${tree.what}`, tree] as const))('%s', (_name, tree) => {
    const files = { ...SMALL, [tree.file]: SMALL[tree.file].replace(tree.written, () => tree.by) }
    const error = problemsOf(() => load(files))
    expect(at(error)).toContainEqual({ file: tree.file, line: tree.line })
    const there = error.problems.filter(({ file, line }) => file === tree.file && line === tree.line)
    expect(there.map(({ message }) => message).join('\n')).toMatch(tree.message)
    expect(error.kind).toBe(tree.unparsed ? 'parse_error' : 'validation_error')
    expect(error.message).not.toContain('hunter2')
  })
})

test('all problems of all files are told at once, in order, once each', () => {
  const error = problemsOf(() =>
    load({
      'accounts.yaml': SMALL['accounts.yaml'].replace('port: 993', 'port: x').replace('host:', 'hst:'),
      'callers.yaml': SMALL['callers.yaml'].replace('policy: reading', 'policy: writing'),
      'policies/reading.yaml': SMALL['policies/reading.yaml'].replace('FULL', 'ALL'),
    }),
  )
  expect(error.code).toBe('invalid_input')
  expect(error.message.split('\n')).toEqual([
    'accounts.yaml:3:5: unknown key "hst" in an account; write host instead',
    'accounts.yaml:4:11: port must be a whole number between 1 and 65535; write one without quotes instead',
    'callers.yaml:3:13: there is no policy "writing"; write reading instead',
    expect.stringMatching(/^policies\/reading\.yaml:9:18: grant must be one of COUNT, /),
  ])
  expect(error.summary).toBe(`${error.message.split('\n')[0]} (and 3 more)`)
})

test('what a file that cannot be read would define is not told as missing', () => {
  const error = problemsOf(() => load({ ...SMALL, 'accounts.yaml': 'a: [', 'policies/other.yaml': 'a: "' }))
  expect(new Set(at(error).map(({ file }) => file))).toEqual(new Set(['accounts.yaml', 'policies/other.yaml']))
})

describe('files that are no files', () => {
  const broken = (change: (directory: string) => void): TreeProblems => {
    const directory = writeTree(SMALL)
    change(directory)
    return problemsOf(() => loadTree(directory, {}, DATA))
  }
  const replaced = (name: string, by: (path: string) => void): TreeProblems =>
    broken((directory) => {
      rmSync(join(directory, name), { recursive: true })
      by(join(directory, name))
    })

  test.each<[string, (path: string) => void, RegExp]>([
    ['nothing', () => undefined, /^callers\.yaml: there is no such file; write one/],
    ['a directory', (path) => mkdirSync(path), /^callers\.yaml: this is no file/],
    ['a pipe', (path) => execFileSync('mkfifo', [path]), /^callers\.yaml: this is no file/],
    ['a link to nothing', (path) => symlinkSync('nowhere.yaml', path), /^callers\.yaml: there is no such file/],
    ['a link to itself', (path) => symlinkSync('callers.yaml', path), /^callers\.yaml: this link leads to itself/],
    ['a link that cannot be', (path) => symlinkSync('x'.repeat(300), path), /^callers\.yaml: the file cannot be read/],
    ['UTF-16', (path) => writeFileSync(path, '\ufeffcallers: []', 'utf16le'), /^callers\.yaml:1:1: this is not UTF-8/],
    [
      'Latin-1',
      (path) => writeFileSync(path, 'callers:\n # caf\xe9\n', 'latin1'),
      /^callers\.yaml:2:1: this is not UTF-8/,
    ],
  ])('%s', (_what, by, message) => {
    const error = replaced('callers.yaml', by)
    expect(error.message).toMatch(message)
    expect(error.kind).toBe('parse_error')
  })

  test('no policies', () => {
    expect(replaced('policies', () => undefined).message).toMatch(/^policies: this directory is not there/)
    expect(replaced('policies', (path) => writeFileSync(path, '')).message).toMatch(/^policies: this is no directory/)
    expect(replaced('policies', (path) => mkdirSync(path)).message).toMatch(/no policy "reading"; add the policy/)
  })

  test('a main file that ends in .yml', () => {
    const { 'callers.yaml': callers, ...others } = SMALL
    expect(problemsOf(() => load({ ...others, 'callers.yml': callers })).message).toBe(
      'callers.yaml: there is no such file; rename callers.yml to callers.yaml',
    )
  })

  test('no directory', () => {
    const error = problemsOf(() => loadTree(join(tmpdir(), 'postern-nowhere'), {}, DATA))
    expect(error.message).toMatch(/postern-nowhere: there is no such directory$/)
  })
})

describe('what is unusual and loads', () => {
  test('a byte order mark, CRLF and .yml', () => {
    const crlf = Object.entries(SMALL).map(([name, text]) => [
      name.replace('reading.yaml', 'other.YML'),
      `\ufeff${text.replaceAll('\n', '\r\n')}`,
    ])
    expect(load(Object.fromEntries(crlf)).policies.has('reading')).toBe(true)
  })

  test('links, as mounted volumes have them, and what editors leave behind', () => {
    const directory = writeTree({ ...SMALL, 'policies/.reading.yaml.swp': 'x', 'policies/notes.txt': 'x' })
    const data = mkdtempSync(join(tmpdir(), 'postern-data-'))
    writeFileSync(join(data, 'callers'), SMALL['callers.yaml'])
    rmSync(join(directory, 'callers.yaml'))
    symlinkSync(join(data, 'callers'), join(directory, 'callers.yaml'))
    const tree = loadTree(directory, {}, DATA)
    expect(tree.callers).toHaveLength(1)
    expect(tree.warnings).toEqual(['policies/notes.txt: this is no .yaml file and was not read'])
  })

  test('an anchor and its aliases', () => {
    const text = SMALL['policies/reading.yaml']
      .replace('rules:', 'rules: &senders')
      .concat('    - { path: "Archive/**", mode: whitelist, default: NONE, rules: *senders }\n')
    const folders = load({ ...SMALL, 'policies/reading.yaml': text })
      .policies.get('reading')
      ?.accounts.get('work')
    expect(folders?.map(({ rules }) => rules.length)).toEqual([1, 1])
  })

  test('what an alias gets wrong is told once', () => {
    const text = SMALL['policies/reading.yaml']
      .replace('rules:', 'rules: &senders')
      .replace('FULL', 'ALL')
      .concat('    - { path: "Archive/**", mode: whitelist, default: NONE, rules: *senders }\n')
    expect(at(problemsOf(() => load({ ...SMALL, 'policies/reading.yaml': text })))).toHaveLength(1)
  })
})

test('many rules are compared in time, and too many refused', () => {
  const withRules = (count: number, rule: (index: number) => string): TreeFiles => ({
    ...SMALL,
    'policies/reading.yaml': SMALL['policies/reading.yaml'].concat(
      Array.from({ length: count }, (_, index) => `        - ${rule(index)}\n`).join(''),
    ),
  })
  const many = load(withRules(2000, (index) => `{ match: { subject_contains: "a${index}z" }, grant: FULL }`))
  expect(many.policies.get('reading')?.accounts.get('work')?.[0]?.rules).toHaveLength(2001)
  const tooMany = withRules(10_001, (index) =>
    index === 0 ? '&rule { match: { flagged: true }, grant: FULL }' : '*rule',
  )
  expect(problemsOf(() => load(tooMany)).message).toMatch(/more than 10000 rules/)
})

test('a rule about authenticated senders wants to know whose word counts', () => {
  const policy = SMALL['policies/reading.yaml'].replace('from_domain: example.com', 'authenticated: true')
  const tree = { ...SMALL, 'policies/reading.yaml': policy }
  expect(load(tree).warnings).toEqual([expect.stringMatching(/^policies\/reading\.yaml:3:3: .* authserv_id/)])
  const known = SMALL['accounts.yaml'].replace('- id: work\n', '- id: work\n    authserv_id: mx.example.com\n')
  expect(load({ ...tree, 'accounts.yaml': known }).warnings).toEqual([])
})

test('what is legal and probably not meant is a warning', () => {
  const { warnings } = load({
    ...SMALL,
    'accounts.yaml': SMALL['accounts.yaml'].replace(
      'accounts:\n',
      `accounts:
  - id: emma@example.org
    token_cache: persist_all
    auth: { type: password, secret_ref: "secret://b" }
  - id: calendar
    provider: google
    auth: { type: xoauth2, secret_ref: "secret://a" }
`,
    ),
    'policies/spare.yaml': 'name: spare\naccounts: {}\n',
  })
  expect(warnings).toEqual([
    expect.stringMatching(/^accounts\.yaml:2:9: the tool set imap cannot address/),
    'accounts.yaml:2:9: no policy names this account, so nobody sees it',
    expect.stringMatching(/^accounts\.yaml:3:18: token_cache: persist_all has no effect/),
    expect.stringMatching(/^accounts\.yaml:5:9: this provider wants an address as login/),
    'accounts.yaml:5:9: no policy names this account, so nobody sees it',
    'policies/spare.yaml:1:7: no caller has this policy',
    'policies/spare.yaml:2:11: this policy names no account, so it shows nothing',
  ])
})
