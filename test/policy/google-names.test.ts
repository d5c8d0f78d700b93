/** Gmail's own folders by their English names on an account in German: one folder, one judgement, whichever name is used. */
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeTree } from '../config/trees.ts'
import { DEFAULT_ACCOUNT, type Gmail, startGmail } from '../gmail/server.ts'
import { account as inEnvironment, type Postern, startPostern } from '../imap/postern.ts'
import { type Answer, type Arguments, ask } from './answers.ts'

const MAIL: readonly (readonly [subject: string, ...labels: string[]])[] = [
  ['one', '\\Inbox'],
  ['two', '\\Inbox'],
  ['three', '\\Inbox'],
  ['unsent', '\\Draft'],
  ['posted', '\\Sent'],
  ['weighty', '\\Important'],
  ['spammed', '\\Spam'],
]

let gmail: Gmail
let postern: Postern
let tree: string

beforeAll(async () => {
  const raw = (subject: string): string => `From: ceo@bank.example\r\nSubject: ${subject}\r\n\r\nSECRET-${subject}\r\n`
  gmail = await startGmail({
    language: 'de',
    // A label of the account's own that is called like Gmail's.
    labels: ['[Gmail]/Starred'],
    messages: MAIL.map(([subject, ...labels]) => ({ raw: raw(subject), labels })),
  })
  const account = (id: string, provider: string) => ({
    ...{ id, provider, host: '127.0.0.1', port: gmail.port, tls: 'none', user: DEFAULT_ACCOUNT.user },
    auth: { type: 'password', secret_ref: 'secret://g' },
  })
  const folder = (path: string, level: string, more: object = {}) => ({
    path,
    mode: 'blacklist',
    default: level,
    ...more,
  })
  const policy = {
    name: 'p',
    accounts: {
      g: [
        folder('INBOX', 'FULL', { move_out: true }),
        folder('[Gmail]/**', 'FULL'),
        folder('[Gmail]/Drafts', 'COUNT'),
        folder('[Google Mail]/Important', 'METADATA'),
        folder('[Gmail]/Sent Mail', 'FULL'),
        folder('[Gmail]/Gesendet', 'METADATA'),
        folder('[Gmail]/Trash', 'METADATA', { accept_incoming: true }),
        folder('[Gmail]/Starred', 'METADATA'),
        {
          ...folder('[Google Mail]/All Mail', 'NONE'),
          mode: 'whitelist',
          rules: [{ match: { subject_contains: 'one' }, grant: 'ENVELOPE' }],
        },
      ],
      // The same server under a provider that is not said to be Google.
      plain: [folder('[Gmail]/Drafts', 'METADATA')],
    },
  }
  tree = writeTree({
    'accounts.yaml': JSON.stringify({
      accounts: [account('g', 'google'), account('plain', 'imap-standard')],
      secret_store: { backend: 'file_dir', path: 'secrets' },
    }),
    'secrets/g': DEFAULT_ACCOUNT.password,
    'callers.yaml': JSON.stringify({
      callers: [{ id: 'bot', policy: 'p', auth: { type: 'stdio_trusted' }, toolsets: ['policy', 'imap'] }],
    }),
    'policies/p.yaml': JSON.stringify(policy),
  })
  postern = await startPostern({ POSTERN_CONFIG_DIR: tree, IMAP_MCP_CALLER_ID: 'bot' })
})
afterAll(async () => {
  await postern.close()
  await gmail.stop()
  await rm(tree, { recursive: true, force: true })
})

const asked = (tool: string, folder: string, more: Arguments = {}, account = 'g'): Promise<Answer> =>
  ask(postern.client, tool, { account, folder, ...more })
const subjects = ({ messages }: Answer): unknown[] => messages.map(({ subject }) => subject ?? null)
const withoutEcho = ({ folder: _, ...answer }: Answer): object => answer

test.each([
  ['[Gmail]/Drafts', '[Google Mail]/Drafts', '[Gmail]/Entwürfe'],
  ['[Gmail]/Important', '[Google Mail]/Important', '[Gmail]/Wichtig'],
  ['[Gmail]/Sent Mail', '[Google Mail]/Sent Mail', '[Gmail]/Gesendet'],
  ['[Gmail]/All Mail', '[Google Mail]/All Mail', '[Gmail]/Alle Nachrichten'],
  ['[Google Mail]/Spam', '[Gmail]/Spam'],
])('%s has one judgement under each of its names', async (...names) => {
  const calls: readonly [string, Arguments][] = [
    ['folder_stats', {}],
    ['list_messages', {}],
    ['search', { criteria: { subject_contains: 'e' } }],
    ['fetch_body', { uid: 1 }],
  ]
  for (const [tool, more] of calls) {
    const [first, ...others] = await Promise.all(names.map((name) => asked(tool, name, more)))
    if (first === undefined) throw new Error('no answer')
    for (const other of others) expect(withoutEcho(other)).toEqual(withoutEcho(first))
  }
})

