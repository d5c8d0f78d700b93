/** At Google a change under one label shows under others: none of that may bring into sight what was not. */

import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeTree } from '../config/trees.ts'
import { DEFAULT_ACCOUNT, type Gmail, startGmail } from '../gmail/server.ts'
import { type Postern, startPostern } from '../imap/postern.ts'
import { ask } from './answers.ts'

const SUBJECTS = ['one', 'two', 'three', 'four', 'five']

let gmail: Gmail
let postern: Postern
let tree: string

beforeAll(async () => {
  const raw = (subject: string): string => `From: ceo@bank.example\r\nSubject: ${subject}\r\n\r\nSECRET-${subject}\r\n`
  const labels = ['\\Inbox', 'Work']
  gmail = await startGmail({ labels: ['Work'], messages: SUBJECTS.map((subject) => ({ raw: raw(subject), labels })) })
  const account = {
    ...{ id: 'g', provider: 'google', host: '127.0.0.1', port: gmail.port, tls: 'none', user: DEFAULT_ACCOUNT.user },
    auth: { type: 'password', secret_ref: 'secret://g' },
  }
  const policy = {
    name: 'p',
    accounts: {
      g: [
        { path: 'INBOX', mode: 'blacklist', default: 'COUNT', mark_tagged: true, delete: true },
        { path: '[Gmail]/Starred', mode: 'blacklist', default: 'FULL' },
        { path: '[Gmail]/Trash', mode: 'blacklist', default: 'FULL' },
        { path: '[Gmail]/Spam', mode: 'blacklist', default: 'COUNT', accept_incoming: true },
        { path: 'Work', mode: 'whitelist', default: 'NONE', rules: [{ match: { flagged: true }, grant: 'FULL' }] },
      ],
    },
  }
  tree = writeTree({
    'accounts.yaml': JSON.stringify({ accounts: [account], secret_store: { backend: 'file_dir', path: 'secrets' } }),
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

const inbox = (uid: number) => ({ account: 'g', folder: 'INBOX', uid })

test('a star does not bring a message into sight under Starred, nor under a label whose rule looks at stars', async () => {
  const answer = await ask(postern.client, 'mark_tagged', { ...inbox(1), tags: ['\\Flagged'], mode: 'add' })
  expect(answer).toMatchObject({ decision: 'DENY', reason: 'visibility_would_rise' })
  for (const folder of ['[Gmail]/Starred', 'Work']) {
    expect((await ask(postern.client, 'list_messages', { account: 'g', folder })).messages).toEqual([])
  }
})

test('a tag that is no star is as good as anywhere', async () => {
  const answer = await ask(postern.client, 'mark_tagged', { ...inbox(1), tags: ['later'], mode: 'add' })
  expect(answer).toMatchObject({ decision: 'ALLOW', result: 'OK', flags: null })
})

test('deleting does not bring a message into sight in Trash', async () => {
  const uidvalidity = gmail.account().store.mailbox('INBOX')?.uidvalidity
  const message_id = `imap:g:INBOX:${uidvalidity}:2`
  const refused = await postern.refusal('imap_delete_message', { account_id: 'g', message_id, confirm: true })
  expect(refused).toMatchObject({ data: { details: { reason: 'visibility_would_rise' } } })
  expect((await ask(postern.client, 'list_messages', { account: 'g', folder: '[Gmail]/Trash' })).messages).toEqual([])
})

test('a copy into Spam takes all labels away, so it needs leave to move', async () => {
  const target = { account: 'g', folder: '[Gmail]/Spam' }
  const answer = await ask(postern.client, 'copy', { source: inbox(5), target })
  expect(answer).toMatchObject({ decision: 'DENY', reason: 'capability_missing', missing_capability: 'move_out' })
  const spared = gmail
    .account()
    .store.messages()
    .filter(({ labels }) => labels.has('\\Inbox'))
  expect(spared).toHaveLength(SUBJECTS.length)
})
