/** Labels of a Google account: stars and unread are flags, a label is a folder that the message comes into. */
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeTree } from '../config/trees.ts'
import { DEFAULT_ACCOUNT, type Gmail, startGmail } from '../gmail/server.ts'
import { type Postern, startPostern } from '../imap/postern.ts'
import { type Arguments, refusal, type Told, tell } from './answers.ts'

let gmail: Gmail
let postern: Postern
let tree: string

const SUBJECTS = ['starred', 'labelled', 'important', 'refused']

beforeAll(async () => {
  const raw = (subject: string): string => `From: a@example.org\r\nSubject: ${subject}\r\n\r\nSECRET-${subject}\r\n`
  gmail = await startGmail({
    labels: ['Work', 'Work/Deep', 'Shut', 'Open', 'Unheard'],
    messages: SUBJECTS.map((subject) => ({ raw: raw(subject), labels: ['\\Inbox'] })),
  })
  const account = {
    ...{ id: 'g', provider: 'google', host: '127.0.0.1', port: gmail.port, tls: 'none', user: DEFAULT_ACCOUNT.user },
    auth: { type: 'password', secret_ref: 'secret://g' },
  }
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
        folder('INBOX', 'ENVELOPE', { mark_tagged: true, mark_seen: true }),
        folder('Work', 'ENVELOPE', { accept_incoming: true }),
        folder('Work/Deep', 'METADATA', { accept_incoming: true }),
        folder('[Gmail]/Important', 'METADATA', { accept_incoming: true }),
        folder('[Gmail]/Trash', 'METADATA', { accept_incoming: true }),
        folder('Shut', 'ENVELOPE'),
        folder('Open', 'FULL', { accept_incoming: true }),
      ],
    },
  }
  tree = writeTree({
    'accounts.yaml': JSON.stringify({ accounts: [account], secret_store: { backend: 'file_dir', path: 'secrets' } }),
    'secrets/g': DEFAULT_ACCOUNT.password,
    'callers.yaml': JSON.stringify({
      callers: [{ id: 'bot', policy: 'p', auth: { type: 'stdio_trusted' }, toolsets: ['inbox'] }],
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

const uidOf = (subject: string): number => SUBJECTS.indexOf(subject) + 1
const call = (subject: string, args: Arguments): Arguments => {
  const uidvalidity = gmail.account().store.mailbox('INBOX')?.uidvalidity
  return { account: 'g', email_id: `imap:g:INBOX:${uidvalidity}:${uidOf(subject)}`, ...args }
}
const change = (subject: string, args: Arguments): Promise<Told> =>
  tell(postern.client, 'manage_labels', call(subject, args))
const refused = (args: Arguments) => refusal(postern.client, 'manage_labels', call('refused', args))

function stored(subject: string): { labels: string[]; flags: string[] } {
  const { store } = gmail.account()
  const msgid = store
    .mailbox('INBOX')
    ?.contents()
    .find(({ uid }) => uid === uidOf(subject))?.msgid
  const message = msgid === undefined ? undefined : store.message(msgid)
  return { labels: [...(message?.labels ?? [])].toSorted(), flags: [...(message?.flags ?? [])].toSorted() }
}

test('stars and unread', async () => {
  await change('starred', { add_labels: ['STARRED'], remove_labels: ['UNREAD'] })
  expect(JSON.stringify(stored('starred'))).toMatch(/Starred|Flagged/)
  const { value } = await change('starred', { remove_labels: ['STARRED'], add_labels: ['UNREAD'] })
  expect(value).toMatchObject({ added: ['UNREAD'], removed: ['STARRED'], labels: ['UNREAD'] })
})

test('labels are added, those below others too, and the message stays where it was', async () => {
  const { text } = await change('labelled', { add_labels: ['Work', 'Work/Deep'] })
  expect(text).toContain('\nAdded: Work, Work/Deep')
  expect(stored('labelled').labels).toEqual(['Work', 'Work/Deep', '\\Inbox'])
})

test('important is a label of its own', async () => {
  await change('important', { add_labels: ['IMPORTANT'] })
  expect(stored('important').labels).toEqual(['\\Important', '\\Inbox'])
})

test.each<[string, Arguments, object]>([
  ['a label that is not there', { add_labels: ['None'] }, { code: -32001 }],
  ['a label that the caller may not know of', { add_labels: ['Unheard'] }, { code: -32001 }],
  [
    'a label that takes nothing in',
    { add_labels: ['Shut'] },
    { data: { details: { missing_capability: 'accept_incoming' } } },
  ],
  ['a label that shows more', { add_labels: ['Open'] }, { data: { details: { reason: 'visibility_would_rise' } } }],
  ['one of several', { add_labels: ['Work', 'Open'] }, { data: { details: { reason: 'visibility_would_rise' } } }],
  ['the trash', { add_labels: ['[Gmail]/Trash'] }, { code: -32602, data: { code: 'unsupported' } }],
  ['taking a label away', { remove_labels: ['Work'] }, { code: -32602, data: { code: 'unsupported' } }],
  ['archiving', { remove_labels: ['INBOX'], add_labels: ['Work'] }, { code: -32602, data: { code: 'unsupported' } }],
])('%s is refused and changes nothing', async (_what, args, expected) => {
  expect(await refused(args)).toMatchObject(expected)
  expect(stored('refused').labels).toEqual(['\\Inbox'])
})

test('what is hidden and what is not there are the same', async () => {
  const [hidden, absent] = [await refused({ add_labels: ['Unheard'] }), await refused({ add_labels: ['None'] })]
  expect(hidden.message).toBe(absent.message)
})
