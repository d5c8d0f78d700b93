/** What an account, and the settings beside it, become when little is written. */
import { describe, expect, test } from 'vitest'
import { loadTree } from '../../src/config/tree/load.ts'
import type { Tree, TreeAccount } from '../../src/config/tree/tree.ts'
import { SMALL, writeTree } from './trees.ts'

const CALLER = 'callers:\n  - { id: agent, policy: none, auth: { type: stdio_trusted } }\n'

function load(
  accounts: string,
  more: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Tree {
  const files = {
    'accounts.yaml': accounts,
    'callers.yaml': CALLER,
    'policies/none.yaml': 'name: none\naccounts: {}\n',
  }
  return loadTree(writeTree({ ...files, ...more }), { HOME: '/home/emma', ...env }, '/data')
}

const PASSWORD = 'auth: { type: password, secret_ref: "secret://a/b" }'
const TOKEN = 'auth: { type: xoauth2, secret_ref: "secret://a/b" }'

function account(keys: string, more: Readonly<Record<string, string>> = {}): TreeAccount | undefined {
  return load(`accounts:\n  - { ${keys} }\nsecret_store: { backend: env_var }\n`, more).accounts[0]
}

describe('TLS follows from port and host', () => {
  test.each([
    ['host: imap.example.com', 143, 'starttls'],
    ['host: imap.example.com, port: 993', 993, 'implicit'],
    ['host: imap.example.com, port: 1143', 1143, 'starttls'],
    ['host: imap.example.com, allow_cleartext: true', 143, 'none'],
    ['host: imap.example.com, port: 993, allow_cleartext: true', 993, 'implicit'],
    ['host: imap.example.com, allow_cleartext: true, tls: starttls', 143, 'starttls'],
    ['host: imap.example.com, allow_cleartext: true, tls: none', 143, 'none'],
    ['host: imap.example.com, tls: implicit', 143, 'implicit'],
    ['tls: none', 143, 'none'],
    ['tls: starttls', 143, 'starttls'],
    ['host: localhost, port: 1143', 1143, 'none'],
    ['host: "::1"', 143, 'none'],
    ['host: 127.0.0.1.example.com', 143, 'starttls'],
    ['token_cache: memory_only', 143, 'none'],
  ])('%s', (keys, port, tls) => {
    expect(account(`id: a, ${PASSWORD}, ${keys}`)).toMatchObject({ port, tls })
  })
})

describe('providers know their servers', () => {
  test.each([
    ['google', { provider: 'google', host: 'imap.gmail.com', port: 993, authservId: 'mx.google.com', mock: false }],
    ['gmail', { provider: 'gmail', host: 'gmail.googleapis.com', port: 443, tls: 'implicit', mock: false }],
    ['microsoft', { provider: 'microsoft', host: 'outlook.office365.com', port: 993, tls: 'implicit', mock: false }],
    ['google-mock', { provider: 'google', host: '127.0.0.1', port: 143, tls: 'none', mock: true }],
    ['imap-standard', { provider: 'imap-standard', host: '127.0.0.1', port: 143, authservId: undefined }],
  ])('%s', (provider, expected) => {
    expect(account(`id: a@example.com, ${TOKEN}, provider: ${provider}`)).toMatchObject(expected)
  })

  test('and what is written wins', () => {
    const keys = 'host: imap.example.com, port: 1993, authserv_id: mx.example.com, identity: Me@example.com'
    expect(account(`id: a@example.com, ${TOKEN}, provider: google, ${keys}`)).toMatchObject({
      host: 'imap.example.com',
      port: 1993,
      tls: 'starttls',
      authservId: 'mx.example.com',
      identity: 'Me@example.com',
    })
  })
})

test.each([
  ['id: emma@example.com', 'emma@example.com', 'emma@example.com'],
  ['id: emma-work-mail', 'emma', undefined],
  ['id: emma', 'emma', undefined],
  ['id: emma-work, user: e.m@example.com', 'e.m@example.com', 'e.m@example.com'],
])('%s logs in as %s', (keys, user, identity) => {
  expect(account(`${keys}, ${PASSWORD}`)).toMatchObject({ user, identity })
})

test('a local account needs neither server nor secrets', () => {
  const tree = load('accounts:\n  - { id: archive, provider: local }\n')
  expect(tree.accounts[0]).toMatchObject({ id: 'archive', provider: 'local', auth: undefined })
})

describe('SMTP', () => {
  test.each([
    ['provider: imap-standard', 'host: smtp.example.com', { host: 'smtp.example.com', port: 465, tls: 'implicit' }],
    ['provider: imap-standard', 'host: smtp.example.com, port: 587', { port: 587, tls: 'starttls' }],
    ['provider: imap-standard', 'host: 127.0.0.1, port: 2525', { port: 2525, tls: 'none' }],
    ['provider: imap-standard', 'host: smtp.example.com, tls: starttls', { port: 587, tls: 'starttls' }],
    ['provider: google', 'tls: starttls', { host: 'smtp.gmail.com', port: 587, tls: 'starttls' }],
    ['provider: google', 'user: b', { host: 'smtp.gmail.com', port: 465, user: 'b', secretRef: undefined }],
    [
      'provider: microsoft',
      'secret_ref: "secret://s"',
      { host: 'smtp.office365.com', port: 587, tls: 'starttls', secretRef: 'secret://s' },
    ],
  ])('%s, smtp: { %s }', (provider, smtp, expected) => {
    expect(account(`id: a@example.com, ${TOKEN}, ${provider}, smtp: { ${smtp} }`)?.smtp).toMatchObject({
      user: 'a@example.com',
      ...expected,
    })
  })
})

describe('what sends without a word about SMTP', () => {
  const smtp = (provider: string, auth = TOKEN): TreeAccount['smtp'] =>
    account(`id: a@example.com, ${auth}, provider: ${provider}`)?.smtp
  const own = { user: 'a@example.com', secretRef: undefined }

  test.each(['imap-standard', 'google-mock', 'gmail'])('%s has no SMTP server', (provider) => {
    expect(smtp(provider)).toBeUndefined()
  })

  test('Google and Microsoft have theirs, with the login of the account', () => {
    expect(smtp('google')).toEqual({ host: 'smtp.gmail.com', port: 465, tls: 'implicit', ...own })
    expect(smtp('google', PASSWORD)).toEqual(smtp('google'))
    expect(smtp('microsoft')).toEqual({ host: 'smtp.office365.com', port: 587, tls: 'starttls', ...own })
    expect(account(`id: a@example.com, ${TOKEN}, provider: microsoft, allow_cleartext: true`)?.smtp?.tls).toBe(
      'starttls',
    )
  })
})

describe('gmail', () => {
  const gmail = 'id: a@example.com, provider: gmail'
  const tree = (keys: string, env: Readonly<Record<string, string>> = {}): Tree =>
    load(`accounts:\n  - { ${gmail}, ${TOKEN}${keys} }\nsecret_store: { backend: env_var }\n`, {}, env)

  test('needs an address and a token, and nothing else', () => {
    expect(account(`${gmail}, ${TOKEN}`)).toEqual({
      id: 'a@example.com',
      provider: 'gmail',
      host: 'gmail.googleapis.com',
      port: 443,
      tls: 'implicit',
      user: 'a@example.com',
      identity: 'a@example.com',
      auth: { type: 'xoauth2', secretRef: 'secret://a/b', scope: undefined },
      tokenCache: 'memory_only',
      authservId: 'mx.google.com',
      mirror: 'off',
      mock: false,
    })
  })

  test('what only a mail server would heed is told', () => {
    const { accounts, warnings } = tree(', host: imap.gmail.com, port: 993, smtp: { user: b }')
    expect(accounts[0]).toMatchObject({ host: 'gmail.googleapis.com', port: 443, smtp: undefined })
    for (const key of ['host', 'port', 'smtp']) expect(warnings.join('\n')).toContain(`${key} has no effect`)
    expect(() => tree(', port: many')).toThrow(/port must be a whole number/)
  })

  test.each([
    ['http://127.0.0.1:4002/', { endpoint: 'http://127.0.0.1:4002', host: '127.0.0.1', port: 4002, tls: 'none' }],
    ['http://[::1]:80', { endpoint: 'http://[::1]', port: 80 }],
    ['https://proxy.example/google/', { endpoint: 'https://proxy.example/google', port: 443, tls: 'implicit' }],
  ])("elsewhere, at %s, its tokens are not Google's either", (url, expected) => {
    expect(tree('', { POSTERN_GMAIL_ENDPOINT: url }).accounts[0]).toMatchObject({ ...expected, mock: true })
  })

  test.each([
    'http://gmail.example',
    'http://127.0.0.1.example.com',
    'ftp://127.0.0.1',
    '127.0.0.1:4002',
    'https://',
    'https://user:pass@proxy.example',
    'https://proxy.example/?key=1',
    'https://proxy.example/#x',
    'javascript:1',
  ])('%s is no place to send tokens to', (url) => {
    expect(() => tree('', { POSTERN_GMAIL_ENDPOINT: url })).toThrow(
      /^accounts\.yaml:2:\d+: the variable POSTERN_GMAIL_ENDPOINT is no address of an API/,
    )
    const other = load('accounts:\n  - { id: a, provider: local }\n', {}, { POSTERN_GMAIL_ENDPOINT: url })
    expect(other.accounts).toHaveLength(1)
  })
})

test("an authority's certificates are read beside the tree", () => {
  const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n'
  expect(account(`id: a, ${PASSWORD}, ca_file: tls/ca.pem`, { 'tls/ca.pem': pem })?.ca).toBe(pem)
})

describe('settings', () => {
  const settings = (text: string): Tree => load(`accounts: [{ id: archive, provider: local }]\n${text}\n`)

  test.each<[string, Partial<Tree['audit']>]>([
    ['{}', { hotDays: 90, warmDays: 275, deleteAfterDays: 365 }],
    ['{ delete_after_days: 30 }', { hotDays: 30, warmDays: 0, deleteAfterDays: 30 }],
    ['{ hot_days: 400 }', { hotDays: 400, warmDays: 0, deleteAfterDays: 400 }],
    ['{ warm_days: 1000 }', { hotDays: 1, warmDays: 1000, deleteAfterDays: 1001 }],
    ['{ hot_days: 7, delete_after_days: 1000 }', { hotDays: 7, warmDays: 993, deleteAfterDays: 1000 }],
    ['{ hot_days: 7, warm_days: 7 }', { hotDays: 7, warmDays: 7, deleteAfterDays: 365 }],
  ])('audit: %s', (text, expected) => {
    expect(settings(`audit: ${text}`).audit).toMatchObject(expected)
  })

  test('relative paths are beside the tree, and ~ is home', () => {
    const tree = settings(
      'audit: { directory: log }\nwal: { path: ~/wal.db }\nsecret_store: { backend: gpg_file, path: ../s, gnupghome: g }',
    )
    expect(tree.audit.directory).toBe(`${tree.directory}/log`)
    expect(tree.walPath).toBe('/home/emma/wal.db')
    expect(tree.secretStore).toEqual({
      backend: 'gpg_file',
      path: `${tree.directory.split('/').slice(0, -1).join('/')}/s`,
      recipient: undefined,
      gnupghome: `${tree.directory}/g`,
    })
  })

  test('limits, the store, a vault and a hook that is not there', () => {
    const tree = settings(
      'limits: { connections: 3 }\nstore: sqlite\nvault: vault\naudit: { external_root_hook: hook }',
    )
    expect(tree.connections).toBe(3)
    expect(tree.vault).toBe(`${tree.directory}/vault`)
    expect(tree.audit.externalRootHook).toBe(`${tree.directory}/hook`)
    expect(tree.warnings.join()).toMatch(/accounts\.yaml:5:30: external_root_hook names no program/)
  })
})

test('everything a caller and a policy can say', () => {
  const tree = loadTree(
    writeTree({
      ...SMALL,
      'callers.yaml': `${SMALL['callers.yaml']}    toolsets: [imap, policy]\n    limits: { per_minute: 10, per_hour: 100 }\n    hide_denied_tools: true\n    content: { uncertain: omit }\n`,
      'policies/reading.yaml': `name: reading
conceal_hidden: true
send: { approval: flow, trusted: [Ann@Example.com] }
approvals: { require_digest: true, elicitation: sufficient }
accounts:
  work:
    - path: "**"
      mode: blacklist
      default: FULL
      mark_seen: true
      mark_tagged: true
      move_out: true
      accept_incoming: true
      draft_append: true
      delete: true
      may_raise: true
      rules:
        - match:
            from: Alice@Example.com.
            to: team@example.com
            to_contains: team
            subject_contains: Rechnung
            has_attachment: false
            newer_than: 30d
            older_than: 1h
            size_gt: 10
            size_lt: 5000
            flagged: true
            authenticated: true
          cap: NONE
`,
    }),
    {},
    '/data',
  )
  expect(tree.callers[0]).toMatchObject({
    toolsets: ['imap', 'policy'],
    limits: { perMinute: 10, perHour: 100 },
    hideDeniedTools: true,
    uncertain: 'omit',
  })
  expect(tree.policies.get('reading')).toMatchObject({
    concealHidden: true,
    send: {
      ...{ approval: 'flow', trusted: ['ann@example.com'], requireDigest: true, elicitation: 'sufficient' },
      pendingLimit: { messages: 50, bytes: 20 * 1024 * 1024 },
    },
  })
  expect(tree.policies.get('reading')?.accounts.get('work')).toEqual([
    {
      path: '**',
      mode: 'blacklist',
      default: 'FULL',
      capabilities: ['mark_seen', 'mark_tagged', 'move_out', 'accept_incoming', 'draft_append', 'delete'],
      mayRaise: true,
      rules: [
        {
          level: 'NONE',
          match: {
            from: 'alice@example.com',
            to: 'team@example.com',
            to_contains: 'TEAM',
            subject_contains: 'RECHNUNG',
            has_attachment: false,
            newer_than: 2_592_000,
            older_than: 3600,
            size_gt: 10,
            size_lt: 5000,
            flagged: true,
            authenticated: true,
          },
        },
      ],
    },
  ])
})