test('a stricter definition by the English name holds, not the pattern that matches the own name', async () => {
  for (const name of ['[Gmail]/Drafts', '[Google Mail]/Drafts', '[Gmail]/Entwürfe', '[Gmail]/Entwu\u0308rfe']) {
    expect(await asked('list_messages', name)).toMatchObject({ decision: 'DENY', reason: 'visibility_below_METADATA' })
    expect(await asked('fetch_body', name, { uid: 1 })).toMatchObject({ decision: 'DENY' })
    const uidvalidity = gmail.account().store.mailbox('[Gmail]/Entwürfe')?.uidvalidity
    const message_id = `imap:g:${name}:${uidvalidity}:1`
    const refused = await postern.refusal('imap_get_message', { account_id: 'g', message_id })
    expect(JSON.stringify(refused)).not.toContain('SECRET')
    const search = await postern.refusal('imap_search_messages', { account_id: 'g', mailbox: name })
    expect(search).toMatchObject({ data: { details: { reason: 'visibility_below_METADATA' } } })
  }
})

test('rules of the definition by the English name decide about each message', async () => {
  expect(subjects(await asked('list_messages', '[Gmail]/All Mail'))).toEqual(['one'])
  expect(subjects(await asked('list_messages', '[Gmail]/Alle Nachrichten'))).toEqual(['one'])
})

test("a definition by the account's own name wins over the English one", async () => {
  expect(subjects(await asked('list_messages', '[Gmail]/Sent Mail'))).toEqual([null])
  expect(subjects(await asked('list_messages', '[Gmail]/Gesendet'))).toEqual([null])
})

test('a folder that really has the English name is that folder', async () => {
  expect(await asked('folder_stats', '[Gmail]/Starred')).toMatchObject({ visible_count: 0 })
  // The folder of what is starred has its own name, and so the pattern's judgement.
  expect(await asked('list_messages', '[Gmail]/Markiert')).toMatchObject({ visibility_applied: 'FULL' })
})

test('mail is moved to the trash by either name', async () => {
  const inTrash = (): number => gmail.account().store.mailbox('[Gmail]/Papierkorb')?.contents().length ?? 0
  let uid = 1
  for (const folder of ['[Gmail]/Trash', '[Gmail]/Papierkorb']) {
    const source = { account: 'g', folder: 'INBOX', uid }
    const moved = await ask(postern.client, 'move', { source, target: { account: 'g', folder } })
    expect(moved).toMatchObject({ decision: 'ALLOW', result: 'OK' })
    expect(inTrash()).toBe(uid)
    uid += 1
  }
  const refused = { source: { account: 'g', folder: 'INBOX', uid }, target: { account: 'g', folder: '[Gmail]/Spam' } }
  expect(await ask(postern.client, 'move', refused)).toMatchObject({ reason: 'capability_missing' })
})

test('folders are listed by their own names, with the counts of the definitions by English names', async () => {
  const { folders, hidden_folders_count: hidden } = await ask(postern.client, 'list_folders', { account: 'plain' })
  expect(folders).toEqual([{ path: '[Gmail]/Entwürfe', message_count: 1 }])
  const described = await ask(postern.client, 'describe_policy')
  const plain = (described['accounts'] as readonly Record<string, unknown>[]).find(({ id }) => id === 'plain')
  expect(plain).toMatchObject({ folders_visible: [{ path: '[Gmail]/Drafts' }], hidden_folders_count: hidden })
  expect(subjects(await asked('list_messages', '[Gmail]/Drafts', {}, 'plain'))).toEqual([null])
})

test('queries name folders in English, too', async () => {
  const found = async (query: string): Promise<unknown[]> =>
    subjects(await asked('list_messages', '[Gmail]/Wichtig', { query }))
  expect(await found('in:[gmail]/important')).toEqual([null])
  expect(await found('in:[Gmail]/Drafts')).toEqual([])
})

test('accounts of the environment take the English names, too', async () => {
  const { user, password } = DEFAULT_ACCOUNT
  const own = await startPostern(inEnvironment('default', gmail.port, user, password))
  try {
    for (const mailbox of ['[Gmail]/Drafts', '[Google Mail]/Drafts', '[Gmail]/Entwürfe']) {
      const { data } = await own.call('imap_search_messages', { mailbox })
      expect(data['messages']).toMatchObject([{ subject: 'unsent' }])
      const [{ message_id }] = data['messages'] as unknown as [{ message_id: string }]
      expect((await own.call('imap_get_message', { message_id })).summary).toBe('Message retrieved')
    }
  } finally {
    await own.close()
  }
})
